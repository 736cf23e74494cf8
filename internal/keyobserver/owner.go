package keyobserver

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Parts are what a value is composed of, by name: the fields of a hash or of a JSON
// object, the members of a set; a string or a list is one part without a name.
type Parts map[string]string

// Parts takes the value apart.
func (v Value) Parts() Parts {
	var object map[string]json.RawMessage
	parts := Parts{}
	switch {
	case len(v.Hash) > 0:
		return v.Hash
	case len(v.List) > 0:
		parts[""] = "[" + v.List[0] // of a queue, the next number is no count
	case len(v.Set) > 0:
		for _, member := range v.Set {
			parts[member] = "member"
		}
	case strings.HasPrefix(v.String, "{") && json.Unmarshal([]byte(v.String), &object) == nil && len(object) > 0:
		for name, raw := range object {
			parts[name] = string(raw)
		}
	default:
		parts[""] = v.String
	}
	return parts
}

func (s State) parts() Parts {
	if s.Parts == nil {
		return Parts{"": s.Value}
	}
	return s.Parts
}

// count reads a part that may count something.
func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// step is by how much a count grew from was to now; 0 if it is no count, or did not
// change by one.
func step(was, now string) int {
	a, ok := count(was)
	b, also := count(now)
	if ok && also && (b == a+1 || b == a-1) {
		return b - a
	}
	return 0
}

// wrote lists the parts that became what they are between was and now.
func wrote(was, now Parts) (names []string) {
	for name, text := range now {
		if old, there := was[name]; !there || old != text {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// claims reports whether a command wrote more than counts, which waiters keep too.
func claims(was, now Parts) bool {
	return slices.ContainsFunc(wrote(was, now), func(name string) bool { return now[name] != "" && step(was[name], now[name]) == 0 })
}

// mark lists which parts of a value say whose the key is: of those that its owner
// wrote (nil: all), the texts, or the numbers where it wrote nothing else.
func mark(was Parts, wrote []string) []string {
	if wrote == nil {
		wrote = slices.Sorted(maps.Keys(was))
	}
	texts := slices.DeleteFunc(slices.Clone(wrote), func(name string) bool {
		_, number := count(was[name])
		return number || was[name] == ""
	})
	if len(texts) > 0 {
		return texts
	}
	return slices.DeleteFunc(slices.Clone(wrote), func(name string) bool { _, there := was[name]; return !there })
}

// fate is what has become of an owner's mark.
type fate uint8

const (
	kept    fate = iota
	joined       // another has counted itself in it, as a second entry of the owner would
	removed      // nothing of it is left
	overwritten
)

// fateOf compares the owner's mark in two values.
func fateOf(was, now Parts, wrote []string) fate {
	names := mark(was, wrote)
	left, grew := 0, false
	for _, name := range names {
		old, text := was[name], now[name]
		switch {
		case text == "" && old != "":
			continue
		case old == text || name == "" && appended(old, text):
		case step(old, text) != 0:
			grew = grew || name != "" && step(old, text) > 0
		default:
			return overwritten
		}
		left++
	}
	switch {
	case left == 0 && len(names) > 0:
		return removed
	case grew:
		return joined
	}
	return kept
}

// appended reports whether something was added to a text that stands: not where it
// goes on as a longer name or number would.
func appended(was, now string) bool {
	rest, ok := strings.CutPrefix(now, was)
	if !ok || rest == "" || was == "" {
		return false
	}
	first := []rune(rest)[0]
	return !unicode.IsLetter(first) && !unicode.IsDigit(first)
}
