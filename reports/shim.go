package reports

import (
	"github.com/lockchaos/simrun/reports/timeline"
	"github.com/lockchaos/simrun/sim/check"
	"github.com/lockchaos/simrun/sim/history"
)

// step is one step of a told violation.
type step struct {
	At   int64
	Seq  int
	Text string
	Key  bool
}

func tell(_ history.Header, events []history.Event, v check.Violation) []step {
	var out []step
	proof := map[int]bool{}
	for _, s := range v.Events {
		proof[s] = true
	}
	for i := range events {
		e := &events[i]
		if proof[e.Seq] {
			out = append(out, step{e.At, e.Seq, timeline.Text(e), true})
		}
	}
	return out
}

func brokenText(string) string { return "" }
