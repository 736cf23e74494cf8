package lock

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// wake is a waiter's subscription to the releases of a lock.
type wake struct {
	sub  *redis.PubSub
	stop func() bool
}

// newWake subscribes. It does not fail: a subscription that could not be made is
// tried again by the next wait. go-redis receives without heeding a context's
// cancellation, so the end of ctx closes the subscription under it. (PubSub's Go
// channel would heed it, at the price of two goroutines and a ping every 3 s.)
func newWake(ctx context.Context, rdb redis.UniversalClient, channel string) *wake {
	sub := rdb.Subscribe(ctx, channel)
	return &wake{sub: sub, stop: context.AfterFunc(ctx, func() { _ = sub.Close() })}
}

// wait returns when the lock is worth another try: on a release, when the
// subscription is confirmed, since a release may have come before it, and after
// d. It fails where there is no subscription to wait on.
func (w *wake) wait(ctx context.Context, d time.Duration) error {
	_, err := w.sub.ReceiveTimeout(ctx, d)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return nil
	}
	return err
}

// close ends the subscription with its connection. An error only says that it is
// closed already.
func (w *wake) close() {
	w.stop()
	_ = w.sub.Close()
}
