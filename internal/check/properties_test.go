package check

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// TestProperties judges the histories of testdata/properties/NAME.txt. A file is a
// list of cases: "# what happens", a history as [script] reads it, and "=> " before
// each violation of NAME in it, or "=> kept". After a first line "tell", it is
// instead the steps of the story of its first violation, with "*" after a proof.
func TestProperties(t *testing.T) {
	for _, p := range Properties {
		t.Run(p.Name, func(t *testing.T) {
			path := filepath.Join("testdata", "properties", p.Name+".txt")
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v: write its cases (README.md, step 3)", err)
			}
			var out strings.Builder
			breaches, kept, told := 0, 0, 0
			for _, c := range splitCases(t, string(file)) {
				got := judgeCase(t, p, c)
				switch {
				case c.tell:
					told++
				case got == "=> kept\n":
					kept++
				default:
					breaches++
				}
				out.WriteString("# " + c.name + "\n" + c.history + got + "\n")
				if *update {
					continue
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", c.name, d)
				}
			}
			if breaches == 0 || kept == 0 || told == 0 {
				t.Errorf("%s has %d breaches, %d near misses and %d cases that begin with \"tell\": write at least one of each", path, breaches, kept, told)
			}
			if *update {
				if err := os.WriteFile(path, []byte(strings.TrimSuffix(out.String(), "\n")), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// judgeCase lists the violations of p, or the story of the first. A judge of all properties and one of p
// alone must find the same.
func judgeCase(t *testing.T, p Property, c testCase) string {
	t.Helper()
	h, events := script(t, strings.TrimPrefix(c.history, "tell\n"))
	var out string
	var found []Violation
	for _, v := range All(h, events).Violations {
		if v.Property == p.Name {
			out += "=> " + v.line() + "\n"
			found = append(found, v)
		}
	}
	alone := newJudge(h, p)
	for i := range events {
		alone.Event(&events[i])
	}
	own := alone.Report().Violations
	if d := cmp.Diff(found, own); d != "" {
		t.Errorf("a judge of all properties finds another %s than one of it alone (-all +alone):\n%s", p.Name, d)
	}
	if !slices.IsSortedFunc(own, func(a, b Violation) int { return int(a.At - b.At) }) {
		t.Errorf("%s: violations are not in the order of At: %v", p.Name, own)
	}
	switch {
	case c.tell && len(own) == 0:
		t.Errorf("%s: no violation of %s to tell", c.name, p.Name)
	case c.tell:
		return story(Narrate(h, events, found[0]))
	case out == "":
		return "=> kept\n"
	}
	return out
}

func story(steps []Step) (out string) {
	for i, s := range steps {
		mark := ""
		if s.Key {
			mark = " *"
		}
		out += fmt.Sprintf("=> %d. %.3f s  %s%s\n", i+1, float64(s.At)/1e9, s.Text, mark)
	}
	return out
}

type testCase struct {
	name, history, want string
	tell                bool
}

func splitCases(t *testing.T, file string) []testCase {
	t.Helper()
	var cases []testCase
	for line := range strings.Lines(file) {
		name, isName := strings.CutPrefix(line, "# ")
		switch {
		case isName:
			cases = append(cases, testCase{name: strings.TrimSpace(name)})
		case strings.TrimSpace(line) == "":
		case len(cases) == 0:
			t.Fatalf("line %q comes before the first case", line)
		case strings.HasPrefix(line, "=> "):
			cases[len(cases)-1].want += line
		default:
			c := &cases[len(cases)-1]
			c.tell = c.tell || line == "tell\n"
			c.history += line
		}
	}
	return cases
}
