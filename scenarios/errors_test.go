package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const (
	head  = "name: x\nsummary: y\nwork: 1s\n"
	fault = head + "faults:\n  - "
)

// Each error is one line with its place, what is wrong and what to do about it. testdata/errors.txt holds the lines.
func TestErrors(t *testing.T) {
	tests := []struct {
		name, src string
		kind      error
	}{
		{"empty file", "", ErrMissing},
		{"only comments", "# nothing\n\n", ErrMissing},
		{"only a marker", "---\n", ErrMissing},
		{"a null", "~", ErrMissing},
		{"a word", "expiry", ErrValue},
		{"a list", "- name: x\n", ErrValue},
		{"too big", strings.Repeat("#\n", MaxSize/2+1), ErrTooBig},
		{"too many keys", strings.Repeat("a: b\n", MaxSize/5), ErrTooBig},
		{"NUL", "name: a\x00b\n", ErrSyntax},
		{"an ELF binary", "\x7fELF\x02\x01\x01\x00", ErrSyntax},
		{"invalid UTF-8", "name: x\nsummary: \xff\n", ErrSyntax},
		{"a terminal's control code", "name: \x1b[2J\n", ErrSyntax},
		{"a tab as indentation", "name: x\n\tsummary: y\n", ErrSyntax},
		{"an open bracket", "name: x\nclients: [1\n", ErrSyntax},
		{"an open brace", fault + "pause: {for: 40s, on: entered\n", ErrSyntax},
		{"an open brace before another fault", fault + "pause: {for: 40s, on: entered\n  - crash: {at: 1s}\n", ErrSyntax},
		{"an open brace before a key", fault + "pause: {for: 40s, on: entered\nclients: 3\n", ErrSyntax},
		{"a brace that a bracket closes", "name: {a: b]\n", ErrSyntax},
		{"a brace too many", "name: {a: b}}\n", ErrSyntax},
		{"a bracket too many", "]\n", ErrSyntax},
		{"no comma", fault + "pause: {for: \"40s\" on: entered}\n", ErrSyntax},
		{"an open quote", "name: 'x\n", ErrSyntax},
		{"an open quote in braces", "name: {a: 'x}\n", ErrSyntax},
		{"text after a quote", "summary: 'a' b\n", ErrSyntax},
		{"indented too little", head + "expect:\n    naive: {overlap: some}\n  token: {overlap: some}\n", ErrSyntax},
		{"indented too little in a fault", fault + "pause:\n      for: 1s\n     on: entered\n", ErrSyntax},
		{"indented too much", head + " clients: 3\n", ErrSyntax},
		{"indented too much in a fault", fault + "pause:\n      for: 1s\n       on: entered\n", ErrSyntax},
		{"dashes that do not align", head + "faults:\n  - noop: {at: 1s}\n - noop: {at: 1s}\n", ErrSyntax},
		{"a colon in a text", "name: x\nsummary: a pause, then: more\n", ErrSyntax},
		{"no colon", "name: x\nsummary y\nwork: 1s\n", ErrSyntax},
		{"no colon in the first line", "name x\nsummary: y\n", ErrSyntax},
		{"no space after a colon", "name:x\nsummary: y\n", ErrSyntax},
		{"a list on its key's line", "faults: - noop: {at: 1s}\n", ErrSyntax},
		{"a backslash", "summary: \"\\q\"\n", ErrSyntax},
		{"a character that YAML keeps for itself", "name: @x\n", ErrSyntax},
		{"two commas", "name: [a,,b]\n", ErrSyntax},
		{"two documents", head + "---\n" + head, ErrSyntax},
		{"an anchor", "name: &a x\n", ErrSyntax},
		{"an alias", "name: *a\n", ErrSyntax},
		{"a merge key", "<<: {name: x}\n", ErrSyntax},
		{"a tag", "name: !!str x\n", ErrSyntax},
		{"a directive", "%YAML 1.2\n---\nname: x\n", ErrSyntax},
		{"a complex key", "? name\n: x\n", ErrSyntax},
		{"a mapping as a key", "{a: b}: x\n", ErrSyntax},
		{"deep brackets", "name: " + strings.Repeat("[", 100_000) + "\n", ErrTooBig},
		{"deep dashes", strings.Repeat("- ", 100_000) + "\n", ErrTooBig},
		{"deep indentation", deepIndentation(100), ErrTooBig},

		{"duplicate key", head + "clients: 3\nclients: 4\n", ErrDuplicate},
		{"duplicate parameter", fault + "pause: {for: 1s, for: 2s, on: entered}\n", ErrDuplicate},
		{"duplicate strategy", head + "expect:\n  naive: {}\n  naive: {}\n", ErrDuplicate},
		{"no name", "summary: y\nwork: 1s\n", ErrMissing},
		{"no summary", "name: x\nwork: 1s\n", ErrMissing},
		{"no work", "name: x\nsummary: y\n", ErrMissing},
		{"misspelt key", "name: x\nsumary: y\n", ErrUnknown},
		{"key with an underscore", head + "write_timeout: 1s\n", ErrUnknown},
		{"unknown key", head + "colour: red\n", ErrUnknown},
		{"a name for no folder", "name: ../x\n", ErrValue},
		{"a name that is a list", "name: [x]\n", ErrValue},
		{"no text", "name: x\nsummary: ''\n", ErrValue},
		{"a long text", "name: x\nsummary: " + strings.Repeat("x", maxText+1) + "\n", ErrTooBig},

		{"no unit", "name: x\nsummary: y\nwork: 30\n", ErrValue},
		{"bad unit", "name: x\nsummary: y\nwork: 30sec\n", ErrValue},
		{"days", head + "lease: 1d\n", ErrValue},
		{"no number", head + "lease: soon\n", ErrValue},
		{"zero", head + "lease: 0s\n", ErrValue},
		{"negative", head + "wait: -5s\n", ErrValue},
		{"a thousand years", head + "limit: 8760000h\n", ErrValue},
		{"a lease of microseconds", head + "lease: 10us\n", ErrValue},
		{"a range where one value is due", head + "lease: 1s..2s\n", ErrValue},
		{"upside down", head + "think: 10s..5s\n", ErrValue},
		{"half a range", head + "think: 10s..\n", ErrValue},
		{"range with a bad unit", head + "think: 1s..5\n", ErrValue},
		{"no network latency", head + "network: 0s..1ms\n", ErrValue},
		{"a duration that is a mapping", head + "lease: {s: 30}\n", ErrValue},
		{"nothing", head + "lease:\n", ErrValue},

		{"no client", head + "clients: 0\n", ErrValue},
		{"too many clients", head + "clients: 65\n", ErrValue},
		{"half a client", head + "clients: 1.5\n", ErrValue},
		{"clients in words", head + "clients: three\n", ErrValue},
		{"a quoted number", head + "clients: '3'\n", ErrValue},
		{"no sections", head + "sections: 0\n", ErrValue},
		{"no stock", head + "stock: 0\n", ErrValue},
		{"a negative cap", head + "cap: -1\n", ErrValue},
		{"renewal too late", head + "lease: 10s\nrenew: 10s\n", ErrValue},
		{"too much evidence", head + "clients: 2\nsections: 2\nrequire: {sections: 5}\n", ErrValue},
		{"unknown evidence", head + "require: {section: 5}\n", ErrUnknown},
		{"unknown bound", head + "bounds: {stuk: 5s}\n", ErrUnknown},
		{"a property without a bound", head + "bounds: {overlap: 5s}\n", ErrUnknown},
		{"a bound of zero", head + "bounds: {stuck: 0s}\n", ErrValue},

		{"faults that are no list", head + "faults: {pause: {}}\n", ErrValue},
		{"too many faults", head + "faults:\n" + strings.Repeat("  - noop: {at: 1s}\n", maxFaults+1), ErrTooBig},
		{"a fault that is a word", fault + "pause\n", ErrValue},
		{"a fault without a name", fault + "{}\n", ErrMissing},
		{"a fault without parameters", fault + "pause:\n", ErrMissing},
		{"a fault with empty parameters", fault + "pause: {}\n", ErrMissing},
		{"a fault with a value", fault + "pause: 40s\n", ErrValue},
		{"misspelt fault", fault + "partion: {for: 1s, at: 1s}\n", ErrUnknown},
		{"unknown fault", fault + "meteor: {at: 1s}\n", ErrUnknown},
		{"two faults in one", fault + "pause: {for: 1s, at: 1s}\n    crash: {at: 1s}\n", ErrValue},
		{"parameters not indented", fault + "pause:\n    for: 1s\n", ErrValue},
		{"misspelt parameter", fault + "pause: {for: 1s, onn: entered}\n", ErrUnknown},
		{"another fault's parameter", fault + "pause: {for: 1s, at: 1s, by: 2s}\n", ErrUnknown},
		{"no duration", fault + "pause: {on: entered}\n", ErrMissing},
		{"a duration too many", fault + "crash: {on: entered, for: 1s}\n", ErrValue},
		{"no parameter", fault + "clock-jump: {at: 1s}\n", ErrMissing},
		{"no time", fault + "pause: {for: 1s}\n", ErrMissing},
		{"two times", fault + "pause: {for: 1s, at: 1s, on: entered}\n", ErrValue},
		{"after a time", fault + "pause: {for: 1s, at: 1s, after: 1s}\n", ErrValue},
		{"every time of a time", fault + "pause: {for: 1s, at: 1s, every: 2}\n", ErrValue},
		{"nth and every", fault + "pause: {for: 1s, on: entered, nth: 1, every: 2}\n", ErrValue},
		{"the zeroth", fault + "pause: {for: 1s, on: entered, nth: 0}\n", ErrValue},
		{"misspelt event", fault + "pause: {for: 1s, on: enterd}\n", ErrUnknown},
		{"unknown event", fault + "pause: {for: 1s, on: breakfast}\n", ErrUnknown},
		{"a pause of no time", fault + "pause: {for: 0s, on: entered}\n", ErrValue},
		{"a fault upside down", fault + "pause: {for: 40s..30s, on: entered}\n", ErrValue},
		{"a time before the run", fault + "crash: {at: -1s}\n", ErrValue},
		{"a client of a server's fault", fault + "clock-jump: {by: +1s, at: 1s, client: A}\n", ErrValue},
		{"unknown client", head + "clients: 2\nfaults:\n  - crash: {at: 1s, client: C}\n", ErrUnknown},
		{"a clock that does not jump", fault + "clock-jump: {by: 0s, at: 1s}\n", ErrValue},
		{"a write delayed into the past", fault + "delayed-write: {by: -1s, at: 1s}\n", ErrValue},
		{"a rate that is a word", fault + "clock-rate: {rate: fast, for: 1s, at: 1s}\n", ErrValue},
		{"an infinite rate", fault + "clock-rate: {rate: .inf, for: 1s, at: 1s}\n", ErrValue},
		{"a rate that is huge", fault + "clock-rate: {rate: 1e9, for: 1s, at: 1s}\n", ErrValue},
		{"unknown direction", fault + "partition: {direction: up, for: 1s, at: 1s}\n", ErrUnknown},
		{"unknown mode", fault + "partition: {mode: dropp, for: 1s, at: 1s}\n", ErrUnknown},
		{"no toxic", fault + "toxic: {for: 1s, at: 1s}\n", ErrMissing},
		{"misspelt toxic", fault + "toxic: {type: slow-close, for: 1s, at: 1s}\n", ErrUnknown},
		{"misspelt attribute", fault + "toxic: {type: latency, attributes: {latncy: 1}, for: 1s, at: 1s}\n", ErrUnknown},
		{"another toxic's attribute", fault + "toxic: {type: latency, attributes: {rate: 1}, for: 1s, at: 1s}\n", ErrUnknown},
		{"a negative attribute", fault + "toxic: {type: latency, attributes: {latency: -1}, for: 1s, at: 1s}\n", ErrValue},
		{"an attribute with a unit", fault + "toxic: {type: latency, attributes: {latency: 1ms}, for: 1s, at: 1s}\n", ErrValue},
		{"attributes as a list", fault + "toxic: {type: latency, attributes: [1], for: 1s, at: 1s}\n", ErrValue},
		{"a missing attribute", fault + "toxic: {type: bandwidth, for: 1s, at: 1s}\n", ErrValue},
		{"more than certain", fault + "toxic: {type: latency, toxicity: 2, for: 1s, at: 1s}\n", ErrValue},

		{"expectations as a list", head + "expect: [naive]\n", ErrValue},
		{"a strategy without expectations", head + "expect:\n  naive:\n", ErrValue},
		{"misspelt property", head + "expect:\n  naive: {overlp: some}\n", ErrUnknown},
		{"unknown property", head + "expect:\n  naive: {beauty: some}\n", ErrUnknown},
		{"misspelt expectation", head + "expect:\n  naive: {overlap: evry}\n", ErrUnknown},
		{"unknown expectation", head + "expect:\n  naive: {overlap: 3}\n", ErrUnknown},
	}
	place := regexp.MustCompile(`^f\.yaml:[1-9][0-9]*:[1-9][0-9]*: .`)
	var lines strings.Builder
	for _, tt := range tests {
		s, err := Parse("f.yaml", []byte(tt.src))
		if err == nil {
			t.Errorf("%s: read as %+v", tt.name, s)
			continue
		}
		if s != nil {
			t.Errorf("%s: a scenario beside an error", tt.name)
		}
		if !errors.Is(err, tt.kind) {
			t.Errorf("%s: %v is not of kind %q", tt.name, err, tt.kind)
		}
		if text := err.Error(); !place.MatchString(text) || strings.ContainsAny(text, "\n\t") || len(text) > 300 {
			t.Errorf("%s: %q is not one short line with a place", tt.name, text)
		}
		fmt.Fprintf(&lines, "%s\n    %v\n", tt.name, err)
	}
	golden(t, "errors.txt", lines.String())
}

func deepIndentation(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
