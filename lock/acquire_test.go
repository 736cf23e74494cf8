package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockchaos/simrun/lock"
)

func TestOneHolderAtATime(t *testing.T) {
	each(t, all, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, _ := w.lock(s, "b")
		held := w.acquire(a)
		go func() {
			time.Sleep(5 * time.Second)
			w.release(held)
		}()
		next := w.acquire(b)
		if w.now() < 5*time.Second {
			w.t.Errorf("b got the lock after %v, while a held it", w.now())
		}
		w.wantOwner("b")
		w.release(next)
		w.wantOwner("")
	})
}

func TestReleaseWakesAWaiterAtOnce(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, _ := w.lock(s, "b")
		held := w.acquire(a)
		go func() {
			w.sleepTo(7 * time.Second)
			w.release(held)
		}()
		w.forget()
		next := w.acquire(b)
		if late := w.now() - 7*time.Second; late > 10*time.Millisecond {
			w.t.Errorf("b was woken %v after the release", late)
		}
		if n := w.count("EVALSHA"); n > 4 { // two tries, the release, a try
			w.t.Errorf("b and the release took %d scripts: b polls", n)
		}
		w.release(next)
	})
}

// The release falls between the waiter's refused try and its subscription, so
// no message ever comes (redis-lock-py#3).
func TestWaiterTriesAgainOnceItHasSubscribed(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, link := w.lock(s, "b")
		held := w.acquire(a)
		link.setLatency(time.Second) // the refusal is under way from 1 s to 2 s
		go func() {
			w.sleepTo(1500 * time.Millisecond)
			w.release(held)
		}()
		next := w.acquire(b)
		if w.now() > 7*time.Second {
			w.t.Errorf("b got the lock after %v: it waited for a message", w.now())
		}
		w.release(next)
	})
}

func TestWaiterOutlivesACrashedHolderByItsLease(t *testing.T) {
	each(t, all, func(w *world, s string) {
		w.m.HSet(key, "crashed", "1")
		w.m.SetTTL(key, 12*time.Second)
		if s == "naive" || s == "token" {
			w.m.Del(key)
			_ = w.m.Set(key, "crashed")
			w.m.SetTTL(key, 12*time.Second)
		}
		b, _ := w.lock(s, "b")
		next := w.acquire(b)
		if w.now() > 13*time.Second+10*time.Millisecond {
			w.t.Errorf("b got the lock after %v, the key ended after 12s", w.now())
		}
		w.release(next)
	})
}

func TestWaiterLooksAgainAtAKeyWithoutExpiry(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		w.m.HSet(key, "immortal", "1")
		b, _ := w.lock(s, "b")
		go func() {
			w.sleepTo(40 * time.Second)
			w.m.Del(key) // by hand: nobody publishes
		}()
		next := w.acquire(b)
		if w.now() > 61*time.Second {
			w.t.Errorf("b got the lock after %v, the key went after 40s", w.now())
		}
		w.release(next)
	})
}

func TestWaiterWithoutSubscriptionPolls(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, _ := w.lock(s, "b")
		w.refuse("SUBSCRIBE")
		held := w.acquire(a)
		go func() {
			w.sleepTo(50 * time.Second)
			w.release(held)
		}()
		w.forget()
		next := w.acquire(b)
		if late := w.now() - 50*time.Second; late > 2*time.Second {
			w.t.Errorf("b got the lock %v after the release", late)
		}
		if n := w.count("EVALSHA"); n > 200 {
			w.t.Errorf("b spun: %d scripts", n)
		}
		w.release(next)
	})
}

func TestRefusedAcquireChangesNothing(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, _ := w.lock(s, "b")
		held := w.acquire(a)
		fields, ttl := w.m.Dump(), w.m.TTL(key)
		_, err := b.(lock.Trier).TryAcquire(context.Background())
		w.wantErr(err, lock.ErrNotAcquired)
		if got := w.m.Dump(); got != fields {
			w.t.Errorf("the refused try changed\n%s\nto\n%s", fields, got)
		}
		if w.m.TTL(key) > ttl {
			w.t.Error("the refused try prolonged the holder's lease")
		}
		w.release(held)
	})
}

func TestAcquireTellsWhyItFailed(t *testing.T) {
	for _, c := range []struct {
		name      string
		held, cut bool
		end       string // what ends the Acquire: wait, cancel, deadline or before
		want, not []error
	}{
		{"held, wait over", true, false, "wait",
			[]error{lock.ErrNotAcquired},
			[]error{lock.ErrNoAnswer, context.Canceled, context.DeadlineExceeded}},
		{"held, context cancelled", true, false, "cancel",
			[]error{lock.ErrNotAcquired, context.Canceled}, []error{lock.ErrNoAnswer}},
		{"held, deadline passed", true, false, "deadline",
			[]error{lock.ErrNotAcquired, context.DeadlineExceeded}, []error{lock.ErrNoAnswer}},
		{"cut off, wait over", false, true, "wait",
			[]error{lock.ErrNoAnswer},
			[]error{lock.ErrNotAcquired, context.Canceled, context.DeadlineExceeded}},
		{"cut off, deadline passed", false, true, "deadline",
			[]error{lock.ErrNoAnswer, context.DeadlineExceeded}, []error{lock.ErrNotAcquired}},
		{"context ended before", false, false, "before",
			[]error{context.Canceled}, []error{lock.ErrNotAcquired, lock.ErrNoAnswer}},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, all, func(w *world, s string) {
				opts := []lock.Option{}
				ctx, cancel := context.WithCancel(context.Background())
				switch c.end {
				case "wait":
					opts = append(opts, lock.WithWait(20*time.Second))
				case "cancel":
					time.AfterFunc(20*time.Second, cancel)
				case "deadline":
					ctx, cancel = context.WithTimeout(ctx, 20*time.Second)
				case "before":
					cancel()
				}
				defer cancel()
				b, link := w.lock(s, "b", opts...)
				if c.held {
					w.m.HSet(key, "a", "1")
					if s == "naive" || s == "token" {
						w.m.Del(key)
						_ = w.m.Set(key, "a")
					}
				}
				link.setCut(c.cut)
				_, err := b.Acquire(ctx)
				w.wantErr(err, c.want...)
				w.wantNotErr(err, c.not...)
				took := w.now()
				if c.end != "before" && (took < 20*time.Second || took > 27*time.Second) {
					w.t.Errorf("Acquire took %v", took)
				}
				if c.end == "before" && len(w.sent()) > 0 {
					w.t.Errorf("Acquire sent %v", w.sent())
				}
			})
		})
	}
}

func TestHopelessErrorEndsAcquireAtOnce(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		_ = w.m.Set(key, "not a hash")
		a, _ := w.lock(s, "a")
		_, err := a.Acquire(context.Background())
		w.wantErr(err, lock.ErrNoAnswer)
		w.wantNotErr(err, lock.ErrNotAcquired)
	})
}

func TestAcquireOutlastsAPartition(t *testing.T) {
	each(t, all, func(w *world, s string) {
		a, link := w.lock(s, "a")
		link.setCut(true)
		time.AfterFunc(40*time.Second, func() { link.setCut(false) })
		l := w.acquire(a)
		w.wantOwner("a")
		w.release(l)
	})
}
