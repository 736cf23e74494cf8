package engine

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/history"
)

// Nemesis lets a scenario's faults fire: at their time, or on an event.
type Nemesis struct {
	clock   Clock
	world   chaos.World
	clients []string
	emit    func(history.Event)

	mu     sync.Mutex
	armed  []*armedFault
	timers []*time.Timer
	lasts  []*lasting // faults that have not ended
	ended  bool
}

// lasting is a fault that has fired and not ended.
type lasting struct {
	fault, client string
	end           func()
}

// armedFault is a planned fault with its own generator and its count of events.
type armedFault struct {
	plan  chaos.Plan
	apart time.Duration // from the other faults, however alike their times are
	rng   *rand.Rand    // under the nemesis's mutex
	seen  int
}

// NewNemesis arms the faults of a scenario.
func NewNemesis(c Clock, w chaos.World, clients []string, seed uint64, plans []chaos.Plan, emit func(history.Event)) *Nemesis {
	n := &Nemesis{clock: c, world: w, clients: clients, emit: emit}
	for i, p := range plans {
		n.armed = append(n.armed, &armedFault{
			plan: p, apart: time.Duration(2*i+1) * 131 * time.Nanosecond, rng: Generator(seed, "fault "+p.ID),
		})
	}
	return n
}

// Begin gives the faults what they need, and starts those that fire at a time.
// Call it before any client begins.
func (n *Nemesis) Begin() {
	n.prepare()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.armed {
		if f.plan.At != nil {
			target := f.plan.Client
			if target == "any" {
				target = n.clients[f.rng.IntN(len(n.clients))]
			}
			n.after(Draw(f.rng, *f.plan.At)+f.apart, n.shot(f, target))
		}
	}
}

// prepare asks the world for what faults need of it. A fault that does not get
// it cannot fire, and the history says so.
func (n *Nemesis) prepare() {
	for _, f := range n.armed {
		p, needs := f.plan.Fault.(chaos.Preparer)
		if !needs {
			continue
		}
		if err := p.Prepare(n.world); err != nil {
			n.emit(history.Event{Kind: history.Unfired, Fault: f.plan.ID, Detail: err.Error()})
		}
	}
}

// Observe lets the faults that wait for an event of this kind see it.
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
		shot := n.shot(f, target)
		wait := Draw(f.rng, f.plan.After)
		if wait > 0 || !f.plan.Spec.Target {
			// What befalls the server comes between two commands, not in the midst
			// of the one that the event tells of.
			n.after(wait+f.apart, shot)
		} else {
			now = append(now, shot)
		}
	}
	n.mu.Unlock()
	for _, shot := range now {
		shot()
	}
}

// hit reports whether the event makes the fault fire, and on whom.
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

// shot draws how long the fault lasts and returns what makes it happen. The
// mutex is held.
func (n *Nemesis) shot(f *armedFault, target string) func() {
	last := Draw(f.rng, f.plan.For)
	if last > 0 {
		last += f.apart + 139*time.Nanosecond
	}
	return func() {
		switch {
		case !f.plan.Spec.Target:
			n.inject(f.plan, "", last)
		case target == "all":
			for i, c := range n.clients {
				n.inject(f.plan, c, last+time.Duration(i)*staggered)
			}
		default:
			n.inject(f.plan, target, last)
		}
	}
}

// staggered is how far apart a fault of all clients ends for one and the next.
const staggered = 50 * time.Microsecond

// inject makes a fault happen to one client and ends it in time.
func (n *Nemesis) inject(p chaos.Plan, client string, last time.Duration) {
	fired := func(proof string) {
		e := history.Event{Kind: history.Fired, Client: client, Fault: p.ID, Detail: proof}
		if p.Spec.Lasts {
			e.Dur = int64(last)
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
	l := &lasting{fault: p.ID, client: client, end: end}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lasts = append(n.lasts, l)
	n.after(last, func() { n.finish(l) })
}

// finish ends a fault, once.
func (n *Nemesis) finish(l *lasting) {
	n.mu.Lock()
	at := slices.Index(n.lasts, l)
	if at >= 0 {
		n.lasts = slices.Delete(n.lasts, at, at+1)
	}
	n.mu.Unlock()
	if at >= 0 {
		n.emit(history.Event{Kind: history.Over, Client: l.client, Fault: l.fault})
		l.end()
	}
}

// Stop calls off what has not fired and ends what has, in the order of firing. It
// reports whether there was anything to end.
func (n *Nemesis) Stop() bool {
	n.mu.Lock()
	n.ended = true
	for _, t := range n.timers {
		t.Stop()
	}
	lasts := slices.Clone(n.lasts)
	n.mu.Unlock()
	for _, l := range lasts {
		n.finish(l)
	}
	return len(lasts) > 0
}
