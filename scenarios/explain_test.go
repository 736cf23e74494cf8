package scenarios

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExplain(t *testing.T) {
	for _, name := range []string{"expiry", "gc-pause", "slow-replies", "clock-back"} {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "explain/"+name+".txt", Explain(s))
	}
}

// A scenario with only the required keys can be explained, too.
func TestExplainLeast(t *testing.T) {
	s, err := Parse("least.yaml", []byte("name: least\nsummary: Nothing.\nwork: 1s\n"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "explain/least.txt", Explain(s))
}

// No line is too wide for a terminal, and none has spaces at its end.
func TestExplainLines(t *testing.T) {
	for _, s := range Builtin() {
		for line := range strings.Lines(Explain(s)) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > textWidth || strings.TrimRight(line, " ") != line {
				t.Errorf("%s: line %q", s.Name, line)
			}
		}
	}
}
