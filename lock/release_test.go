package lock_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/lock"
)

// release without an owner check: a's lease ended, b holds, a comes to release.
func TestReleaseChecksTheOwner(t *testing.T) {
	each(t, append([]string{"token"}, renewed...), func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, _ := w.lock(s, "b")
		stale := w.acquire(a)
		w.m.Del(key)
		held := w.acquire(b)
		w.wantErr(stale.Release(context.Background()), lock.ErrNotHeld)
		w.wantOwner("b")
		if s != "token" && w.holdCount(b) != 1 {
			w.t.Errorf("b's hold count is %d", w.holdCount(b))
		}
		w.release(held)
	})
}

// What the lowest rung does instead (documented; ShedLock#2583).
func TestNaiveReleaseDeletesAnothersKey(t *testing.T) {
	inWorld(t, func(w *world) {
		a, _ := w.lock("naive", "a")
		b, _ := w.lock("naive", "b")
		stale := w.acquire(a)
		time.Sleep(31 * time.Second)
		w.acquire(b)
		w.release(stale)
		w.wantOwner("")
	})
}

// The work's context is cancelled before Release runs (blnk#354).
func TestReleaseWorksAfterTheWorksContextEnded(t *testing.T) {
	each(t, all, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		ctx, cancel := context.WithCancel(context.Background())
		l, err := a.Acquire(ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		cancel()
		if err := l.Release(ctx); err != nil {
			w.t.Errorf("release: %v", err)
		}
		w.wantOwner("")
	})
}

func TestRenewalGoesOnAfterTheWorksContextEnded(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		ctx, cancel := context.WithCancel(context.Background())
		l, err := a.Acquire(ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		cancel()
		time.Sleep(45 * time.Second)
		w.wantOwner("a")
		w.release(l)
	})
}

func TestReleaseDoesNotCloseLost(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		w.release(l)
		time.Sleep(time.Hour)
		if isLost(l) || cause(l) != nil {
			w.t.Errorf("a released lease is lost: %v", cause(l))
		}
	})
}

// The renewal's command is in the network when Release is called: the release
// must be the last that Redis hears of the lease.
func TestNoRenewalLandsAfterTheRelease(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		l := w.acquire(a)
		w.sleepTo(19 * time.Second) // the script is loaded by the first renewal
		link.cutOpenConns()
		time.AfterFunc(3*time.Second, func() { link.setCut(false) })
		w.sleepTo(21 * time.Second)
		w.release(l)
		w.wantOwner("")
		w.forget()
		time.Sleep(time.Minute)
		if sent := w.sent(); len(sent) > 0 {
			w.t.Errorf("after the release %v landed", sent)
		}
	})
}

func TestNoRenewalIsSentAfterTheRelease(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		w.release(w.acquire(a))
		w.forget()
		time.Sleep(time.Hour)
		if sent := w.sent(); len(sent) > 0 {
			w.t.Errorf("after the release %v was sent", sent)
		}
	})
}

func TestReleaseThatFailedMayBeCalledAgain(t *testing.T) {
	each(t, all, func(w *world, s string) {
		a, link := w.lock(s, "a", lock.WithLease(10*time.Minute))
		l := w.acquire(a)
		link.setCut(true)
		err := l.Release(context.Background())
		w.wantErr(err, lock.ErrNoAnswer)
		w.wantNotErr(err, lock.ErrNotHeld, context.DeadlineExceeded)
		if w.now() > time.Minute {
			w.t.Errorf("Release took %v", w.now())
		}
		w.wantOwner("a")
		link.cutOpenConns() // the old copies never arrive
		w.release(l)
		w.wantOwner("")
	})
}

func TestNoGoroutineIsLeftAfterRelease(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, _ := w.lock(s, "b")
		held := w.acquire(a)
		time.AfterFunc(15*time.Second, func() { w.release(held) })
		w.release(w.acquire(b))
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(stack, "simrun/lock.(*") {
				w.t.Errorf("left behind:\n%s", stack)
			}
		}
		if n := w.m.PubSubNumSub("{" + key + "}:wake")["{"+key+"}:wake"]; n > 0 {
			w.t.Errorf("%d subscriptions are left", n)
		}
	})
}

// The context ends while the waiter's subscription connects: the waiter must
// return, and the bubble's clock must not stop over a mutex.
func TestContextEndsWhileTheWaiterSubscribes(t *testing.T) {
	for _, after := range []time.Duration{2500, 3500, 4500, 5500, 6500} {
		each(t, renewed[:1], func(w *world, s string) {
			w.m.HSet(key, "b", "1")
			a, link := w.lock(s, "a")
			link.setLatency(time.Second) // each handshake takes two
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(after*time.Millisecond, cancel)
			_, err := a.Acquire(ctx)
			w.wantErr(err, context.Canceled)
		})
	}
}

func TestContextEndsWhileTheWaiterSubscribesAgain(t *testing.T) {
	for after := time.Duration(0); after <= 5000; after += 500 {
		each(t, renewed[:1], func(w *world, s string) {
			w.m.HSet(key, "b", "1")
			a, link := w.lock(s, "a")
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(10*time.Second, func() {
				link.setLatency(time.Second)
				link.resetConns()
			})
			time.AfterFunc(10*time.Second+after*time.Millisecond, cancel)
			_, err := a.Acquire(ctx)
			w.wantErr(err, context.Canceled)
			if late := w.now() - 10*time.Second - after*time.Millisecond; late > 7*time.Second { // a handshake, a try, its undoing
				w.t.Errorf("Acquire returned %v after the cancellation", late)
			}
		})
	}
}

func TestWaiterSubscribesAgainAfterAReset(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, link := w.lock(s, "b")
		held := w.acquire(a)
		time.AfterFunc(5*time.Second, link.resetConns)
		time.AfterFunc(8*time.Second, func() { w.release(held) })
		next := w.acquire(b)
		if late := w.now() - 8*time.Second; late > 10*time.Millisecond {
			w.t.Errorf("b was woken %v after the release", late)
		}
		w.release(next)
	})
}
