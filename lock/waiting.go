package lock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// waiting is the time that one Acquire has, and what it has learnt so far.
type waiting struct {
	parent   context.Context // the caller's
	ctx      context.Context // the caller's, limited by WithWait
	cancel   context.CancelFunc
	cfg      config
	key      string
	refused  bool  // Redis has answered that another owner holds the lock
	failure  error // of the last attempt; nil if Redis answered it
	failures int   // in a row
}

func newWaiting(parent context.Context, cfg config, key string) *waiting {
	w := &waiting{parent: parent, cfg: cfg, key: key}
	if cfg.wait > 0 {
		w.ctx, w.cancel = context.WithTimeout(parent, cfg.wait)
	} else {
		w.ctx, w.cancel = context.WithCancel(parent)
	}
	return w
}

// ended compares times too: when a deadline coincides with another event, it has
// passed, whichever of the two woke us.
func (w *waiting) ended() bool {
	return w.ctx.Err() != nil || isPast(w.ctx)
}

func isPast(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}

// noteRefusal records that another owner holds the lock.
func (w *waiting) noteRefusal() {
	w.refused, w.failure, w.failures = true, nil, 0
}

// noteFailure records an attempt without an answer. An attempt that our own
// context cut short says nothing about Redis.
func (w *waiting) noteFailure(err error) {
	if isContextError(err) && w.ended() {
		return
	}
	w.failure = err
	w.failures++
}

// pause waits after attempt n, counted from 0.
func (w *waiting) pause(n int) {
	d := backoff(n, w.cfg.pollMin, w.cfg.pollMax, w.cfg.jitter())
	sleepUntil(w.ctx, time.Now().Add(d))
}

// err returns why the waiting was in vain; see [Locker].
func (w *waiting) err() error {
	var why error
	switch {
	case w.failure != nil:
		why = noAnswer(w.failure)
	case w.refused:
		why = ErrNotAcquired
	}
	ended := w.parent.Err()
	if ended == nil && isPast(w.parent) {
		ended = context.DeadlineExceeded
	}
	switch {
	case why == nil && ended == nil:
		return fmt.Errorf("acquire lock %q: %w within the wait", w.key, ErrNoAnswer)
	case why == nil:
		return fmt.Errorf("acquire lock %q: %w", w.key, ended)
	case ended == nil:
		return fmt.Errorf("acquire lock %q: %w", w.key, why)
	}
	return fmt.Errorf("acquire lock %q: %w: %w", w.key, why, ended)
}

// sleepUntil reports whether t came before the end of ctx. If both came, ctx wins.
func sleepUntil(ctx context.Context, t time.Time) bool {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err() == nil
}

// wake is a waiter's subscription to the releases of a lock.
//
// go-redis's PubSub receives without regard to a context's cancellation, so the
// end of ctx closes it from another goroutine. Close takes the mutex that PubSub
// holds while it connects, handshake included. A goroutine must not wait for that
// mutex: it would wait for the network, and stop the clock of a synctest bubble.
// So wake connects here, where nothing can close yet, and keeps PubSub from
// reconnecting by itself: it receives under a context that has ended, which
// PubSub checks when it dials and not when it reads. (PubSub's Go channel would
// add two goroutines, pings, and the same mutex.)
type wake struct {
	rdb     redis.UniversalClient
	channel string
	ended   context.Context
	sub     *redis.PubSub // nil while not subscribed
	stop    func() bool   // keeps the end of ctx from closing sub
}

func newWake(rdb redis.UniversalClient, channel string) *wake {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return &wake{rdb: rdb, channel: channel, ended: ended}
}

// wait returns when the lock is worth another attempt: on a release, when the
// subscription is confirmed (a release may have come before it), and after d. It
// fails if there is no subscription to wait on; the next wait makes a new one.
func (w *wake) wait(ctx context.Context, d time.Duration) error {
	end := time.Now().Add(d)
	if w.sub == nil {
		if err := w.subscribe(ctx); err != nil {
			return err
		}
	}
	_, err := w.sub.ReceiveTimeout(w.ended, max(time.Until(end), time.Millisecond))
	var timeout net.Error
	if err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		return nil
	}
	w.close()
	return err
}

// subscribe sends the subscription; its confirmation is the first message.
func (w *wake) subscribe(ctx context.Context) error {
	sub := w.rdb.Subscribe(ctx)
	if err := sub.Subscribe(ctx, w.channel); err != nil {
		_ = sub.Close()
		return err
	}
	w.sub = sub
	w.stop = context.AfterFunc(ctx, func() { _ = sub.Close() })
	return nil
}

// close ends the subscription and its connection. Close fails only if the end of
// ctx has already closed it.
func (w *wake) close() {
	if w.sub == nil {
		return
	}
	w.stop()
	_ = w.sub.Close()
	w.sub = nil
}
