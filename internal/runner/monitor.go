package runner

import (
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/stack"
)

// ticksToStall is the number of ticks without progress that make a stall. Ticks are
// counted, rather than the clock read, so that a process that was stopped for a
// while is not taken for one.
const ticksToStall = 10

// monitor compares progress in virtual time with the real clock, from outside the
// bubble.
type monitor struct {
	bound time.Duration // real time without progress that makes a stall
	alive func()        // called after progress
	stall func(seed uint64, f check.Finding)

	seed atomic.Uint64 // 0: between seeds
	runs atomic.Uint64 // grows with each begin and end
}

func (m *monitor) begin(seed uint64) { m.runs.Add(1); m.seed.Store(seed) }
func (m *monitor) end()              { m.seed.Store(0); m.runs.Add(1) }

// watch runs for the life of the process.
func (m *monitor) watch() {
	var last [2]uint64
	still := 0
	for range time.Tick(m.bound / ticksToStall) {
		now := [2]uint64{m.runs.Load(), engine.Progress()}
		seed := m.seed.Load()
		switch {
		case seed == 0:
			still = 0
		case now != last:
			still = 0
			m.alive()
		default:
			still++
		}
		last = now
		if still < ticksToStall {
			continue
		}
		dump := stack.All()
		// A seed that ended while the stacks were read did not stall.
		if m.seed.Load() == seed && m.runs.Load() == now[0] {
			m.stall(seed, classify(dump))
		}
		still = 0
	}
}
