package lock_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

func TestInvalidOptionIsNamed(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer func() { _ = rdb.Close() }()
	for _, c := range []struct {
		name       string
		strategies []string
		opts       []lock.Option
		want       string
	}{
		{"no lease", all, []lock.Option{lock.WithLease(0)}, "WithLease"},
		{"negative lease", all, []lock.Option{lock.WithLease(-time.Second)}, "WithLease"},
		{"lease below Redis's resolution", all, []lock.Option{lock.WithLease(time.Microsecond)}, "WithLease"},
		{"no interval", all, []lock.Option{lock.WithRenewEvery(0)}, "WithRenewEvery"},
		{"renewal at the lease's end", renewed, []lock.Option{lock.WithRenewEvery(30 * time.Second)}, "WithRenewEvery"},
		{"renewal after a shorter lease", renewed, []lock.Option{
			lock.WithRenewEvery(2 * time.Second), lock.WithLease(time.Second)}, "WithRenewEvery"},
		{"cap below one", all, []lock.Option{lock.WithMaxRenewals(0)}, "WithMaxRenewals"},
		{"negative wait", all, []lock.Option{lock.WithWait(-1)}, "WithWait"},
		{"no pause", all, []lock.Option{lock.WithPoll(0, time.Second)}, "WithPoll"},
		{"pauses upside down", all, []lock.Option{lock.WithPoll(2, 1)}, "WithPoll"},
		{"no owner", all, []lock.Option{lock.WithOwner("")}, "WithOwner"},
		{"owner like a nonce", all, []lock.Option{lock.WithOwner("a#1")}, "WithOwner"},
		{"no jitter", all, []lock.Option{lock.WithJitter(nil)}, "WithJitter"},
		{"drift of the whole lease", all, []lock.Option{lock.WithDrift(1, 0)}, "WithDrift"},
		{"negative drift", all, []lock.Option{lock.WithDrift(0, -1)}, "WithDrift"},
		{"guard before the first renewal", []string{"guarded", "fenced"},
			[]lock.Option{lock.WithDrift(0.7, 0)}, "WithDrift"},
	} {
		for _, s := range c.strategies {
			_, err := newLock(s, rdb, key, c.opts...)
			if !errors.Is(err, lock.ErrInvalidOption) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: got error %v, want one that names %s", s, c.name, err, c.want)
			}
		}
	}
	for _, s := range all {
		if _, err := newLock(s, rdb, ""); !errors.Is(err, lock.ErrInvalidOption) {
			t.Errorf("%s, empty key: got error %v", s, err)
		}
		if _, err := newLock(s, nil, key); !errors.Is(err, lock.ErrInvalidOption) {
			t.Errorf("%s, no client: got error %v", s, err)
		}
		ring := redis.NewRing(&redis.RingOptions{})
		if _, err := newLock(s, ring, key); !errors.Is(err, lock.ErrInvalidOption) {
			t.Errorf("%s, a Ring: got error %v", s, err)
		}
		_ = ring.Close()
		if _, err := newLock(s, rdb, key); err != nil {
			t.Errorf("%s, defaults: %v", s, err)
		}
	}
}

func TestOwnersAreDifferentByDefault(t *testing.T) {
	inWorld(t, func(w *world) {
		rdb, _ := w.client()
		var owners []string
		for range 2 {
			k, err := lock.NewWatchdog(rdb, key)
			if err != nil {
				t.Fatal(err)
			}
			l := w.acquire(k)
			owners = append(owners, w.owner())
			w.release(l)
		}
		if owners[0] == owners[1] {
			t.Errorf("two locks share the owner %q", owners[0])
		}
	})
}

// What each strategy offers beyond Locker and Lease, as in the table of the package comment.
func TestOptionalInterfaces(t *testing.T) {
	each(t, all, func(w *world, s string) {
		k, _ := w.lock(s, "a")
		l := w.acquire(k)
		defer w.release(l)
		_, trier := k.(lock.Trier)
		_, lifetimer := k.(lock.Lifetimer)
		_, counter := k.(lock.HoldCounter)
		_, forcer := k.(lock.Forcer)
		_, extender := l.(lock.Extender)
		_, causer := l.(lock.Causer)
		got := [...]bool{trier, lifetimer, counter, forcer, extender, causer}
		want := [...]bool{true, true, true, true, true, true}
		switch s {
		case "naive":
			want = [...]bool{true, true, false, false, false, false}
		case "token":
			want = [...]bool{true, true, false, false, true, false}
		}
		if got != want {
			w.t.Errorf("offers %v, want %v", got, want)
		}
	})
}
