package runner

import (
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// A replay that differs is told without saying the same twice.
func TestReplayMismatchSaysNothingTwice(t *testing.T) {
	first := check.Violation{Property: "overlap", At: 1e9, Size: 5, Events: []int{1, 2}, Text: "A and B were both inside"}
	later, others, another := first, first, first
	later.At = 2e9
	others.Events = []int{1, 3}
	another.Text = "A and C were both inside"
	for _, tt := range []struct {
		name string
		got  check.Violation
		want string
	}{
		{"at another time", later, "shows the overlap at 2s, the first run at 1s: "},
		{"by other events", others, "shows the overlap by other events than the first run: "},
		{"another violation", another, `shows another overlap: "A and C were both inside" at 1s, the first run "A and B`},
		{"the same", first, ""},
	} {
		r := results.Strategy{FirstViolation: &results.FirstViolation{Seed: 7, Property: "overlap", Violation: first}}
		got := replayMismatch(r, &runSummary{Breaches: map[string]breach{"overlap": {First: tt.got}}}, false)
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") || strings.Count(got, first.Text) > 1 {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
