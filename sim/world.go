package sim

import (
	"fmt"
	"math/rand"
	"sync"
	"time"

	"github.com/lockchaos/simrun/scenarios"
	"github.com/lockchaos/simrun/sim/history"
)

// lockKey is the key that every strategy locks.
const lockKey = "lock:item"

// world is one run: Redis, the network, the clients, the resource and what goes
// wrong. It lives in one bubble.
type world struct {
	scenario    *scenarios.Scenario
	strategy    Strategy
	seed        uint64
	needsToxics bool

	rec      *recorder
	redis    *redisServer
	resource *resource
	nemesis  *nemesis
	clients  []*process
	workers  []*worker
	stop     chan struct{} // closed when the run must end

	mu     sync.Mutex
	delays map[string]delay // client → what holds up its next write
}

// delay holds up one write.
type delay struct {
	by    time.Duration
	fired func(proof string)
}

func newWorld(j Job, h history.Header) (*world, error) {
	w := &world{
		scenario:    j.Scenario,
		strategy:    j.Strategy,
		seed:        j.Seed,
		needsToxics: j.viaToxics || needsToxics(j.Scenario),
		rec:         newRecorder(h, j.Record),
		stop:        make(chan struct{}),
		delays:      map[string]delay{},
	}
	// Toxiproxy's jitter and slicer, and locks that draw from the process-wide
	// generator, follow the seed too: one world at a time.
	rand.Seed(int64(mix(j.Seed))) //lint:ignore SA1019 see the godebug line in go.mod
	var err error
	if w.redis, err = newRedisServer(lockKey, w.emit); err != nil {
		return nil, err
	}
	w.resource = &resource{w: w, stock: j.Scenario.Stock}
	for _, name := range h.Clients {
		p := newProcess(w, name)
		jitter := generator(w.seed, "lock "+name)
		var mu sync.Mutex
		l, err := j.Strategy.New(Env{
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
		if err != nil {
			return nil, fmt.Errorf("strategy %s: %w", j.Strategy.Name, err)
		}
		w.clients = append(w.clients, p)
		w.workers = append(w.workers, newWorker(w, p, l))
	}
	w.nemesis = newNemesis(faultWorld{w}, h.Clients, w.seed, j.Scenario.Faults, w.emit)
	w.rec.notify = w.nemesis.observe
	return w, nil
}

func (w *world) emit(e history.Event) { w.rec.emit(e) }

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

func (w *world) stopped() bool { return closed(w.stop) }

// crash kills a client.
func (w *world) crash(p *process) {
	w.emit(history.Event{Kind: history.Crashed, Client: p.name})
	p.crash()
}

// takeDelay is how long the client's next write is held up.
func (w *world) takeDelay(client string) time.Duration {
	w.mu.Lock()
	d, ok := w.delays[client]
	delete(w.delays, client)
	w.mu.Unlock()
	if !ok {
		return 0
	}
	d.fired(fmt.Sprintf("write of %s is in the network for %v", client, d.by))
	return d.by
}
