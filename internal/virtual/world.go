package virtual

import (
	"errors"
	"fmt"
	"math/rand"
	"sync"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// lockKey is the key that every strategy locks.
const lockKey = "lock:item"

// errNoLock: a strategy's constructor gave neither a lock nor an error.
var errNoLock = errors.New("its constructor returned no lock and no error")

// world is one run: Redis, the network, the clients, the resource and what goes
// wrong. It lives in one bubble.
type world struct {
	scenario    *scenarios.Scenario
	strategy    strategy.Strategy
	seed        uint64
	needsToxics bool

	rec      *engine.Recorder
	redis    *redisServer
	resource *engine.Resource
	nemesis  *engine.Nemesis
	clients  []*process
	hands    []*hands
	stop     chan struct{} // closed when the run must end
}

func newWorld(j Job, h history.Header) (*world, error) {
	clock := engine.NewClock(1)
	w := &world{
		scenario:    j.Scenario,
		strategy:    j.Strategy,
		seed:        j.Seed,
		needsToxics: j.viaToxics || needsToxics(j.Scenario),
		rec:         engine.NewRecorder(clock, h, j.Record),
		stop:        make(chan struct{}),
	}
	// Toxiproxy's jitter and slicer, and locks that draw from the process-wide
	// generator, follow the seed too: one world at a time.
	rand.Seed(int64(engine.Generator(j.Seed, "process-wide").Uint64())) //lint:ignore SA1019 see the godebug line in go.mod
	var err error
	if w.redis, err = newRedisServer(lockKey, w.emit); err != nil {
		return nil, err
	}
	w.resource = engine.NewResource(clock, j.Scenario.Stock, j.Scenario.WriteTimeout, w.emit)
	for _, name := range h.Clients {
		p := newProcess(w, name)
		w.clients = append(w.clients, p)
		jitter := engine.Generator(w.seed, "lock "+name)
		var mu sync.Mutex
		l, err := j.Strategy.New(strategy.Env{
			Redis: p.rdb,
			Key:   lockKey,
			Owner: name,
			Lease: j.Scenario.Lease,
			Renew: j.Scenario.Renew,
			Cap:   j.Scenario.Cap,
			Jitter: func() float64 {
				mu.Lock()
				defer mu.Unlock()
				return jitter.Float64()
			},
		})
		if err == nil && l == nil {
			err = errNoLock
		}
		if err != nil {
			w.takeDown()
			return nil, fmt.Errorf("strategy %s: %w", j.Strategy.Name, err)
		}
		w.hands = append(w.hands, newHands(w, p, l))
	}
	w.nemesis = engine.NewNemesis(clock, faultWorld{w}, h.Clients, w.seed, j.Scenario.Faults, w.emit)
	w.rec.Notify = w.nemesis.Observe
	return w, nil
}

func (w *world) emit(e history.Event) { w.rec.Emit(e) }

// needsToxics reports whether any fault works on the network, so that
// connections must go through Toxiproxy's links.
func needsToxics(s *scenarios.Scenario) bool {
	for _, f := range s.Faults {
		if f.Spec.Name == "toxic" || f.Spec.Name == "partition" {
			return true
		}
	}
	return false
}

// crash kills a client.
func (w *world) crash(p *process) {
	w.emit(history.Event{Kind: history.Crashed, Client: p.Name})
	p.crash()
}
