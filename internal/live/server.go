package live

import (
	"context"
	"fmt"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/keyobserver"
	"github.com/lockchaos/simrun/internal/live/redisserver"
)

// serverTimeout bounds what ends or starts a server.
const serverTimeout = 20 * time.Second

// Restart takes the server down until start. What it does to the key is nobody's
// work.
func (w *world) Restart(keepData bool) (start func(), proof string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
	defer cancel()
	err = w.observer.whileAway(func() error {
		proof, err = w.redis.Stop(ctx, keepData)
		return err
	}, !keepData)
	if err != nil {
		return nil, "", err
	}
	return w.start, proof, nil
}

func (w *world) start() {
	ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
	defer cancel()
	_, err := w.redis.Start(ctx)
	w.observer.back(err)
}

// Replicate gives the server a replica, on a link that a toxic of Toxiproxy makes
// slow.
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

// follow makes a replica, or gives up where the run ends.
func (w *world) follow(lag time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
	defer cancel()
	go func() {
		select {
		case <-w.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return w.redis.Replicate(ctx, redisserver.Replication{Lag: w.clock.Real(lag), Link: func(upstream string) (redisserver.Link, error) {
		p, err := w.lab.proxies.open("replica", upstream)
		if err != nil {
			return nil, err
		}
		return link{p}, nil
	}})
}

// Promote kills the server and lets its replica take its place. The new one gets a
// replica of its own: until that follows it, another failover cannot be.
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
	if lag := w.lag; !w.enough {
		// Where this fails, the next failover says that there is no replica.
		w.replicas.Go(func() { _ = w.follow(lag) })
	}
	return proof, nil
}

// noMoreReplicas waits for the one that is being made.
func (w *world) noMoreReplicas() {
	w.replicaMu.Lock()
	w.enough = true
	w.replicaMu.Unlock()
	w.replicas.Wait()
}

// link is a replica's way to its primary.
type link struct{ *proxy }

func (l link) Addr() string { return l.addr() }

func (l link) Delay(lag time.Duration) (proof string, err error) {
	ms := max(1, lag.Milliseconds())
	_, proof, err = l.add(chaos.Toxic{
		Type: "latency", Stream: "downstream", Toxicity: 1, Attributes: map[string]int64{"latency": ms},
	}, 1)
	return proof, err
}

func (l link) Close() error { return l.close() }

// whileAway ends the server between two commands. From then on nothing is asked of
// it: the key is as it was, until its life is over, or gone with the data.
func (o *observer) whileAway(end func() error, lost bool) error {
	o.turn.Lock()
	defer o.turn.Unlock()
	o.watch.Sync("")
	o.setAway(true)
	if err := end(); err != nil {
		o.setAway(false)
		return err
	}
	if lost {
		o.mu.Lock()
		o.last = keyobserver.State{}
		o.mu.Unlock()
	}
	o.watch.Sync("")
	return nil
}

// back says that the server answers again; with an error, that it does not and
// never will, so that nothing is known of the key any more.
func (o *observer) back(err error) {
	o.turn.Lock()
	defer o.turn.Unlock()
	if err == nil {
		o.setAway(false)
		o.watch.Sync("")
		return
	}
	o.breaks(err)
}

// replace lets another server take the place of this one between two commands.
func (o *observer) replace(do func() error) error {
	o.turn.Lock()
	defer o.turn.Unlock()
	o.watch.Sync("")
	o.setAway(true)
	err := do()
	o.setAway(false)
	o.watch.Replaced()
	return err
}

func (o *observer) setAway(away bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.away = away
}

// unseen is what is known of the key while there is no server to ask.
func (o *observer) unseen() (state keyobserver.State, away bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away && o.last.There && !o.last.Expires.IsZero() && !time.Now().Before(o.last.Expires) {
		o.last = keyobserver.State{}
	}
	return o.last, o.away
}
