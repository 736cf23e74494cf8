package engine

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/history"
)

// Nemesis injects a scenario's faults, at their time or on an event.
type Nemesis struct {
	clock   Clock
	world   chaos.World
	clients []string
	emit    func(history.Event)

	mu     sync.Mutex
	armed  []*armedFault
	timers []*time.Timer
	active []*activeFault // in the order of firing
	ended  bool
}

// activeFault is a fault that has fired and not ended.
type activeFault struct {
	fault, client string
	end           func()
}

// armedFault is a planned fault with its own generator and its count of events.
type armedFault struct {
	plan    chaos.Plan
	stagger time.Duration // keeps it from the instants of other faults
	rng     *rand.Rand    // under the nemesis's mutex
	seen    int
}

// NewNemesis arms the faults of a scenario.
func NewNemesis(c Clock, w chaos.World, clients []string, seed uint64, plans []chaos.Plan, emit func(history.Event)) *Nemesis {
	n := &Nemesis{clock: c, world: w, clients: clients, emit: emit}
	for i, p := range plans {
		n.armed = append(n.armed, &armedFault{
			plan: p, stagger: time.Duration(2*i+1) * 131 * time.Nanosecond, rng: Generator(seed, "fault "+p.ID),
		})
	}
	return n
}

// Begin prepares the faults and schedules those that fire at a time. Call it before
// any client begins.
func (n *Nemesis) Begin() {
	for _, f := range n.armed {
		// A fault that cannot be prepared cannot fire, and the history says so.
		if p, needs := f.plan.Fault.(chaos.Preparer); needs {
			if err := p.Prepare(n.world); err != nil {
				n.emit(history.Event{Kind: history.Unfired, Fault: f.plan.ID, Detail: err.Error()})
			}
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.armed {
		if f.plan.At != nil {
			target := f.plan.Client
			if target == "any" {
				target = n.clients[f.rng.IntN(len(n.clients))]
			}
			n.after(Draw(f.rng, *f.plan.At)+f.stagger, n.injection(f, target))
		}
	}
}

// Observe shows an event to the faults that wait for its kind.
func (n *Nemesis) Observe(e *history.Event) {
	n.mu.Lock()
	if n.ended {
		n.mu.Unlock()
		return
	}
	var now []func()
	for _, f := range n.armed {
		target, hit := f.hit(e)
		if !hit {
			continue
		}
		inject := n.injection(f, target)
		wait := Draw(f.rng, f.plan.After)
		if wait > 0 || !f.plan.Spec.Target {
			// A fault of the server comes between two commands, not during the one
			// that caused the event.
			n.after(wait+f.stagger, inject)
		} else {
			now = append(now, inject)
		}
	}
	n.mu.Unlock()
	for _, inject := range now {
		inject()
	}
}

// hit reports whether the event makes the fault fire, and on which client.
func (f *armedFault) hit(e *history.Event) (target string, ok bool) {
	if f.plan.On != string(e.Kind) {
		return "", false
	}
	who := e.Client
	if who == "" {
		who = e.Owner
	}
	switch f.plan.Client {
	case "any", "":
		if f.plan.Spec.Target && who == "" {
			return "", false
		}
	case "all":
		who = "all"
	default:
		if who != f.plan.Client {
			return "", false
		}
	}
	f.seen++
	if f.plan.Every > 0 {
		return who, f.seen%f.plan.Every == 0
	}
	return who, f.seen == max(f.plan.Nth, 1)
}

// after calls f later, unless the run has ended by then. The mutex is held.
func (n *Nemesis) after(d time.Duration, f func()) {
	if !n.ended {
		n.timers = append(n.timers, n.clock.AfterFunc(d, f))
	}
}

// injection draws how long the fault lasts and returns what injects it. The mutex
// is held.
func (n *Nemesis) injection(f *armedFault, target string) func() {
	length := Draw(f.rng, f.plan.For)
	if length > 0 {
		length += f.stagger + 139*time.Nanosecond
	}
	return func() {
		switch {
		case !f.plan.Spec.Target:
			n.inject(f.plan, "", length)
		case target == "all":
			for i, c := range n.clients { // whose faults end at different instants
				n.inject(f.plan, c, length+time.Duration(i)*50*time.Microsecond)
			}
		default:
			n.inject(f.plan, target, length)
		}
	}
}

// inject injects a fault into one client, and schedules its end.
func (n *Nemesis) inject(p chaos.Plan, client string, length time.Duration) {
	fired := func(proof string) {
		e := history.Event{Kind: history.Fired, Client: client, Fault: p.ID, Detail: proof}
		if p.Spec.Lasts {
			e.Dur = int64(length)
		}
		n.emit(e)
	}
	end, err := p.Fault.Inject(n.world, client, fired)
	if err != nil {
		n.emit(history.Event{Kind: history.Unfired, Client: client, Fault: p.ID, Detail: err.Error()})
		return
	}
	if end == nil {
		return
	}
	l := &activeFault{fault: p.ID, client: client, end: end}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.active = append(n.active, l)
	n.after(length, func() { n.finish(l) })
}

// finish ends a fault, once.
func (n *Nemesis) finish(l *activeFault) {
	n.mu.Lock()
	at := slices.Index(n.active, l)
	if at >= 0 {
		n.active = slices.Delete(n.active, at, at+1)
	}
	n.mu.Unlock()
	if at >= 0 {
		n.emit(history.Event{Kind: history.Over, Client: l.client, Fault: l.fault})
		l.end()
	}
}

// Stop cancels the faults that have not fired and ends the active ones, in the order
// of firing. It reports whether there were any.
func (n *Nemesis) Stop() bool {
	n.mu.Lock()
	n.ended = true
	for _, t := range n.timers {
		t.Stop()
	}
	active := slices.Clone(n.active)
	n.mu.Unlock()
	for _, l := range active {
		n.finish(l)
	}
	return len(active) > 0
}
