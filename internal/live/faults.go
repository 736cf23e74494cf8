package live

import (
	"context"
	"fmt"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
)

func (w *world) client(name string) (*client, error) {
	return engine.Living(w.clients, name)
}

// Pause stops the whole process with SIGSTOP; the proof is the state that the
// system tells of it.
func (w *world) Pause(name string) (func(), string, error) {
	c, err := w.client(name)
	if err != nil {
		return nil, "", err
	}
	c.Stop.Stop()
	proof, err := c.proc.Pause()
	if err != nil {
		c.Stop.Open()
		return nil, "", err
	}
	return func() {
		_ = c.proc.Resume() // it fails only for one that has died since
		c.Stop.Open()
	}, proof, nil
}

// Hang stops the client's section. Its process, and so its renewals, go on.
func (w *world) Hang(name string) (func(), string, error) {
	c, err := w.client(name)
	if err != nil {
		return nil, "", err
	}
	c.Hang.Stop()
	return c.Hang.Open, fmt.Sprintf("section hangs; pid %d goes on in state %s", c.proc.Pid(), c.proc.State()), nil
}

// Crash kills the process with SIGKILL.
func (w *world) Crash(name string) (string, error) {
	c, err := w.client(name)
	if err != nil {
		return "", err
	}
	w.rec.Emit(history.Event{Kind: history.Crashed, Client: name})
	c.MarkDead()
	return c.proc.Kill()
}

// AddToxic puts a toxic on the client's proxy.
func (w *world) AddToxic(name string, t chaos.Toxic) (func(), string, error) {
	c, err := w.client(name)
	if err != nil {
		return nil, "", err
	}
	remove, proof, err := c.proxy.add(t, w.clock.Scale())
	if err != nil {
		return nil, "", err
	}
	return func() { _ = remove() }, proof, nil // Toxiproxy ends with the run
}

// asEnd is what becomes of a reset on its way to the client: Toxiproxy closes
// plainly, unless a reset_peer toxic was there when the connection began.
const asEnd = "; Toxiproxy passes that on as their end"

// Reset cuts the client's connections at the tap.
func (w *world) Reset(name string) (string, error) {
	c, err := w.client(name)
	if err != nil {
		return "", err
	}
	n := c.tap.Reset()
	if n == 0 {
		return "", fmt.Errorf("client %s: no open connection to reset", name)
	}
	return fmt.Sprintf("%d connections cut at the tap%s", n, asEnd), nil
}

// LoseReply drops the next reply to the client and cuts its connection.
func (w *world) LoseReply(name string, fired func(string)) error {
	c, err := w.client(name)
	if err != nil {
		return err
	}
	c.tap.LoseReply(func(proof string) { fired(proof + " at the tap" + asEnd) })
	return nil
}

// DelayWrite holds up the client's next write to the resource.
func (w *world) DelayWrite(name string, d time.Duration, fired func(string)) error {
	if _, err := w.client(name); err != nil {
		return err
	}
	w.resource.DelayWrite(name, d, fired)
	return nil
}

// JumpClock steps Redis's clock, or what is left of all our keys.
func (w *world) JumpClock(d time.Duration) (proof string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	err = w.observer.between(func() error {
		proof, err = w.redis.JumpClock(ctx, w.clock.Real(d))
		return err
	})
	return proof, err
}

// SetClockRate changes the speed of Redis's clock.
func (w *world) SetClockRate(rate float64) (restore func(), proof string, err error) {
	var normal func()
	err = w.observer.between(func() error {
		normal, proof, err = w.redis.SetRate(rate)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return func() {
		_ = w.observer.between(func() error { normal(); return nil })
	}, proof, nil
}
