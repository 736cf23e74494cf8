package reports

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// propertyRank orders properties as package check does, unknown ones last.
func propertyRank(name string) int {
	if i := slices.Index(check.Names(), name); i >= 0 {
		return i
	}
	return math.MaxInt
}

// brokenText says what a violation of the property means; "" for an unknown one.
func brokenText(property string) string {
	p, _ := check.Lookup(property)
	return p.Broken
}

// properties lists the properties that any of the strategies violated or has an
// expectation about, in order.
func properties(strategies ...results.Strategy) []string {
	seen := map[string]bool{}
	for _, s := range strategies {
		for p := range s.Violations {
			seen[p] = true
		}
		for p := range s.Expected {
			seen[p] = true
		}
	}
	for _, o := range check.Observations {
		delete(seen, o.Name)
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b string) int {
		return cmp.Or(cmp.Compare(propertyRank(a), propertyRank(b)), cmp.Compare(a, b))
	})
}

// violated lists the properties that one strategy violated, in order.
func violated(s results.Strategy) []string {
	return slices.DeleteFunc(properties(s), func(p string) bool { return s.Violations[p].Count == 0 })
}

// Letters that do not stand for a known property.
const (
	letterOther   = "X"
	letterFinding = "!"
	signChanged   = "≠" // not as expected
)

// letters stands for everything that one strategy did wrong, where there is no
// room for names.
func letters(s results.Strategy) string {
	var out string
	for _, name := range violated(s) {
		p, _ := check.Lookup(name)
		if l := cmp.Or(p.Letter, letterOther); !strings.Contains(out, l) {
			out += l
		}
	}
	if len(s.Findings) > 0 {
		out += letterFinding
	}
	return out
}

// letterName is an entry of the legend of a matrix.
type letterName struct{ Letter, Name string }

// letterNames explains the letters that occur in r, in the order of properties.
func letterNames(r Results) []letterName {
	used := ""
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			used += letters(s)
		}
	}
	var out []letterName
	for _, p := range check.Properties {
		out = append(out, letterName{p.Letter, p.Name})
	}
	out = append(out, letterName{letterOther, "another property"}, letterName{letterFinding, findingClasses(r)})
	return slices.DeleteFunc(out, func(l letterName) bool { return !strings.Contains(used, l.Letter) })
}

// findingClasses says how locks misbehaved as programs, by the classes that occur.
func findingClasses(r Results) string {
	var verbs []string
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			for _, f := range s.Findings {
				if verb := findingVerb(f.Class); !slices.Contains(verbs, verb) {
					verbs = append(verbs, verb)
				}
			}
		}
	}
	slices.Sort(verbs)
	return joinWords(verbs)
}

// strategyNames lists the strategies of all scenarios in order of appearance.
func strategyNames(r Results) []string {
	var names []string
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// findStrategy returns nil where the scenario did not run under the strategy.
func findStrategy(sc results.Scenario, name string) *results.Strategy {
	i := slices.IndexFunc(sc.Strategies, func(s results.Strategy) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &sc.Strategies[i]
}
