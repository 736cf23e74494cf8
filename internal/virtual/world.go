package virtual

import (
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/stack"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// world is one run: Redis, the network, the clients, the resource and what goes
// wrong. It lives in one bubble.
type world struct {
	scenario *scenarios.Scenario
	strategy strategy.Strategy

	rec      *engine.Recorder
	redis    *redisServer
	resource *engine.Resource
	nemesis  *engine.Nemesis
	clients  []*process
	drivers  []*driver
	stop     chan struct{} // closed when the run must end
}

// emit records an event. The stack and the message of a finding may hold addresses,
// which differ from run to run.
func (w *world) emit(e history.Event) {
	if e.Kind == history.Finding {
		e.Text = stack.Scrub(e.Text)
	}
	w.rec.Emit(e)
}

// crash kills a client.
func (w *world) crash(p *process) {
	w.emit(history.Event{Kind: history.Crashed, Client: p.Name})
	p.crash()
}

const (
	// takingDown lets goroutines of closed connections end.
	takingDown = 10 * time.Second
	// mostTakingDown bounds how long toxics may take for that.
	mostTakingDown = time.Hour
)

// takeDown closes all connections and waits for their goroutines to end, and for
// slow toxics to deliver what is in flight.
func (w *world) takeDown() {
	for _, p := range w.clients {
		_ = p.rdb.Close()
	}
	w.redis.watch.Stop()
	w.redis.mini.Mini.Close()
	for end := time.Now().Add(mostTakingDown); ; {
		time.Sleep(takingDown)
		if w.toxicsSettled() || time.Now().After(end) {
			return
		}
	}
}

func (w *world) toxicsSettled() bool {
	return !slices.ContainsFunc(w.clients, func(p *process) bool { return p.toxics != nil && p.toxics.open.Load() > 0 })
}
