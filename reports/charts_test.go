package reports

import (
	"bytes"
	"image/png"
	"math"
	"path"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
)

// Odd results must still give a picture: a chart that fails would hide what
// else was found.
func TestChartsOfOddResults(t *testing.T) {
	many := results.Scenario{Name: "many"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		s := results.Strategy{Name: name, Violations: map[string]results.Breach{}}
		for i, p := range check.Properties {
			s.Violations[p.Name] = results.Breach{Count: i * 1000}
		}
		many.Strategies = append(many.Strategies, s)
	}
	for name, sc := range map[string]results.Scenario{
		"no strategies": {Name: "x"},
		"odd numbers": {Name: "x", Strategies: []results.Strategy{
			{Name: "no runs"},
			{Name: "no waits", WaitCDF: make([]float64, 101)},
			{Name: "odd waits", WaitCDF: []float64{math.NaN(), math.Inf(1), -1, 1e300}},
			{Name: "more lost than inside", InsideMS: 1, LostMS: 5},
		}},
		"many": many,
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range outputs(t.TempDir(), Results{Scenarios: []results.Scenario{sc}}, nil) {
				if c.write == nil || path.Ext(c.name) != ".png" {
					continue
				}
				var out bytes.Buffer
				if err := c.write(&out); err != nil {
					t.Errorf("%s: %v", c.name, err)
				} else if _, err := png.DecodeConfig(&out); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		})
	}
}

func TestTimelineOfOddHistories(t *testing.T) {
	one := []history.Event{{Seq: 1, At: 5, Kind: history.End}}
	for name, tc := range map[string]struct {
		events []history.Event
		v      check.Violation
	}{
		"no events":      {nil, check.Violation{}},
		"one event":      {one, check.Violation{Events: []int{1}}},
		"foreign proofs": {one, check.Violation{At: 1e12, Events: []int{77}}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := writePNG(&out, timelineChart(newEvidence(history.Header{}, tc.events, &tc.v))); err != nil {
				t.Error(err)
			}
		})
	}
}

// An even axis where the waits are near each other, one by powers of ten where
// they are not.
func TestWaitAxis(t *testing.T) {
	waits := func(ms ...float64) []results.Strategy { return []results.Strategy{{WaitCDF: ms}} }
	for name, tc := range map[string]struct {
		in  []results.Strategy
		log bool
	}{
		"even":       {waits(0, 10_000, 30_000, 45_000), false},
		"far apart":  {waits(1, 2, 3, 90_000), true},
		"all zero":   {waits(0, 0), false},
		"none":       {nil, false},
		"just under": {waits(1, 5, 29), false},
	} {
		t.Run(name, func(t *testing.T) {
			ax := newWaitAxis(tc.in)
			if ax.log != tc.log {
				t.Errorf("log is %v, want %v", ax.log, tc.log)
			}
			if n := len(ax.ticks()); n < 2 || n > 12 {
				t.Errorf("%d ticks: %v", n, ax.ticks())
			}
			for _, ms := range []float64{0, 1, 1e9} {
				if p := ax.place(ms); p < 0 || p > 1 || math.IsNaN(p) {
					t.Errorf("place(%v) is %v", ms, p)
				}
			}
		})
	}
}
