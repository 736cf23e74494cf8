package redisserver

import (
	"context"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/internal/proc"
)

func TestMain(m *testing.M) {
	if proc.IsReaper(os.Args[1:]) {
		proc.RunReaper()
	}
	if len(os.Args) == 2 && os.Args[1] == ownerVerb {
		own()
	}
	os.Exit(m.Run())
}

// started are the servers that Open starts.
var started = []string{Miniredis, RedisServer}

// open opens a server for one test.
func open(t *testing.T, spec string, o Options) Server {
	t.Helper()
	if spec == RedisServer {
		testneeds.RedisServer(t)
	}
	s, err := Open(t.Context(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// client is an admin connection to a server.
func client(t *testing.T, s Server) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(s.Options())
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// must fails the test if a call fails.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// keys returns all keys of a server.
func keys(t *testing.T, rdb *redis.Client) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, k := range must[[]string](t)(rdb.Keys(context.Background(), "*").Result()) {
		all[k] = true
	}
	return all
}
