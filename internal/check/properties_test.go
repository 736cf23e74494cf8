package check

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// TestProperties judges the histories of testdata/properties/NAME.txt. A file
// is a row of cases: "# what happens", a history as [script] reads it, and
// "=> " before each violation of NAME that it holds, or "=> kept".
func TestProperties(t *testing.T) {
	for _, p := range Properties {
		t.Run(p.Name, func(t *testing.T) {
			path := filepath.Join("testdata", "properties", p.Name+".txt")
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			breaches, kept := 0, 0
			for _, c := range splitCases(t, string(file)) {
				got := judgeCase(t, p, c.history)
				if got == "=> kept\n" {
					kept++
				} else {
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
			if breaches == 0 || kept == 0 {
				t.Errorf("%d breaches and %d near misses: want some of each", breaches, kept)
			}
			if *update {
				if err := os.WriteFile(path, []byte(strings.TrimSuffix(out.String(), "\n")), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// judgeCase lists the violations of p. A judge of all properties and one of p
// alone must find the same.
func judgeCase(t *testing.T, p Property, text string) string {
	t.Helper()
	h, events := script(t, text)
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
	if out == "" {
		return "=> kept\n"
	}
	return out
}

type testCase struct{ name, history, want string }

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
			cases[len(cases)-1].history += line
		}
	}
	return cases
}
