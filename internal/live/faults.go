package live

import (
	"context"
	"fmt"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/live/redisserver"
)

// living returns a client by name, or engine.ErrGone if it has died.
func (w *world) living(name string) (*client, error) {
	return engine.Living(w.clients, name)
}

// Pause stops the whole process with SIGSTOP. The proof is the state that the
// system reports.
func (w *world) Pause(name string) (func(), string, error) {
	c, err := w.living(name)
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
		_ = c.proc.Resume() // fails only for a process that has died since
		c.Stop.Open()
	}, proof, nil
}

// Hang stops the client's section. Its process, and so its renewals, go on.
func (w *world) Hang(name string) (func(), string, error) {
	c, err := w.living(name)
	if err != nil {
		return nil, "", err
	}
	c.Hang.Stop()
	return c.Hang.Open, fmt.Sprintf("section hangs; pid %d goes on in state %s", c.proc.Pid(), c.proc.State()), nil
}

// Crash kills the process with SIGKILL.
func (w *world) Crash(name string) (string, error) {
	c, err := w.living(name)
	if err != nil {
		return "", err
	}
	w.rec.Emit(history.Event{Kind: history.Crashed, Client: name})
	c.MarkDead()
	return c.proc.Kill()
}

// AddToxic puts a toxic on the client's proxy.
func (w *world) AddToxic(name string, t chaos.Toxic) (func(), string, error) {
	c, err := w.living(name)
	if err != nil {
		return nil, "", err
	}
	remove, proof, err := c.proxy.add(t, w.clock.Scale())
	if err != nil {
		return nil, "", err
	}
	return func() { _ = remove() }, proof, nil // the proxy ends with the run
}

// asEnd says what the client sees of a reset: Toxiproxy closes its side normally
// unless a reset_peer toxic was present when the connection began.
const asEnd = "; Toxiproxy passes that on as their end"

// Reset cuts the client's connections at the tap.
func (w *world) Reset(name string) (string, error) {
	c, err := w.living(name)
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
	c, err := w.living(name)
	if err != nil {
		return err
	}
	c.tap.LoseReply(func(proof string) { fired(proof + " at the tap" + asEnd) })
	return nil
}

// DelayWrite delays the client's next write to the resource.
func (w *world) DelayWrite(name string, d time.Duration, fired func(string)) error {
	if _, err := w.living(name); err != nil {
		return err
	}
	w.resource.DelayWrite(name, d, fired)
	return nil
}

// JumpClock steps Redis's clock, or moves the expiry of the run's keys instead.
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

// serverTimeout bounds stopping and starting a server.
const serverTimeout = 20 * time.Second

// Restart takes the server down until start is called. No client is credited with
// what that does to the key.
func (w *world) Restart(keepData bool) (start func(), proof string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
	defer cancel()
	err = w.observer.takeDown(func() error {
		proof, err = w.redis.Stop(ctx, keepData)
		return err
	}, !keepData)
	if err != nil {
		return nil, "", err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
		defer cancel()
		_, err := w.redis.Start(ctx)
		w.observer.back(err)
	}, proof, nil
}

// Replicate gives the server a replica, on a link slowed by a toxic.
func (w *world) Replicate(lag time.Duration) error {
	w.replicaMu.Lock()
	defer w.replicaMu.Unlock()
	if w.lag != 0 && w.lag != lag {
		return fmt.Errorf("a replica that is %v behind: there is one that is %v behind", lag, w.lag)
	}
	if w.lag == lag {
		return nil
	}
	if err := w.follow(lag); err != nil {
		return err
	}
	w.lag = lag
	return nil
}

// follow makes a replica, or gives up when the run ends.
func (w *world) follow(lag time.Duration) error {
	ctx, cancel := context.WithTimeout(w.over, serverTimeout)
	defer cancel()
	return w.redis.Replicate(ctx, w.clock.Real(lag), func(upstream string) (redisserver.Link, error) {
		return w.session.proxies.open("replica", upstream)
	})
}

// Promote kills the server and puts its replica in its place. The new server gets
// a replica too; until that has caught up, another failover is impossible.
func (w *world) Promote() (proof string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
	defer cancel()
	err = w.observer.replace(func() error {
		proof, err = w.redis.Promote(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	w.replicaMu.Lock()
	defer w.replicaMu.Unlock()
	if lag := w.lag; w.over.Err() == nil {
		// If this fails, the next failover reports that there is no replica.
		w.replicas.Go(func() { _ = w.follow(lag) })
	}
	return proof, nil
}
