package engine

import (
	"fmt"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

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

// read answers a read with a fencing token, 0 for none.
func (r *Resource) read(fence int64) reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fence = max(r.fence, fence)
	return reading{r.stock, r.version}
}

// apply takes a write, whose event it completes and records, unless the write's
// fencing token is old.
func (r *Resource) apply(e history.Event) {
	r.mu.Lock()
	refused := e.Fence > 0 && e.Fence < r.fence
	e.Kind = history.Rejected
	if !refused {
		e.Kind = history.Wrote
		r.fence = max(r.fence, e.Fence)
		r.stock = e.Value
		r.version++
	}
	r.mu.Unlock()
	r.emit(e)
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
