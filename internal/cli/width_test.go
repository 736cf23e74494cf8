package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/reports"
)

// No line of a report is wider than the terminal, whatever was run.
func TestTerminalFits(t *testing.T) {
	dir := t.TempDir()
	Main([]string{"-scenario", "all", "-seeds", "2", "-out", dir, "-q"}, io.Discard, io.Discard)
	all, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range all.Scenarios { // as wide as hundreds of seeds make it
		for _, s := range sc.Strategies {
			for name, b := range s.Violations {
				b.Count, b.Runs = 100*b.Count, 50*b.Runs
				s.Violations[name] = b
			}
		}
	}
	only := func(name string) (r results.Results) {
		for _, sc := range all.Scenarios {
			if sc.Name == name {
				r.Scenarios = append(r.Scenarios, sc)
			}
		}
		return r
	}
	for name, r := range map[string]results.Results{"all": all, "expiry": only("expiry"), "flash-sale": only("flash-sale")} {
		for _, width := range []int{80, 60} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				var out bytes.Buffer
				if err := reports.Terminal(&out, r, reports.TerminalOptions{Width: width, Details: true, Dir: "results/latest"}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(out.String()) {
					if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
						t.Errorf("%d columns: %s", n, line)
					}
				}
				if strings.Count(out.String(), "strategy  guarantee") != len(r.Scenarios) {
					t.Error("a table is not in one piece")
				}
			})
		}
	}
}
