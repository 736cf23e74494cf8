package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

var guarded = []string{"guarded", "fenced"}

// guarded counts from after the reply: the reply to a renewal takes 2.5 s
// longer than usual, then the holder is cut off. It must hear of its loss while
// the key is still its own.
func TestGuardCountsFromBeforeTheRenewalWasSent(t *testing.T) {
	each(t, guarded, func(w *world, s string) {
		a, link := w.lock(s, "a")
		l := w.acquire(a)
		w.sleepTo(19 * time.Second) // the script is loaded by the first renewal
		w.forget()
		link.delayNextReply(2500 * time.Millisecond)
		w.sleepTo(23 * time.Second)
		link.setCut(true)
		w.lostBy(l, time.Minute)
		if n := w.count("EVALSHA"); n != 1 {
			w.t.Fatalf("%d renewals arrived, want one", n)
		}
		w.wantErr(cause(l), lock.ErrLeaseLost)
		w.wantOwner("a") // the key ends at 50 s
		if at := w.now(); at < 49*time.Second {
			w.t.Errorf("lost after %v: the renewal of 20s did not count", at)
		}
	})
}

func TestGuardCountsFromBeforeTheAcquireWasSent(t *testing.T) {
	each(t, guarded, func(w *world, s string) {
		a, link := w.lock(s, "a")
		w.warm(a)
		link.delayNextReply(2500 * time.Millisecond)
		l := w.acquire(a)
		link.setCut(true)
		w.lostBy(l, 2*time.Minute)
		w.wantOwner("a")
	})
}

// The guard is a timer of its own: a renewal that hangs in the network must not
// delay it, nor must the many tries that go-redis makes of it.
func TestGuardFiresWhileARenewalHangs(t *testing.T) {
	each(t, guarded, func(w *world, s string) {
		a, link := w.lock(s, "a", lock.WithLease(4*time.Second))
		l := w.acquire(a)
		link.setCut(true)
		w.lostBy(l, 2*time.Minute)
		if at := w.now(); at > 4*time.Second {
			w.t.Errorf("lost after %v, want before 4s", at)
		}
		w.wantOwner("a")
	})
}

func TestGuardMovesWithEachRenewal(t *testing.T) {
	each(t, guarded, func(w *world, s string) {
		a, link := w.lock(s, "a")
		l := w.acquire(a)
		w.sleepTo(55 * time.Second)
		link.setCut(true)
		w.lostBy(l, 2*time.Minute)
		if at := w.now(); at < 79*time.Second || at > 80*time.Second {
			w.t.Errorf("lost after %v, want shortly before 80s", at)
		}
	})
}

func TestGuardedHolderReleasesALostLease(t *testing.T) {
	each(t, guarded, func(w *world, s string) {
		a, link := w.lock(s, "a", lock.WithLease(4*time.Second), lock.WithDrift(0.5, 0))
		l := w.acquire(a)
		link.setCut(true)
		w.lostBy(l, time.Minute) // two seconds before the key ends
		link.setCut(false)
		w.release(l)
		w.wantOwner("")
		w.release(w.acquire(a))
	})
}

// The reply to the acquire comes when the lease is over by the guard's clock:
// the lock is not handed out, but released and asked for again.
func TestLateGrantIsNotHandedOut(t *testing.T) {
	each(t, guarded, func(w *world, s string) {
		a, link := w.lock(s, "a", lock.WithLease(2*time.Second))
		w.warm(a)
		w.forget()
		link.delayNextReply(1990 * time.Millisecond)
		start := time.Now()
		l := w.acquire(a)
		if took := time.Since(start); took < 1990*time.Millisecond {
			w.t.Fatalf("the reply was not late: %v", took)
		}
		if n := w.count("EVALSHA"); n != 3 { // acquire, release, acquire
			w.t.Errorf("%d scripts were sent, want 3", n)
		}
		if n := w.holdCount(a); n != 1 {
			w.t.Errorf("hold count is %d, want 1", n)
		}
		if ttl := w.m.TTL(key); ttl < 1900*time.Millisecond {
			w.t.Errorf("the lease handed out ends in %v", ttl)
		}
		w.release(l)
		w.wantOwner("")
	})
}

// fence not drawn atomically: whatever command a would send after its acquire,
// before it is sent a's lease ends and b acquires. a's token must be the older.
func TestFenceIsDrawnInTheSameStep(t *testing.T) {
	inWorld(t, func(w *world) {
		a, _ := w.lock("fenced", "a")
		b, _ := w.lock("fenced", "b")
		w.warm(a)
		var later lock.Lease
		w.clients[0].AddHook(afterFirst(func() {
			w.m.Del(key)
			later = w.acquire(b)
		}))
		earlier := w.acquire(a)
		if later == nil {
			t.Fatal("b did not acquire in between")
		}
		if earlier.Fence() >= later.Fence() {
			t.Errorf("a's token %d is not older than b's %d", earlier.Fence(), later.Fence())
		}
		w.release(later)
	})
}

// afterFirst runs f once, after the client's first command that succeeds.
type afterFirst func()

func (f afterFirst) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f afterFirst) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (f afterFirst) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	done := false
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if err == nil && !done {
			done = true
			f()
		}
		return err
	}
}

func TestFenceGrowsWithEachAcquisition(t *testing.T) {
	inWorld(t, func(w *world) {
		a, linkA := w.lock("fenced", "a")
		b, _ := w.lock("fenced", "b")
		last := int64(0)
		for i, k := range []lock.Locker{a, b, b, a, a} {
			if i == 3 {
				linkA.dropReplies(1) // a resent acquire
			}
			outer, inner := w.acquire(k), w.acquire(k)
			if outer.Fence() <= last {
				t.Errorf("acquisition %d: token %d after %d", i, outer.Fence(), last)
			}
			if inner.Fence() != outer.Fence() {
				t.Errorf("acquisition %d: re-entry has token %d, its hold %d", i, inner.Fence(), outer.Fence())
			}
			last = outer.Fence()
			w.release(inner)
			w.release(outer)
		}
		if last != 5 {
			t.Errorf("five acquisitions drew %d tokens", last)
		}
		if ttl := w.m.TTL("{" + key + "}:fence"); ttl != 0 {
			t.Errorf("the counter expires in %v", ttl)
		}
	})
}

func TestOnlyFencedHasAFence(t *testing.T) {
	each(t, all, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		if has := l.Fence() != 0; has != (s == "fenced") {
			w.t.Errorf("token %d", l.Fence())
		}
		w.release(l)
	})
}

// All keys but the fence's counter end by themselves.
func TestNoKeyIsLeftWithoutExpiry(t *testing.T) {
	each(t, all, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		w.release(w.acquire(a))
		time.Sleep(2 * time.Minute)
		var want []string
		if s == "fenced" {
			want = []string{"{" + key + "}:fence"}
		}
		if got := w.m.Keys(); len(got) != len(want) {
			w.t.Errorf("keys %v are left, want %v", got, want)
		}
	})
}
