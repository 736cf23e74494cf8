package engine

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

// errUnanswered: the resource did not answer in time. The write may have been
// applied, or may be later.
var errUnanswered = errors.New("write not answered in time")

// errStale: the resource rejected a write for its old fencing token.
var errStale = errors.New("write refused: its fencing token is old")

// Resource is what the lock protects: the stock of a flash sale. Its events are
// recorded when they take effect, at the resource.
type Resource struct {
	clock   Clock
	emit    func(history.Event)
	timeout time.Duration // for the answer to a write

	mu      sync.Mutex // never held over a wait
	stock   int64
	version int64
	fence   int64            // the newest token seen in a read or a write
	delays  map[string]delay // by client: what holds up its next write
}

// delay holds up one write.
type delay struct {
	by    time.Duration
	fired func(proof string)
}

// reading is the answer to a read.
type reading struct{ stock, version int64 }

// caller is the client that reads or writes.
type caller interface {
	Name() string
	Section() int
	latency() time.Duration // of one message
	emit(history.Event)
}

// NewResource makes a resource with an initial stock. A client waits at most timeout
// for the answer to a write.
func NewResource(c Clock, stock int64, timeout time.Duration, emit func(history.Event)) *Resource {
	return &Resource{clock: c, emit: emit, timeout: timeout, stock: stock, delays: map[string]delay{}}
}

// Stock is how much is left.
func (r *Resource) Stock() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stock
}

// DelayWrite holds up the client's next write in the network, and calls fired then.
func (r *Resource) DelayWrite(client string, by time.Duration, fired func(proof string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delays[client] = delay{by, fired}
}

// read reads the stock. The request and its answer each take a latency.
func (r *Resource) read(a caller, fence int64) reading {
	r.clock.Sleep(a.latency())
	r.mu.Lock()
	r.fence = max(r.fence, fence)
	got := reading{r.stock, r.version}
	r.mu.Unlock()
	a.emit(history.Event{Kind: history.Read, Value: got.stock, Version: got.version, Fence: fence})
	r.clock.Sleep(a.latency())
	return got
}

// write stores a stock computed from a reading. The request may be held up in
// the network for longer than the client waits for the answer.
func (r *Resource) write(a caller, stock int64, from reading, fence int64) error {
	answer := make(chan error, 1)
	request := history.Event{Client: a.Name(), Section: a.Section(), Value: stock, Version: from.version, Fence: fence}
	travel := a.latency() + r.takeDelay(a.Name())
	back := a.latency()
	r.clock.AfterFunc(travel, func() {
		err := r.apply(request)
		r.clock.AfterFunc(back, func() { answer <- err })
	})
	giveUp := time.NewTimer(r.clock.Real(r.timeout))
	defer giveUp.Stop()
	select {
	case err := <-answer:
		return err
	case <-giveUp.C:
		return errUnanswered
	}
}

func (r *Resource) apply(e history.Event) error {
	r.mu.Lock()
	refused := e.Fence > 0 && e.Fence < r.fence
	if !refused {
		r.fence = max(r.fence, e.Fence)
		r.stock = e.Value
		r.version++
	}
	r.mu.Unlock()
	if refused {
		e.Kind = history.Rejected
		r.emit(e)
		return errStale
	}
	e.Kind = history.Wrote
	r.emit(e)
	return nil
}

// takeDelay returns how long the client's next write is held up, once.
func (r *Resource) takeDelay(client string) time.Duration {
	r.mu.Lock()
	d, ok := r.delays[client]
	delete(r.delays, client)
	r.mu.Unlock()
	if !ok {
		return 0
	}
	d.fired(fmt.Sprintf("write of %s is in the network for %v", client, d.by))
	return d.by
}
