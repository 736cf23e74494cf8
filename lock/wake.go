package lock

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// wake is a waiter's subscription to the releases of a lock.
//
// go-redis's PubSub receives without heeding a context's cancellation, so the
// end of ctx closes it from another goroutine. Close takes the mutex that PubSub
// holds while it connects, handshake and all; a goroutine must not wait on that,
// for it would wait as long as the network, and stop the clock of a synctest
// bubble. Hence we connect here, while nothing can close, and keep PubSub from
// connecting again by itself: it receives under a context that has ended, which
// it heeds when it dials and not when it reads. (PubSub's Go channel would bring
// two goroutines, pings, and the same mutex.)
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

// wait returns when the lock is worth another try: on a release, when the
// subscription is confirmed, since a release may have come before it, and after
// d. It fails where there is no subscription to wait on; the next wait makes a
// new one.
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

// close ends the subscription with its connection. Its error only says that the
// end of ctx has closed it already.
func (w *wake) close() {
	if w.sub == nil {
		return
	}
	w.stop()
	_ = w.sub.Close()
	w.sub = nil
}
