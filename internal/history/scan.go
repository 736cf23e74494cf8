package history

import (
	"encoding/json"
	"fmt"
	"math"
)

// scanner reads one line as one event. It knows the flat object that a history
// is made of and nothing else of JSON: encoding/json takes several times as
// long, and lets keys pass that differ in case or come twice.
type scanner struct {
	b     []byte
	i     int
	words map[string]string // strings that were seen before, so that each is kept once
}

// maxWords bounds the scanner's memory on a hostile file.
const maxWords = 1 << 12

// lineError is why a line is not an event.
type lineError struct {
	problem *Problem
	detail  string
}

func (s *scanner) fail(p *Problem, format string, args ...any) *lineError {
	return &lineError{p, fmt.Sprintf(format, args...)}
}

// event reads line into e, which it overwrites.
func (s *scanner) event(line []byte, e *Event) *lineError {
	*e = Event{}
	s.b, s.i = line, 0
	if !s.take('{') {
		return s.fail(ErrSyntax, "column %d: want {", s.i+1)
	}
	var seen uint
	for first := true; ; first = false {
		if first && s.take('}') {
			break
		}
		if err := s.member(e, &seen); err != nil {
			return err
		}
		if s.take(',') {
			continue
		}
		if s.take('}') {
			break
		}
		return s.fail(ErrSyntax, "column %d: want , or }", s.i+1)
	}
	if s.space(); s.i < len(s.b) {
		return s.fail(ErrSyntax, "column %d: something follows the object", s.i+1)
	}
	const needed = 1<<0 | 1<<1 | 1<<2
	if seen&needed != needed {
		return s.fail(ErrSyntax, `it lacks one of "n", "t", "k"`)
	}
	return nil
}

// member reads one key and its value.
func (s *scanner) member(e *Event, seen *uint) *lineError {
	start := s.i
	key, err := s.raw()
	if err != nil {
		return err
	}
	field, number, text := field(e, key)
	if field < 0 {
		return s.fail(ErrUnknownKey, "%q", key)
	}
	if *seen&(1<<field) != 0 {
		return s.fail(ErrSyntax, "column %d: %q comes twice", start+1, key)
	}
	*seen |= 1 << field
	if !s.take(':') {
		return s.fail(ErrSyntax, "column %d: want :", s.i+1)
	}
	switch {
	case number != nil:
		*number, err = s.number()
	case text != nil:
		*text, err = s.text()
	case field == 0:
		var n int64
		n, err = s.number()
		e.Seq = int(n)
	case field == 2:
		e.Kind, err = s.kind()
	default:
		var n int64
		n, err = s.number()
		e.Section = int(n)
	}
	return err
}

// field finds a key's place in e: its number, which is -1 if there is no such
// key, and where its value goes if that is an int64 or a string.
func field(e *Event, key []byte) (int, *int64, *string) {
	switch string(key) {
	case "n":
		return 0, nil, nil
	case "t":
		return 1, &e.At, nil
	case "k":
		return 2, nil, nil
	case "c":
		return 3, nil, &e.Client
	case "s":
		return 4, nil, nil
	case "owner":
		return 5, nil, &e.Owner
	case "fence":
		return 6, &e.Fence, nil
	case "value":
		return 7, &e.Value, nil
	case "version":
		return 8, &e.Version, nil
	case "dur":
		return 9, &e.Dur, nil
	case "fault":
		return 10, nil, &e.Fault
	case "detail":
		return 11, nil, &e.Detail
	case "text":
		return 12, nil, &e.Text
	}
	return -1, nil, nil
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// take steps over c, after any space, if it is next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// number reads a whole number of 64 bits.
func (s *scanner) number() (int64, *lineError) {
	s.space()
	start := s.i
	negative := s.i < len(s.b) && s.b[s.i] == '-'
	if negative {
		s.i++
	}
	first := s.i
	var v uint64
	for ; s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9'; s.i++ {
		if v > math.MaxInt64/10 {
			return 0, s.fail(ErrSyntax, "column %d: number too large", start+1)
		}
		v = v*10 + uint64(s.b[s.i]-'0')
	}
	digits := s.i - first
	if digits == 0 || digits > 1 && s.b[first] == '0' || s.i < len(s.b) && (s.b[s.i]|0x20 == 'e' || s.b[s.i] == '.') {
		return 0, s.fail(ErrSyntax, "column %d: want a whole number", start+1)
	}
	switch {
	case negative && v <= math.MaxInt64+1:
		return int64(-v), nil
	case !negative && v <= math.MaxInt64:
		return int64(v), nil
	}
	return 0, s.fail(ErrSyntax, "column %d: number too large", start+1)
}

// raw reads a string and returns it decoded; it may lie in the line's memory.
func (s *scanner) raw() ([]byte, *lineError) {
	if !s.take('"') {
		return nil, s.fail(ErrSyntax, "column %d: want a string", s.i+1)
	}
	start := s.i
	for simple := true; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"' && simple:
			s.i++
			return s.b[start : s.i-1], nil
		case c == '"':
			s.i++
			return s.decode(start - 1)
		case c == '\\':
			simple = false
			s.i++
		case c < 0x20 || c >= 0x80:
			simple = false
		}
	}
	return nil, s.fail(ErrSyntax, "column %d: string without an end", start)
}

// decode leaves escapes and what is not ASCII to encoding/json.
func (s *scanner) decode(start int) ([]byte, *lineError) {
	var v string
	if err := json.Unmarshal(s.b[start:s.i], &v); err != nil {
		return nil, s.fail(ErrSyntax, "column %d: bad string", start+1)
	}
	return []byte(v), nil
}

// text reads a string that may be kept.
func (s *scanner) text() (string, *lineError) {
	b, err := s.raw()
	if err != nil {
		return "", err
	}
	if w, ok := s.words[string(b)]; ok {
		return w, nil
	}
	w := string(b)
	if len(w) <= 64 && len(s.words) < maxWords {
		s.words[w] = w
	}
	return w, nil
}

func (s *scanner) kind() (Kind, *lineError) {
	b, err := s.raw()
	if err != nil {
		return "", err
	}
	k, ok := byName[string(b)]
	if !ok {
		return "", s.fail(ErrUnknownKind, "%q", b)
	}
	return k, nil
}
