package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockchaos/simrun/lock"
)

func TestRenewalOutlastsTheLease(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		time.Sleep(55 * time.Second)
		w.wantOwner("a")
		if isLost(l) {
			w.t.Errorf("lost: %v", cause(l))
		}
		w.release(l)
	})
}

func TestWatchdogRenewsForEver(t *testing.T) {
	each(t, []string{"watchdog", "guarded", "fenced"}, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		time.Sleep(time.Hour)
		w.wantOwner("a")
		w.release(l)
	})
}

func TestPlainKeysAreNeverRenewed(t *testing.T) {
	each(t, []string{"naive", "token"}, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		if l.Lost() != nil {
			w.t.Error("it has a Lost channel")
		}
		time.Sleep(30 * time.Second)
		w.wantOwner("")
	})
}

// renewal without an owner check: it would prolong b's lease, and a would never
// learn (redbeat#127).
func TestRenewalChecksTheOwner(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		w.sleepTo(9 * time.Second)
		w.m.Del(key)
		w.m.HSet(key, "b", "1")
		w.m.SetTTL(key, 5*time.Second)
		w.lostBy(l, time.Minute)
		w.wantErr(cause(l), lock.ErrLeaseLost)
		if w.now() > 11*time.Second {
			w.t.Errorf("a learnt after %v, want at its renewal after 10s", w.now())
		}
		if ttl := w.m.TTL(key); ttl > 4*time.Second {
			w.t.Errorf("a's renewal prolonged b's lease to %v", ttl)
		}
	})
}

// One renewal that errors must not end the watching (redisson#2515).
func TestLockIsKeptOverAFailedRenewal(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, link := w.lock(s, "a")
		l := w.acquire(a)
		w.sleepTo(9 * time.Second)
		link.setCut(true)
		w.sleepTo(23 * time.Second) // go-redis has given up the renewal of 10 s
		link.setCut(false)
		w.sleepTo(45 * time.Second)
		if isLost(l) {
			w.t.Fatalf("lost: %v", cause(l))
		}
		w.wantOwner("a")
		w.release(l)
	})
}

func TestOverwrittenKeyIsALoss(t *testing.T) {
	each(t, renewed, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		w.m.Del(key)
		_ = w.m.Set(key, "not a hash")
		w.lostBy(l, time.Minute)
		w.wantErr(cause(l), lock.ErrLeaseLost)
		w.wantErr(l.Release(context.Background()), lock.ErrNotHeld)
	})
}

func TestWatchdogCutOffBelievesForEver(t *testing.T) {
	inWorld(t, func(w *world) {
		a, link := w.lock("watchdog", "a")
		l := w.acquire(a)
		link.setCut(true)
		time.Sleep(10 * time.Minute)
		if isLost(l) {
			t.Errorf("lost: %v", cause(l))
		}
		w.wantOwner("")
	})
}

func TestExtendOutlastsTheLease(t *testing.T) {
	each(t, append([]string{"token"}, renewed...), func(w *world, s string) {
		a, link := w.lock(s, "a")
		l := w.acquire(a)
		if err := l.(lock.Extender).Extend(context.Background(), 5*time.Minute); err != nil {
			w.t.Fatal(err)
		}
		w.sleepTo(15 * time.Second)
		if ttl, err := a.(lock.Lifetimer).TTL(context.Background()); err != nil || ttl < 4*time.Minute {
			w.t.Errorf("TTL is %v (error %v): a renewal shortened the lease", ttl, err)
		}
		link.setCut(true)
		w.sleepTo(50 * time.Second)
		w.wantOwner("a")
		if s != "token" && isLost(l) {
			w.t.Errorf("lost: %v", cause(l))
		}
		w.wantErr(l.(lock.Extender).Extend(context.Background(), time.Second), lock.ErrNoAnswer)
	})
}

func TestExtendOfAnothersKeyFails(t *testing.T) {
	each(t, append([]string{"token"}, renewed...), func(w *world, s string) {
		a, _ := w.lock(s, "a")
		l := w.acquire(a)
		w.m.Del(key)
		if s == "token" {
			_ = w.m.Set(key, "b#1")
		} else {
			w.m.HSet(key, "b", "1")
		}
		w.m.SetTTL(key, 5*time.Second)
		w.wantErr(l.(lock.Extender).Extend(context.Background(), time.Minute), lock.ErrNotHeld)
		if ttl := w.m.TTL(key); ttl > 5*time.Second {
			w.t.Errorf("it prolonged b's lease to %v", ttl)
		}
	})
}

func TestTTL(t *testing.T) {
	each(t, all, func(w *world, s string) {
		a, _ := w.lock(s, "a")
		ttl := func() time.Duration {
			d, err := a.(lock.Lifetimer).TTL(context.Background())
			if err != nil {
				w.t.Fatal(err)
			}
			return d
		}
		if d := ttl(); d != 0 {
			w.t.Errorf("of a free lock: %v, want 0", d)
		}
		l := w.acquire(a)
		if d := ttl(); d < 29*time.Second || d > 30*time.Second {
			w.t.Errorf("of a held lock: %v, want about 30s", d)
		}
		w.release(l)
		_ = w.m.Set(key, "for ever")
		if d := ttl(); d >= 0 {
			w.t.Errorf("of a key without expiry: %v, want it negative", d)
		}
	})
}
