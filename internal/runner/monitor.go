package runner

import (
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/stack"
	"github.com/lockchaos/simrun/internal/virtual"
)

// progressOf is a counter that grows with each virtual event.
var progressOf = virtual.Progress

// ticksToStall is in how many looks in a row nothing must have moved. Looks are
// counted, rather than time read, so that a process that was stopped and woken
// is not taken for a stall.
const ticksToStall = 10

// monitor watches the real clock beside the virtual one, from outside the
// bubble.
type monitor struct {
	tick  time.Duration
	alive func()
	stall func(seed uint64, f check.Finding)

	seed atomic.Uint64 // 0: between seeds
	runs atomic.Uint64 // grows with each begin and end
}

func newMonitor(bound time.Duration, alive func(), stall func(uint64, check.Finding)) *monitor {
	return &monitor{tick: bound / ticksToStall, alive: alive, stall: stall}
}

func (m *monitor) begin(seed uint64) { m.runs.Add(1); m.seed.Store(seed) }
func (m *monitor) end()              { m.seed.Store(0); m.runs.Add(1) }

// watch runs for the life of the process.
func (m *monitor) watch() {
	var last [2]uint64
	still := 0
	for range time.Tick(m.tick) {
		now := [2]uint64{m.runs.Load(), progressOf()}
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
		// A seed that ended while the stacks were taken did not stall.
		if m.seed.Load() == seed && m.runs.Load() == now[0] {
			m.stall(seed, classify(dump))
		}
		still = 0
	}
}
