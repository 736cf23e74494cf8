package redisconformance

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
)

// bound ends a test whose server does not answer. Nothing asserts on it.
const bound = 30 * time.Second

// recordedOf is the release whose replies the transcripts hold. Other releases
// word their errors otherwise.
const recordedOf = "7.0."

// findRedis looks for a redis-server of a release.
func findRedis(t *testing.T, release string) string {
	t.Helper()
	path := testneeds.RedisServer(t)
	version, err := exec.Command(path, "--version").Output()
	if err != nil || !strings.Contains(string(version), " v="+release) {
		testneeds.Missing(t, "redis-server is not of release "+release+"x: "+string(version))
	}
	return path
}

// server is one of the two under comparison.
type server interface {
	dial() (net.Conn, error)
	// jump moves the server's clock; forwards, time passing is the same.
	jump(t *testing.T, d time.Duration)
	// lapse lets time pass until the key is over.
	lapse(t *testing.T, key string)
}

// realServer is a redis-server of our own behind a socket in a directory: it
// takes no port that somebody else may want.
type realServer struct {
	socket string
	admin  *redis.Client
}

// guard runs a server until its own input ends, as it does when the test ends,
// in whatever way.
const guard = `"$@" >/dev/null 2>&1 & read -r _; kill -9 $!; wait $!; rm -rf "$0"`

func startRedis(t *testing.T, release string) *realServer {
	t.Helper()
	path := findRedis(t, release)
	// t.TempDir would make the path longer than a socket's may be.
	dir, err := os.MkdirTemp("", "simrun-differ")
	if err != nil {
		t.Fatal(err)
	}
	s := &realServer{socket: filepath.Join(dir, "s")}
	cmd := exec.Command("sh", "-c", guard, dir, path, "--port", "0", "--unixsocket", s.socket,
		"--dir", dir, "--save", "", "--appendonly", "no", "--databases", "1")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait() // it tells of the kill
	})
	s.admin = redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket, MaxRetries: -1})
	t.Cleanup(func() { _ = s.admin.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	for s.admin.Ping(ctx).Err() != nil {
		if ctx.Err() != nil {
			t.Fatal("redis-server does not answer")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return s
}

func (s *realServer) dial() (net.Conn, error) { return net.Dial("unix", s.socket) }

// jump shifts the expiry of every key the other way: Redis keeps it as a time
// of day, so that is what a jump of its clock does.
func (s *realServer) jump(t *testing.T, d time.Duration) {
	t.Helper()
	ctx := context.Background()
	keys, err := s.admin.Keys(ctx, "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		at, err := s.admin.Do(ctx, "PEXPIRETIME", k).Int64()
		if err != nil {
			t.Fatal(err)
		}
		if at < 0 {
			continue // no expiry, or gone since
		}
		if err := s.admin.Do(ctx, "PEXPIREAT", k, at-d.Milliseconds()).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// lapse really waits: redis-server has no other clock. It does not ask again
// after that, for the question would be what removes the key.
func (s *realServer) lapse(t *testing.T, key string) {
	t.Helper()
	left, err := s.admin.PTTL(context.Background(), key).Result()
	if err != nil || left > time.Second {
		t.Fatalf("lapse %s: %v is left, %v: too long to wait for", key, left, err)
	}
	time.Sleep(max(left, 0) + 2*time.Millisecond)
}

// fakeServer is a miniredis whose clock stands still between the steps, driven
// as the virtual world drives its own.
type fakeServer struct {
	m   *miniredis.Miniredis
	now time.Time
}

func startMiniredis(t *testing.T) *fakeServer {
	t.Helper()
	s := &fakeServer{m: miniredis.RunT(t), now: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
	s.m.SetTime(s.now)
	s.m.ClockTTL(true)
	return s
}

func (s *fakeServer) dial() (net.Conn, error) { return net.Dial("tcp", s.m.Addr()) }

// jump back needs more than a new time: miniredis keeps what is left of a life
// where Redis keeps its end.
func (s *fakeServer) jump(_ *testing.T, d time.Duration) {
	s.m.DB(0) // time that has passed reaches the keys
	s.now = s.now.Add(d)
	s.m.SetTime(s.now)
	if d < 0 {
		s.m.FastForward(d)
	}
}

func (s *fakeServer) lapse(t *testing.T, key string) {
	t.Helper()
	s.jump(t, s.m.TTL(key)+time.Millisecond)
}
