package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockchaos/simrun/lock"
)

func TestThreeDeep(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		var leases []lock.Lease
		for i := range 3 {
			leases = append(leases, w.acquire(a))
			if n := w.holdCount(a); n != i+1 {
				w.t.Errorf("entered %d deep, hold count is %d", i+1, n)
			}
		}
		for i := 2; i >= 0; i-- {
			w.wantOwner("a")
			w.release(leases[i])
			if n := w.holdCount(a); n != i {
				w.t.Errorf("%d deep after a release, hold count is %d", i, n)
			}
		}
		w.wantOwner("")
	})
}

func TestInnerReleaseKeepsTheRenewal(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		outer := w.acquire(a)
		w.release(w.acquire(a))
		time.Sleep(45 * time.Second)
		w.wantOwner("a")
		w.release(outer)
	})
}

func TestLeaseIsReleasedOnce(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		outer, inner := w.acquire(a), w.acquire(a)
		w.release(inner)
		w.wantErr(inner.Release(context.Background()), lock.ErrNotHeld)
		w.wantOwner("a") // the second release took nothing from the outer section
		w.release(outer)
		w.wantErr(outer.Release(context.Background()), lock.ErrNotHeld)
	})
}

func TestLeasesOfAHoldAreLostTogether(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		outer, inner := w.acquire(a), w.acquire(a)
		if outer.Lost() != inner.Lost() {
			w.t.Error("two leases of one hold have two Lost channels")
		}
		w.m.Del(key)
		w.lostBy(inner, time.Minute)
		w.wantErr(cause(outer), lock.ErrLeaseLost)
		w.wantErr(inner.Release(context.Background()), lock.ErrNotHeld)
		w.wantErr(outer.Release(context.Background()), lock.ErrNotHeld)
	})
}

// The owner enters once more, but its hold is gone: somebody else may have been
// inside, so the outer section must learn of it.
func TestReentryOfALostHoldIsANewHold(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		outer := w.acquire(a)
		w.m.Del(key)
		inner := w.acquire(a)
		if !isLost(outer) || isLost(inner) {
			w.t.Errorf("outer lost: %v, inner lost: %v, want the outer alone", isLost(outer), isLost(inner))
		}
		w.wantErr(outer.Release(context.Background()), lock.ErrNotHeld)
		w.wantOwner("a")
		w.release(inner)
		w.wantOwner("")
	})
}

func TestOwnersOfOneLockExcludeEachOther(t *testing.T) {
	inWorld(t, func(w *world) {
		k, _ := w.lock("fenced", "a")
		b, err := k.(*lock.Fenced).Owner("b")
		if err != nil {
			t.Fatal(err)
		}
		l := w.acquire(k)
		_, err = b.TryAcquire(context.Background())
		w.wantErr(err, lock.ErrNotAcquired)
		w.release(l)
		w.release(w.acquire(b))
		if _, err := b.Owner("b#1"); err == nil {
			t.Error("an owner's name like a nonce was accepted")
		}
	})
}

// Two handles of one owner, as two goroutines that share a thread's name.
func TestHandlesOfOneOwnerEnterBesideEachOther(t *testing.T) {
	inWorld(t, func(w *world) {
		k, _ := w.lock("watchdog", "a")
		root := k.(*lock.Watchdog)
		one, _ := root.Owner("x")
		two, _ := root.Owner("x")
		first, second := w.acquire(one), w.acquire(two)
		if n := w.holdCount(one); n != 2 {
			t.Errorf("hold count is %d, want 2", n)
		}
		w.release(first)
		w.wantOwner("x")
		w.release(second)
		w.wantOwner("")
	})
}

func TestForceRelease(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		b, _ := w.lock(s, "b")
		held := w.acquire(a)
		for _, want := range []bool{true, false} {
			had, err := b.(lock.Forcer).ForceRelease(context.Background())
			if err != nil || had != want {
				w.t.Errorf("ForceRelease: %v, %v, want %v", had, err, want)
			}
		}
		next := w.acquire(b)
		w.lostBy(held, time.Minute)
		w.wantErr(held.Release(context.Background()), lock.ErrNotHeld)
		w.wantOwner("b")
		if _, err := b.(lock.Forcer).ForceRelease(context.Background()); err != nil {
			w.t.Fatal(err)
		}
		if !isLost(next) {
			w.t.Error("the owner's own lease is not lost at once")
		}
		w.wantErr(next.Release(context.Background()), lock.ErrNotHeld)
	})
}
