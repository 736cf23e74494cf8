package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

// count is the hold count in Redis.
func (w *world) holdCount(k lock.Locker) int {
	w.t.Helper()
	n, err := k.(lock.HoldCounter).HoldCount(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// warm loads the scripts, so that each step is one command.
func (w *world) warm(k lock.Locker) {
	w.t.Helper()
	w.release(w.acquire(k))
}

// go-redis sends a command again after it lost the reply (go-redis#2985).
func TestResentAcquireCountsOnce(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		w.warm(a)
		w.forget()
		link.dropReplies(1)
		l := w.acquire(a)
		if n := w.count("EVALSHA"); n != 2 {
			w.t.Fatalf("the acquire was sent %d times, want 2: no reply was lost", n)
		}
		if n := w.holdCount(a); n != 1 {
			w.t.Errorf("hold count is %d, want 1", n)
		}
		w.release(l)
		w.wantOwner("")
	})
}

func TestResentReentryCountsOnce(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		outer := w.acquire(a)
		link.dropReplies(1)
		inner := w.acquire(a)
		if n := w.holdCount(a); n != 2 {
			w.t.Errorf("hold count is %d, want 2", n)
		}
		w.release(inner)
		w.wantOwner("a")
		w.release(outer)
		w.wantOwner("")
	})
}

func TestResentInnerReleaseCountsOnce(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		w.warm(a)
		outer, middle, inner := w.acquire(a), w.acquire(a), w.acquire(a)
		w.forget()
		link.dropReplies(1)
		w.release(inner)
		if n := w.count("EVALSHA"); n != 2 {
			w.t.Fatalf("the release was sent %d times, want 2", n)
		}
		if n := w.holdCount(a); n != 2 {
			w.t.Errorf("hold count is %d, want 2", n)
		}
		w.release(middle)
		w.wantOwner("a")
		w.release(outer)
		w.wantOwner("")
	})
}

func TestResentLastReleaseSucceeds(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		w.warm(a)
		l := w.acquire(a)
		link.dropReplies(1)
		w.release(l)
		w.wantOwner("")
	})
}

func TestResentRenewalIsHarmless(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		l := w.acquire(a)
		w.sleepTo(9 * time.Second)
		link.dropReplies(1)
		w.sleepTo(45 * time.Second)
		if isLost(l) {
			w.t.Fatalf("lost: %v", cause(l))
		}
		w.wantOwner("a")
		w.release(l)
	})
}

// The first copy of an acquire stays in the network until its client has long
// acquired with the second copy, and released.
func TestLateCopyOfAnAcquireTakesNothing(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		w.warm(a)
		link.cutOpenConns()
		w.forget()
		l := w.acquire(a)
		w.release(l)
		w.wantOwner("")
		before := w.count("EVALSHA")
		link.setCut(false)
		time.Sleep(time.Second)
		if w.count("EVALSHA") == before {
			w.t.Fatal("no late copy arrived")
		}
		w.wantOwner("")
	})
}

// An Acquire that failed takes nothing when its command arrives in the end,
// however soon the client sends a copy of it.
func TestLateCopyOfAFailedAcquireTakesNothing(t *testing.T) {
	for _, timeout := range []time.Duration{0, 100 * time.Millisecond} {
		t.Run(timeout.String(), func(t *testing.T) { lateCopyOfAFailedAcquire(t, timeout) })
	}
}

func lateCopyOfAFailedAcquire(t *testing.T, timeout time.Duration) {
	each(t, renewed, func(w *world, s string) {
		w.readTimeout = timeout
		b, _ := w.lock(s, "b")
		held := w.acquire(b)
		a, link := w.lock(s, "a", lock.WithWait(10*time.Second))
		_, err := a.(lock.Trier).TryAcquire(context.Background()) // connects
		w.wantErr(err, lock.ErrNotAcquired)
		link.cutOpenConns()
		_, err = a.Acquire(context.Background())
		w.wantErr(err, lock.ErrNotAcquired) // the answer to the second copy
		w.release(held)
		w.forget()
		link.setCut(false)
		time.Sleep(time.Second)
		if w.count("EVALSHA") == 0 {
			w.t.Fatal("no late copy arrived")
		}
		w.wantOwner("")
	})
}

// The partition heals while the Acquire that failed by it undoes its command.
func TestFailedAcquireLeavesNoOrphanAfterAPartition(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a", lock.WithWait(2*time.Second))
		w.warm(a)
		link.setCut(true)
		time.AfterFunc(5500*time.Millisecond, func() { link.setCut(false) })
		_, err := a.Acquire(context.Background())
		w.wantErr(err, lock.ErrNoAnswer)
		if w.now() < 5500*time.Millisecond {
			w.t.Fatalf("the Acquire ended after %v, before its command arrived", w.now())
		}
		w.wantOwner("")
	})
}

func TestFailedAcquireUndoesWhatWasApplied(t *testing.T) {
	each(t, append([]string{"token"}, renewed...), func(w *world, s string) {
		a, link := w.lock(s, "a")
		w.warm(a)
		w.forget()
		link.dropReplies(4) // as often as go-redis tries
		_, err := a.(lock.Trier).TryAcquire(context.Background())
		w.wantErr(err, lock.ErrNoAnswer)
		w.wantOwner("")
		w.release(w.acquire(a))
	})
}

// Neither of the two lowest rungs recognises its own key (documented).
func TestNaiveAndTokenAreRefusedByTheirOwnKey(t *testing.T) {
	each(t, []string{"naive", "token"}, func(w *world, s string) {
		a, link := w.lock(s, "a", lock.WithWait(10*time.Second))
		_, err := a.(lock.Lifetimer).TTL(context.Background()) // connects
		link.dropReplies(1)
		if err == nil {
			_, err = a.Acquire(context.Background())
		}
		w.wantErr(err, lock.ErrNotAcquired)
		w.wantOwner("a")
	})
}

func TestSpentNonceIsReplaced(t *testing.T) {
	inWorld(t, func(w *world) {
		rdb, _ := w.client()
		for range 3 { // each handle counts from 1 anew
			k, err := lock.NewWatchdog(rdb, key, lock.WithOwner("a"))
			if err != nil {
				t.Fatal(err)
			}
			w.release(w.acquire(k))
		}
	})
}

func TestClosedClientLosesTheLease(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		_ = w.clients[0].Close()
		w.lostBy(l, time.Minute)
		if w.now() > 11*time.Second {
			w.t.Errorf("lost after %v, want at the next renewal", w.now())
		}
		w.wantErr(cause(l), lock.ErrLeaseLost, redis.ErrClosed)
		w.wantErr(l.Release(context.Background()), redis.ErrClosed)
	})
}
