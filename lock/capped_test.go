package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockchaos/simrun/lock"
)

// capped releases before it cancels: the order must be the other one. When the
// holder hears of it, the key must still be its own, and stay so while it rolls
// back.
func TestCapCancelsTheHolderBeforeItReleases(t *testing.T) {
	inWorld(t, func(w *world) {
		a, _ := w.lock("capped", "a")
		b, _ := w.lock("capped", "b")
		l := w.acquire(a)
		entered := make(chan time.Duration, 1)
		go func() {
			next, err := b.Acquire(context.Background())
			if err != nil {
				t.Errorf("acquire: %v", err)
				return
			}
			at := w.now()
			w.release(next)
			entered <- at
		}()
		w.lostBy(l, 3*time.Minute)
		if at := w.now(); at < 60*time.Second || at > 61*time.Second {
			t.Errorf("cancelled after %v, want 60s: at the tick after the fifth renewal", at)
		}
		w.wantErr(cause(l), lock.ErrRenewalCapped)
		w.wantNotErr(cause(l), lock.ErrLeaseLost)
		w.wantOwner("a")
		w.sleepTo(75 * time.Second) // it rolls back
		w.wantOwner("a")
		w.release(l)
		rolledBack := w.now()
		if at := <-entered; at < 75*time.Second || at > rolledBack+10*time.Millisecond {
			t.Errorf("b entered at %v, a had rolled back at %v", at, rolledBack)
		}
	})
}

func TestCapTakesTheKeyFromAHungHolder(t *testing.T) {
	inWorld(t, func(w *world) {
		a, _ := w.lock("capped", "a")
		b, _ := w.lock("capped", "b")
		outer, inner := w.acquire(a), w.acquire(a)
		next := w.acquire(b)
		if at := w.now(); at < 79*time.Second || at > 80*time.Second {
			t.Errorf("b entered at %v, want shortly before 80s", at)
		}
		w.forget()
		for _, l := range []lock.Lease{inner, outer} {
			err := l.Release(context.Background())
			w.wantErr(err, lock.ErrNotHeld)
			w.wantErr(cause(l), lock.ErrRenewalCapped)
		}
		if n := w.count("EVALSHA"); n > 0 {
			t.Errorf("the late releases sent %d scripts", n)
		}
		w.wantOwner("b")
		w.release(next)
	})
}

func TestCapCountsRenewals(t *testing.T) {
	for _, c := range []struct {
		renewals int
		want     time.Duration
	}{{1, 20 * time.Second}, {3, 40 * time.Second}, {10, 110 * time.Second}} {
		inWorld(t, func(w *world) {
			a, _ := w.lock("capped", "a", lock.WithMaxRenewals(c.renewals))
			l := w.acquire(a)
			w.lostBy(l, 3*time.Minute)
			if at := w.now(); at < c.want || at > c.want+time.Second {
				t.Errorf("cap %d: cancelled after %v, want %v", c.renewals, at, c.want)
			}
			w.release(l)
			w.wantOwner("")
		})
	}
}

// Renewals that fail count as those that succeed, else a network that loses all
// replies would keep the lock for ever.
func TestCapEndsAHoldWhoseRenewalsFail(t *testing.T) {
	inWorld(t, func(w *world) {
		a, link := w.lock("capped", "a")
		l := w.acquire(a)
		link.setCut(true)
		w.lostBy(l, 3*time.Minute)
		if at := w.now(); at > 90*time.Second {
			t.Errorf("cancelled after %v", at)
		}
		w.wantErr(cause(l), lock.ErrRenewalCapped)
	})
}

func TestCappedHolderEntersAgainAfterItsRollback(t *testing.T) {
	inWorld(t, func(w *world) {
		a, _ := w.lock("capped", "a")
		l := w.acquire(a)
		w.lostBy(l, 3*time.Minute)
		w.release(l)
		again := w.acquire(a)
		if isLost(again) {
			t.Error("the new lease was lost from the start")
		}
		time.Sleep(45 * time.Second)
		w.wantOwner("a")
		w.release(again)
	})
}
