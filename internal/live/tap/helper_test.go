package tap

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/internal/live/redisserver"
)

// servers runs a test against each server that a live run can have.
func servers(t *testing.T, test func(t *testing.T, addr string)) {
	t.Run(redisserver.Miniredis, func(t *testing.T) { test(t, miniredis.RunT(t).Addr()) })
	t.Run(redisserver.RedisServer, func(t *testing.T) { test(t, redisServer(t).Addr()) })
}

// redisServer starts a redis-server.
func redisServer(t *testing.T) redisserver.Server {
	t.Helper()
	testneeds.RedisServer(t)
	s, err := redisserver.Open(t.Context(), redisserver.RedisServer, redisserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// witness records what a tap reports.
type witness struct {
	mu   sync.Mutex
	said []string
}

func (w *witness) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// take returns what was recorded since the last call.
func (w *witness) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	said := strings.Join(w.said, "\n")
	w.said = nil
	return said
}

func (w *witness) options(key string) Options {
	return Options{
		Key:     key,
		Serial:  NewSerializer(),
		Before:  func(client, name string) { w.note("%s before %s", client, name) },
		After:   func(client, name string) { w.note("%s after %s", client, name) },
		Command: func(client, name string) { w.note("%s %s", client, name) },
		Strange: func(err error) { w.note("strange: %v", err) },
	}
}

// silent are the options of a tap whose reports nobody reads.
func silent(key string) Options {
	ignore := func(string, string) {}
	return Options{Key: key, Serial: NewSerializer(), Before: ignore, After: ignore, Command: ignore, Strange: func(error) {}}
}

func newTestTap(t *testing.T, client, upstream string, o Options) *Tap {
	t.Helper()
	tap, err := New(client, func() string { return upstream }, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tap.Close(); err != nil {
			t.Error(err)
		}
		if n := len(tap.open()); n != 0 {
			t.Errorf("%d connections outlived Close", n)
		}
	})
	return tap
}

// dial connects a go-redis client that sends nothing on its own and never retries.
func dial(t testing.TB, addr string) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{
		Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, ReadTimeout: -1, WriteTimeout: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	t.Cleanup(func() { _ = rdb.Close() })
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return rdb
}

// must is for calls that do not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
