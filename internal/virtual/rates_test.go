package virtual_test

import (
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
)

// When two rates of Redis's clock overlap, the end of the first leaves the second in
// force: leases still end too early.
func TestTheEndOfOneClockRateLeavesTheOther(t *testing.T) {
	s := scenario(t, `
name: rates
summary: Redis's clock runs fast, twice.
clients: 1
sections: 5
lease: 3s
work: 2s
faults:
  - clock-rate: {rate: 100, at: 1s, for: 3s}
  - clock-rate: {rate: 100, at: 2s, for: 60s}
expect: {naive: {leak: none}}`)
	st, _ := strategy.Lookup("naive")
	out := virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: 1, Record: true})
	for _, e := range out.Events {
		if e.Kind == history.Expired && time.Duration(e.At) > 5*time.Second {
			return
		}
	}
	t.Error("no lease ended too early once the first rate was over")
}
