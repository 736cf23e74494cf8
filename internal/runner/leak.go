package runner

import (
	"strings"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/stack"
)

// leaked makes a finding of a goroutine that a lock left behind. The report
// only tells where it was started, so the run is repeated to have its stack.
func leaked(h bubble.Host, j engine.Job, r check.Report) []check.Finding {
	for _, v := range r.Violations {
		if v.Property != classLeak || !strings.HasPrefix(v.Text, "goroutine ") {
			continue
		}
		j.Record = true
		for _, e := range runSeed(h, j).Events {
			if e.Kind == history.Residue && e.Text != "" {
				return []check.Finding{{Class: classLeak, Detail: e.Detail, Stack: stack.Scrub(e.Text)}}
			}
		}
	}
	return nil
}
