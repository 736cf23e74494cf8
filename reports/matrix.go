package reports

import (
	"strings"
	"unicode/utf8"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// letter stands for a property where there is no room for its name; it is empty
// for an unknown one.
func letter(property string) string {
	p, _ := check.Lookup(property)
	return p.Letter
}

// Letters of what is no known property.
const (
	letterOther   = "X"
	letterMisdeed = "!"
)

// marks are the letters of what one strategy did wrong.
func marks(s results.Strategy) string {
	var out string
	for _, p := range breached(s) {
		if l := letter(p); l != "" {
			out += l
		} else if !strings.Contains(out, letterOther) {
			out += letterOther
		}
	}
	if len(s.Findings) > 0 {
		out += letterMisdeed
	}
	return out
}

// markName says what a letter stands for.
type markName struct{ Letter, Name string }

// markNames explains the letters of properties that occur in r, in the order of properties.
func markNames(r results.Results) []markName {
	used := ""
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			used += marks(s)
		}
	}
	var out []markName
	add := func(letter, name string) {
		if letter != "" && strings.Contains(used, letter) {
			out = append(out, markName{letter, name})
		}
	}
	for _, p := range propertyOrder {
		add(letter(p), p)
	}
	add(letterOther, "another property")
	return out
}

// matrix writes scenarios against strategies, a sign a cell. Beside the sign
// stands what the lock broke: a lock that breaks as expected passes, and is
// still broken.
func (t *terminal) matrix(r results.Results) {
	cols := []column{{head: "scenario"}}
	names := strategyNames(r)
	for _, n := range names {
		cols = append(cols, column{head: oneLine(n)})
	}
	for _, sc := range r.Scenarios {
		cols[0].cells = append(cols[0].cells, cell{oneLine(sc.Name), plain})
		for i, n := range names {
			s, ok := findStrategy(sc, n)
			c := cell{"·", dim}
			if ok {
				c = sign(s.Verdict)
				if m := marks(s); m != "" {
					c.text += " " + m
				}
			}
			cols[i+1].cells = append(cols[i+1].cells, c)
		}
	}
	t.out.WriteString(layout(cols, 1, t.o.Width, t.s))
	t.line()
	signs := []string{"✓ as expected", "✗ not as expected", "? too little evidence"}
	if misbehaved(r) {
		signs = append(signs, letterMisdeed+" "+misbehavedText)
	}
	t.legend(signs)
	if used := markNames(r); len(used) > 0 {
		var parts []string
		for i, m := range used {
			part := m.Letter + " " + m.Name
			if i == 0 {
				part = "The lock broke: " + part
			}
			parts = append(parts, part)
		}
		t.legend(parts)
	}
	t.line()
}

// legend writes parts in as many lines as they need.
func (t *terminal) legend(parts []string) {
	const between = "   "
	line := ""
	for _, p := range parts {
		next := line + between + p
		if line == "" {
			next = p
		}
		if t.o.Width > 0 && line != "" && utf8.RuneCountInString(next) > t.o.Width {
			t.line(t.s.paint(dim, line))
			next = p
		}
		line = next
	}
	t.line(t.s.paint(dim, line))
}
