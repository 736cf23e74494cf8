package virtual

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/engine"
)

var _ chaos.World = (*world)(nil)

var (
	errDown      = errors.New("redis is down already")
	errNoReplica = errors.New("there is no replica")
	// errUndeclared: the clients' connections do not go through Toxiproxy's links.
	errUndeclared = errors.New("the fault puts toxics, but its Spec does not say so: set NeedsToxics")
)

// living returns a client by name, or engine.ErrGone if it has died.
func (w *world) living(name string) (*process, error) { return engine.Living(w.clients, name) }

// Pause stops the client's network and its section. Whatever else its lock does
// goes on: see "Not simulated" in the README.
func (w *world) Pause(client string) (func(), string, error) {
	return w.halt(client, func(p *process) *engine.Gate { return p.Stop }, "process stopped: takes and sends nothing")
}

// Hang stops the client's section. Its lock's renewals go on.
func (w *world) Hang(client string) (func(), string, error) {
	return w.halt(client, func(p *process) *engine.Gate { return p.Hang }, "section hangs; renewals go on")
}

func (w *world) halt(client string, gate func(*process) *engine.Gate, proof string) (func(), string, error) {
	p, err := w.living(client)
	if err != nil {
		return nil, "", err
	}
	gate(p).Stop()
	return gate(p).Open, proof, nil
}

// Crash kills the client.
func (w *world) Crash(client string) (string, error) {
	p, err := w.living(client)
	if err != nil {
		return "", err
	}
	w.crash(p)
	return "process dead, its connections closed", nil
}

// AddToxic puts a toxic on the client's connections to Redis.
func (w *world) AddToxic(client string, t chaos.Toxic) (func(), string, error) {
	p, err := w.living(client)
	if err != nil {
		return nil, "", err
	}
	if p.toxics == nil {
		return nil, "", errUndeclared
	}
	remove, hit, err := p.toxics.add(t)
	if err != nil {
		return nil, "", err
	}
	return remove, fmt.Sprintf("toxic %s %s on %d connections and all new ones", t.Type, t.Stream, hit), nil
}

// Reset cuts the client's connections to Redis.
func (w *world) Reset(client string) (string, error) {
	p, err := w.living(client)
	if err != nil {
		return "", err
	}
	n := p.reset()
	if n == 0 {
		return "", fmt.Errorf("client %s: no open connection to reset", client)
	}
	return fmt.Sprintf("%d connections reset", n), nil
}

// LoseReply drops the next reply to the client and resets its connection.
func (w *world) LoseReply(client string, fired func(string)) error {
	if _, err := w.living(client); err != nil {
		return err
	}
	return w.redis.loseReply(client, fired)
}

// DelayWrite holds up the client's next write to the resource.
func (w *world) DelayWrite(client string, d time.Duration, fired func(string)) error {
	if _, err := w.living(client); err != nil {
		return err
	}
	w.resource.DelayWrite(client, d, fired)
	return nil
}

// JumpClock steps Redis's clock.
func (w *world) JumpClock(d time.Duration) (string, error) {
	w.redis.mini.Jump(d)
	w.redis.watch.Sync("")
	return fmt.Sprintf("Redis's clock stepped by %v", d), nil
}

// SetClockRate changes the speed of Redis's clock.
func (w *world) SetClockRate(rate float64) (func(), string, error) {
	undo := w.redis.mini.SetRate(rate)
	w.redis.watch.Sync("")
	return func() {
		undo()
		w.redis.watch.Sync("")
	}, fmt.Sprintf("Redis's clock runs at %g of real speed", rate), nil
}

// Restart takes Redis down, with its data kept or lost, until start.
func (w *world) Restart(keepData bool) (start func(), proof string, err error) {
	r := w.redis
	if r.down.Swap(true) {
		return nil, "", errDown
	}
	n := w.hangUp()
	keys, err := r.mini.Restart(keepData)
	if err != nil {
		return nil, "", err
	}
	r.watch.Sync("")
	proof = fmt.Sprintf("Redis is down: %d connections closed, new ones refused, %s", n, keys)
	return func() { r.down.Store(false) }, proof, nil
}

// Replicate gives Redis a replica.
func (w *world) Replicate(lag time.Duration) error {
	if has, ok := w.redis.mini.Lag(); ok && has != lag {
		return fmt.Errorf("a replica that is %v behind: there is one that is %v behind", lag, has)
	} else if !ok {
		w.redis.mini.Replicate(lag)
	}
	return nil
}

// Promote kills Redis, puts its replica in its place, and gives that one a replica.
func (w *world) Promote() (string, error) {
	r := w.redis
	if _, ok := r.mini.Lag(); !ok {
		return "", errNoReplica
	}
	if r.down.Load() {
		return "", errDown
	}
	n := w.hangUp()
	lag, loss, err := r.mini.Promote()
	if err != nil {
		return "", err
	}
	r.mini.Replicate(lag)
	r.watch.Replaced()
	return fmt.Sprintf("Redis is dead, %d connections closed; its replica, %v behind, has taken its place: %s", n, lag, loss), nil
}

// hangUp closes all connections at Redis's end, as its death does: what it has
// sent still arrives, and after that the end of file. It returns how many were open.
func (w *world) hangUp() int {
	n := w.redis.cut()
	for _, p := range w.clients {
		for _, c := range p.takeConns() {
			_ = c.far.Close()
		}
	}
	return n
}
