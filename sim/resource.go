package sim

import (
	"errors"
	"time"

	"github.com/lockchaos/simrun/sim/history"
)

// errUnanswered: the resource's answer did not come in time. Whether the write
// was or will be applied is not known.
var errUnanswered = errors.New("write not answered in time")

// errStale: the resource refused a write for its old fencing token.
var errStale = errors.New("write refused: its fencing token is old")

// resource is what the lock protects: the stock of a flash sale. Its events are
// recorded where they take effect, at the resource. It is used by one bubble,
// at one instant by one goroutine at most.
type resource struct {
	w       *world
	stock   int64
	version int64
	fence   int64 // the newest token seen, in a read or a write
}

// reading is what a read answers.
type reading struct{ stock, version int64 }

// read asks for the stock. The request and its answer each take a latency.
func (r *resource) read(a *worker, fence int64) reading {
	time.Sleep(a.latency())
	r.fence = max(r.fence, fence)
	got := reading{r.stock, r.version}
	a.emit(history.Event{Kind: history.Read, Value: got.stock, Version: got.version, Fence: fence})
	time.Sleep(a.latency())
	return got
}

// write stores a stock computed from a reading. The request may be held up in
// the network for longer than the client waits for the answer.
func (r *resource) write(a *worker, stock int64, from reading, fence int64) error {
	answer := make(chan error, 1)
	section := a.section
	travel := a.latency() + r.w.takeDelay(a.p.name)
	back := a.latency()
	time.AfterFunc(travel, func() {
		err := r.apply(history.Event{
			Client: a.p.name, Section: section, Value: stock, Version: from.version, Fence: fence,
		})
		time.AfterFunc(back, func() { answer <- err })
	})
	giveUp := time.NewTimer(r.w.scenario.WriteTimeout)
	defer giveUp.Stop()
	select {
	case err := <-answer:
		return err
	case <-giveUp.C:
		return errUnanswered
	}
}

func (r *resource) apply(e history.Event) error {
	if e.Fence > 0 && e.Fence < r.fence {
		e.Kind = history.Rejected
		r.w.emit(e)
		return errStale
	}
	r.fence = max(r.fence, e.Fence)
	r.stock = e.Value
	r.version++
	e.Kind = history.Wrote
	r.w.emit(e)
	return nil
}
