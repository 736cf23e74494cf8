package virtual

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/stack"
)

// reportBlocked records which clients never returned from a call into the lock.
func (w *world) reportBlocked() {
	goroutines := bubbleGoroutines()
	for _, d := range w.drivers {
		if d.call() == "" || !d.p.Alive() {
			continue
		}
		e := history.Event{Kind: history.Finding, Client: d.p.Name, Section: d.actor.Section(), Detail: "blocked"}
		e.Text = fmt.Sprintf("%s of client %s did not return, though its context ended long ago", d.call(), d.p.Name)
		for _, g := range goroutines {
			if g.Calls(d.run) {
				e.Text += "\n\n" + g.Text
			}
		}
		w.emit(e)
	}
}

// reportBypass records that a lock has dialled by itself: it has failed at the
// unreachable address, or Acquire has returned though no client has opened a
// connection. Whatever the locks talked to, it was not this Redis.
func (w *world) reportBypass() {
	var bypassed, returned, dialed bool
	for _, d := range w.drivers {
		bypassed = bypassed || d.bypassed.Load()
		returned = returned || d.returned.Load()
		dialed = dialed || d.p.dialed.Load() > 0
	}
	if bypassed || returned && !dialed {
		w.emit(history.Event{
			Kind: history.Finding, Detail: "broken",
			Text: "the lock did not dial through its environment: use Env.Redis, or dial with Env.Redis.Options().Dialer",
		})
	}
}

// reportLeftovers records what the clients' locks left behind: subscriptions,
// keys that never expire, goroutines.
func (w *world) reportLeftovers() {
	m := w.redis.mini.Mini
	channels := m.PubSubChannels("*")
	slices.Sort(channels)
	for _, c := range channels {
		w.emit(history.Event{Kind: history.Residue, Detail: "subscription to " + c + " is still there"})
	}
	if n := m.PubSubNumPat(); n > 0 {
		w.emit(history.Event{Kind: history.Residue, Detail: fmt.Sprintf("%d pattern subscriptions are still there", n)})
	}
	var keeps []string
	if w.strategy.Keeps != nil {
		keeps = w.strategy.Keeps(lockKey)
	}
	for _, k := range m.Keys() {
		if m.TTL(k) == 0 && !slices.Contains(keeps, k) {
			w.emit(history.Event{Kind: history.Residue, Detail: "key " + k + " is left without expiry"})
		}
	}
	for _, p := range w.clients {
		if !p.Alive() {
			return // its goroutines could only end with a process of their own
		}
	}
	left := lockGoroutines()
	if len(left) > 0 { // what Close has told to end may still be ending
		time.Sleep(leakGrace)
		left = lockGoroutines()
	}
	for _, g := range left {
		w.emit(history.Event{Kind: history.Residue, Detail: "goroutine started by " + g.Creator().Func + " is still there", Text: g.Text})
	}
}

// leakGrace is how long a lock's goroutines may take to end once it is closed.
const leakGrace = 10 * time.Second

// lockGoroutines returns the goroutines of the bubble that the locks started.
func lockGoroutines() []stack.Goroutine {
	return slices.DeleteFunc(bubbleGoroutines(), func(g stack.Goroutine) bool { return startedByHarness(g.Creator()) })
}

// bubbleGoroutines returns all goroutines of the bubble but the caller, in an order
// that does not depend on the runtime.
func bubbleGoroutines() []stack.Goroutine {
	all := stack.Parse(stack.All())
	var out []stack.Goroutine
	for _, g := range all[1:] {
		if g.Bubble != "" && g.Bubble == all[0].Bubble {
			g.Text = stack.Scrub(g.Text)
			out = append(out, g)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Text < out[j].Text })
	return out
}

// startedByHarness reports whether a goroutine with this creator belongs to the
// world and not to the lock under test.
func startedByHarness(f stack.Frame) bool {
	switch f.Package() {
	case "internal/synctest", "testing/synctest", "testing":
		return true
	}
	return f.Owner() == stack.Simrun || f.Owner() == stack.Bundled
}
