package lock_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/lock"
)

const key = "sale"

// world is a miniredis in virtual time, with clients that reach it over links.
type world struct {
	t *testing.T
	m *miniredis.Miniredis

	readTimeout time.Duration // of clients made from now on; 0: the default

	mu       sync.Mutex
	commands []string // in order, those that scripts call included
	clients  []*redis.Client
	links    []*link
}

// inWorld calls f in a bubble and then closes all clients: a goroutine that is
// left after that fails the test.
func inWorld(t *testing.T, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, m: miniredis.NewMiniRedis()}
		w.m.ClockTTL(true)
		c, err := w.m.Dial() // makes the server
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		w.m.Server().SetPreHook(func(_ *server.Peer, cmd string, _ ...string) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.commands = append(w.commands, cmd)
			return false
		})
		defer w.close()
		f(w)
	})
}

// close ends all goroutines that are not a leak.
func (w *world) close() {
	for _, l := range w.links {
		l.setCut(false)
	}
	for _, rdb := range w.clients {
		_ = rdb.Close()
	}
	time.Sleep(time.Hour) // late copies arrive, timers end
	w.m.Close()
}

// client makes a client with its link, set up as a simulation needs it.
func (w *world) client() (*redis.Client, *link) {
	l := &link{latency: time.Duration(500_000 + len(w.clients)*7)} // no two alike
	rdb := redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:6379", Protocol: 2, DisableIdentity: true,
		MinRetryBackoff: -1, MaxRetryBackoff: -1, ReadTimeout: w.readTimeout,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			client, srv := l.dial()
			w.m.Server().ServeConn(srv)
			return client, nil
		},
	})
	w.clients, w.links = append(w.clients, rdb), append(w.links, l)
	return rdb, l
}

// lock makes a client's lock of a strategy, with a fixed source of jitter.
func (w *world) lock(strategy, owner string, opts ...lock.Option) (lock.Locker, *link) {
	w.t.Helper()
	rdb, l := w.client()
	opts = append([]lock.Option{lock.WithOwner(owner), lock.WithJitter(func() float64 { return 0.5 })}, opts...)
	k, err := newLock(strategy, rdb, key, opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	return k, l
}

func newLock(strategy string, rdb redis.UniversalClient, key string, opts ...lock.Option) (lock.Locker, error) {
	switch strategy {
	case "naive":
		return lock.NewNaive(rdb, key, opts...)
	case "token":
		return lock.NewToken(rdb, key, opts...)
	case "watchdog":
		return lock.NewWatchdog(rdb, key, opts...)
	case "capped":
		return lock.NewCapped(rdb, key, opts...)
	case "guarded":
		return lock.NewGuarded(rdb, key, opts...)
	case "fenced":
		return lock.NewFenced(rdb, key, opts...)
	}
	return nil, fmt.Errorf("no strategy %q", strategy)
}

var (
	all     = []string{"naive", "token", "watchdog", "capped", "guarded", "fenced"}
	renewed = []string{"watchdog", "capped", "guarded", "fenced"}
)

// each runs a test in a world of its own for every strategy.
func each(t *testing.T, strategies []string, f func(w *world, strategy string)) {
	t.Helper()
	for _, s := range strategies {
		t.Run(s, func(t *testing.T) { inWorld(t, func(w *world) { f(w, s) }) })
	}
}

func (w *world) acquire(k lock.Locker) lock.Lease {
	w.t.Helper()
	l, err := k.Acquire(context.Background())
	if err != nil {
		w.t.Fatalf("acquire: %v", err)
	}
	return l
}

func (w *world) release(l lock.Lease) {
	w.t.Helper()
	if err := l.Release(context.Background()); err != nil {
		w.t.Errorf("release: %v", err)
	}
}

// owner is who holds the key in Redis, empty if nobody does.
func (w *world) owner() string {
	if !w.m.Exists(key) {
		return ""
	}
	if w.m.Type(key) == "string" {
		v, _ := w.m.Get(key)
		name, _, _ := strings.Cut(v, "#")
		return name
	}
	fields, _ := w.m.HKeys(key)
	for _, f := range fields {
		if !strings.Contains(f, "#") {
			return f
		}
	}
	return "?"
}

func (w *world) wantOwner(want string) {
	w.t.Helper()
	if got := w.owner(); got != want {
		w.t.Fatalf("after %v the key's owner is %q, want %q", w.now(), got, want)
	}
}

func (w *world) wantErr(got error, want ...error) {
	w.t.Helper()
	for _, e := range want {
		if !errors.Is(got, e) {
			w.t.Errorf("got error %v, want one that is %v", got, e)
		}
	}
}

// wantNotErr: the error must not be mistaken for any of these.
func (w *world) wantNotErr(got error, not ...error) {
	w.t.Helper()
	for _, e := range not {
		if errors.Is(got, e) {
			w.t.Errorf("got error %v, which is also %v", got, e)
		}
	}
}

// now is the virtual time since the bubble began.
func (w *world) now() time.Duration {
	return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
}

// sleepTo sleeps until the virtual time d.
func (w *world) sleepTo(d time.Duration) { time.Sleep(d - w.now()) }

// count is how often clients sent cmd.
func (w *world) count(cmd string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.commands {
		if c == cmd {
			n++
		}
	}
	return n
}

func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commands = nil
}

// sent is all commands since forget, those that scripts called included.
func (w *world) sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.commands)
}

// lostBy waits for the holder to learn of its loss, until the virtual time d.
func (w *world) lostBy(l lock.Lease, d time.Duration) {
	w.t.Helper()
	select {
	case <-l.Lost():
	case <-time.After(d - w.now()):
	}
	if !isLost(l) {
		w.t.Fatalf("after %v the holder has not learnt of its loss", w.now())
	}
}

func isLost(l lock.Lease) bool {
	select {
	case <-l.Lost():
		return true
	default:
		return false
	}
}

func cause(l lock.Lease) error { return l.(lock.Causer).Cause() }

// refuse makes Redis answer cmd with an error.
func (w *world) refuse(cmd string) {
	w.m.Server().SetPreHook(func(c *server.Peer, got string, _ ...string) bool {
		w.mu.Lock()
		w.commands = append(w.commands, got)
		w.mu.Unlock()
		if got == cmd {
			c.WriteError("NOPERM this user has no permissions to run the command")
		}
		return got == cmd
	})
}
