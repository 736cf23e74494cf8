package virtual

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/history"
)

// reportBlocked records which workers never came back from the lock.
func (w *world) reportBlocked() {
	stacks := bubbleStacks()
	for _, a := range w.hands {
		if a.call() == "" || !a.p.Alive() {
			continue
		}
		e := history.Event{Kind: history.Finding, Client: a.p.Name, Section: a.actor.Section(), Detail: "blocked"}
		e.Text = fmt.Sprintf("%s of client %s did not return, though its context ended long ago", a.call(), a.p.Name)
		for _, s := range stacks {
			if strings.Contains(s, "virtual.(*hands).run(") {
				e.Text += "\n\n" + s
			}
		}
		w.emit(e)
	}
}

// reportBypass records that a lock has dialled by itself: it has met with the
// address that nobody can reach, or the clients' locks have answered without one
// connection of the run's own. Whatever they talked to, it was not this Redis.
func (w *world) reportBypass() {
	var astray, tried, dialed bool
	for _, h := range w.hands {
		astray = astray || h.astray.Load()
		tried = tried || h.tried.Load()
		dialed = dialed || h.p.hasDialed()
	}
	if astray || tried && !dialed {
		w.emit(history.Event{
			Kind: history.Finding, Detail: "broken",
			Text: "the lock did not dial through its environment: use Env.Redis, or dial with Env.Redis.Options().Dialer",
		})
	}
}

// reportResidue records what the clients' locks left behind: subscriptions,
// keys that never expire, goroutines.
func (w *world) reportResidue() {
	channels := w.redis.m.PubSubChannels("*")
	slices.Sort(channels)
	for _, c := range channels {
		w.emit(history.Event{Kind: history.Residue, Detail: "subscription to " + c + " is still there"})
	}
	if n := w.redis.m.PubSubNumPat(); n > 0 {
		w.emit(history.Event{Kind: history.Residue, Detail: fmt.Sprintf("%d pattern subscriptions are still there", n)})
	}
	var keeps []string
	if w.strategy.Keeps != nil {
		keeps = w.strategy.Keeps(lockKey)
	}
	for _, k := range w.redis.m.Keys() {
		if w.redis.m.TTL(k) == 0 && !slices.Contains(keeps, k) {
			w.emit(history.Event{Kind: history.Residue, Detail: "key " + k + " is left without expiry"})
		}
	}
	for _, p := range w.clients {
		if !p.Alive() {
			return // its goroutines could only end with a process of their own
		}
	}
	for _, s := range bubbleStacks() {
		if who := creator(s); !harness(who) {
			w.emit(history.Event{Kind: history.Residue, Detail: "goroutine started by " + who + " is still there", Text: s})
		}
	}
}

// bubbleStacks returns the stacks of all goroutines of the bubble but the
// caller's.
func bubbleStacks() []string {
	buf := make([]byte, 1<<16)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	all := strings.Split(string(buf), "\n\n")
	mark := bubbleMark(all[0])
	if mark == "" {
		return nil
	}
	var out []string
	for _, s := range all[1:] {
		if bubbleMark(s) == mark {
			out = append(out, s)
		}
	}
	return out
}

// bubbleMark takes "synctest bubble 7]" from a stack's first line, as
// "goroutine 12 [select (durable), synctest bubble 7]:".
func bubbleMark(stack string) string {
	first, _, _ := strings.Cut(stack, "\n")
	_, mark, _ := strings.Cut(first, "synctest bubble ")
	return mark
}

// creator is the function that started the goroutine of a stack.
func creator(stack string) string {
	_, after, _ := strings.Cut(stack, "\ncreated by ")
	first, _, _ := strings.Cut(after, "\n")
	who, _, _ := strings.Cut(first, " in goroutine")
	return who
}

// ownPackage is this package's path, as a stack shows it.
var ownPackage = reflect.TypeFor[world]().PkgPath()

// harness reports whether a goroutine with this creator belongs to the world
// and not to the lock under test.
func harness(creator string) bool {
	for _, p := range []string{
		ownPackage + ".",
		"github.com/alicebob/miniredis/v2",
		"github.com/Shopify/toxiproxy/v2",
		"internal/synctest.",
		"testing/synctest.",
		"testing.",
	} {
		if strings.HasPrefix(creator, p) {
			return true
		}
	}
	return false
}
