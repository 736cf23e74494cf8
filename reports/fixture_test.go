package reports

import (
	"container/heap"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockchaos/simrun/internal/history"
)

// The fixtures come from a toy world: enough of a lock to give the histories
// that the real engine gives, with round times that a reader can follow.

const (
	ms  = int64(1e6)
	sec = int64(1e9)
)

// toyLock says how a toy lock behaves.
type toyLock struct {
	name   string
	renews bool // while the holder runs
	owned  bool // release only removes its own key
	fenced bool // the resource refuses older tokens
}

type toyWorld struct {
	lock     toyLock
	work     int64
	lease    int64
	pause    bool // the first client stops for 40 s, 5 s into each third section
	now      int64
	queue    toyQueue
	events   []history.Event
	owner    string
	until    int64
	gen      int
	fence    int64
	highest  int64
	stock    int64
	waiters  []string
	done     map[string]int
	paused   map[string]bool
	resume   map[string]func()
	sections int
	entered  int
}

type toyEvent struct {
	at  int64
	n   int
	run func()
}

type toyQueue []toyEvent

func (q toyQueue) Len() int { return len(q) }
func (q toyQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].n < q[j].n
}
func (q toyQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *toyQueue) Push(x any)   { *q = append(*q, x.(toyEvent)) }
func (q *toyQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func (w *toyWorld) in(d int64, f func()) {
	w.gen++
	heap.Push(&w.queue, toyEvent{w.now + d, w.gen, f})
}

func (w *toyWorld) emit(e history.Event) {
	e.Seq, e.At = len(w.events)+1, w.now
	w.events = append(w.events, e)
}

func (w *toyWorld) run(clients []string) []history.Event {
	w.done, w.paused, w.resume = map[string]int{}, map[string]bool{}, map[string]func(){}
	for i, c := range clients {
		w.in(int64(i)*350*ms+2*ms, func() { w.wait(c) })
	}
	for w.queue.Len() > 0 {
		e := heap.Pop(&w.queue).(toyEvent)
		w.now = e.at
		e.run()
	}
	w.now += sec
	w.emit(history.Event{Kind: history.End, Value: w.stock})
	return w.events
}

func (w *toyWorld) wait(c string) {
	w.emit(history.Event{Kind: history.Waiting, Client: c, Section: w.done[c] + 1})
	w.emit(history.Event{Kind: history.Command, Client: c, Detail: "set"})
	w.waiters = append(w.waiters, c)
	w.wake(0)
}

func (w *toyWorld) wake(after int64) {
	w.in(after+ms/2, func() {
		if w.owner == "" && len(w.waiters) > 0 {
			c := w.waiters[0]
			w.waiters = w.waiters[1:]
			w.take(c)
		}
	})
}

func (w *toyWorld) take(c string) {
	w.owner, w.until = c, w.now+w.lease
	fence := int64(0)
	if w.lock.fenced {
		w.fence++
		fence = w.fence
	}
	w.emit(history.Event{Kind: history.Locked, Client: c, Dur: w.lease})
	w.in(w.lease, func() { w.expire(c) })
	n := w.done[c] + 1
	w.in(ms/2, func() {
		w.emit(history.Event{Kind: history.Acquired, Client: c, Section: n, Fence: fence})
		w.emit(history.Event{Kind: history.Entered, Client: c, Section: n})
		w.entered++
		if w.pause && w.entered%3 == 2 {
			w.in(5*sec, func() { w.stop(c) })
		}
		if w.lock.renews {
			w.in(10*sec, func() { w.renew(c, n) })
		}
	})
	w.in(2*ms, func() {
		stock := w.stock
		w.highest = max(w.highest, fence)
		w.emit(history.Event{Kind: history.Read, Client: c, Section: n, Value: stock, Fence: fence})
		w.in(w.work, func() { w.unlessPaused(c, func() { w.finish(c, n, stock, fence) }) })
	})
}

func (w *toyWorld) unlessPaused(c string, f func()) {
	if w.paused[c] {
		w.resume[c] = f
		return
	}
	f()
}

func (w *toyWorld) stop(c string) {
	w.paused[c] = true
	w.emit(history.Event{Kind: history.Fired, Client: c, Fault: "1:pause", Dur: 40 * sec, Detail: "the process stopped"})
	w.in(40*sec, func() {
		w.paused[c] = false
		w.emit(history.Event{Kind: history.Over, Client: c, Fault: "1:pause"})
		if f := w.resume[c]; f != nil {
			w.resume[c] = nil
			w.in(ms, f)
		}
	})
}

func (w *toyWorld) expire(c string) {
	if w.owner != c || w.now < w.until {
		return
	}
	w.owner = ""
	w.emit(history.Event{Kind: history.Expired, Owner: c})
	w.wake(400 * ms)
}

func (w *toyWorld) renew(c string, n int) {
	if w.done[c]+1 != n || w.owner != c || w.paused[c] {
		return
	}
	w.until = w.now + w.lease
	w.emit(history.Event{Kind: history.Command, Client: c, Detail: "evalsha"})
	w.emit(history.Event{Kind: history.Renewed, Client: c, Owner: c, Dur: w.lease})
	w.in(w.lease, func() { w.expire(c) })
	w.in(10*sec, func() { w.renew(c, n) })
}

func (w *toyWorld) finish(c string, n int, stock, fence int64) {
	w.emit(history.Event{Kind: history.Checked, Client: c, Section: n})
	w.in(ms/2, func() {
		if fence < w.highest {
			w.emit(history.Event{Kind: history.Rejected, Client: c, Section: n, Fence: fence})
		} else {
			w.stock = stock - 1
			w.emit(history.Event{Kind: history.Wrote, Client: c, Section: n, Value: w.stock, Fence: fence})
		}
	})
	w.in(ms, func() {
		w.emit(history.Event{Kind: history.Left, Client: c, Section: n})
		w.emit(history.Event{Kind: history.Releasing, Client: c, Section: n})
		w.done[c] = n
	})
	w.in(2*ms, func() { w.release(c, n) })
}

func (w *toyWorld) release(c string, n int) {
	detail := "not held"
	if w.owner == c || !w.lock.owned && w.owner != "" {
		w.emit(history.Event{Kind: history.Unlocked, Client: c, Owner: w.owner})
		w.owner, detail = "", ""
		w.wake(0)
	}
	w.in(ms/2, func() {
		w.emit(history.Event{Kind: history.Released, Client: c, Section: n, Detail: detail})
		if n < w.sections {
			w.in(700*ms, func() { w.wait(c) })
			return
		}
		w.emit(history.Event{Kind: history.Done, Client: c})
	})
}

func toyHistory(scenario string, l toyLock) (history.Header, []history.Event) {
	clients := []string{"A", "B", "C"}
	w := toyWorld{lock: l, lease: 30 * sec, work: 45 * sec, sections: 4, stock: 100}
	h := history.Header{
		Version: history.FormatVersion, Mode: "sim", Scenario: scenario, Strategy: l.name, Seed: 1,
		Clients: clients, Sections: 4, MinSections: 6, Lease: w.lease, Stock: w.stock,
	}
	if scenario == "gc-pause" {
		w.work, w.pause = 20*sec, true
		h.Faults = []string{"1:pause"}
	}
	return h, w.run(clients)
}

func writeHistory(t testing.TB, path string, h history.Header, events []history.Event) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(f)
	if err := enc.Encode(h); err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Clone(events) {
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
