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

// bound fails a test whose server does not answer. No assertion depends on it.
const bound = 30 * time.Second

// recordedOf is the release whose replies are in the transcripts. Other releases have
// other error texts.
const recordedOf = "7.0."

// findRedis returns the path of a redis-server of a release.
func findRedis(t *testing.T, release string) string {
	t.Helper()
	path := testneeds.RedisServer(t)
	version, err := exec.Command(path, "--version").Output()
	if err != nil || !strings.Contains(string(version), " v="+release) {
		testneeds.Missing(t, "redis-server is not of release "+release+"x: "+string(version))
	}
	return path
}

// server is one of the two servers compared.
type server interface {
	dial() (net.Conn, error)
	// jump steps the server's clock; forwards, this equals time passing.
	jump(t *testing.T, d time.Duration)
	// lapse lets time pass until the key has expired.
	lapse(t *testing.T, key string)
}

// realServer is a redis-server on a Unix socket, so that it occupies no port.
type realServer struct {
	socket string
	admin  *redis.Client
}

// guard runs a server until its own input ends, as it does however the test ends.
const guard = `"$@" >/dev/null 2>&1 & read -r _; kill -9 $!; wait $!; rm -rf "$0"`

func startRedis(t *testing.T, release string) *realServer {
	t.Helper()
	path := findRedis(t, release)
	// The path of t.TempDir may be too long for a socket.
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
		_ = cmd.Wait() // it reports the kill
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

// jump moves the expiry of every key the other way: Redis stores it as an absolute
// time, so this has the effect of stepping its clock.
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

// lapse really waits: redis-server has no other clock. It does not look afterwards,
// as the look itself would remove the key.
func (s *realServer) lapse(t *testing.T, key string) {
	t.Helper()
	left, err := s.admin.PTTL(context.Background(), key).Result()
	if err != nil || left > time.Second {
		t.Fatalf("lapse %s: %v is left, %v: too long to wait for", key, left, err)
	}
	time.Sleep(max(left, 0) + 2*time.Millisecond)
}

// fakeServer is a miniredis whose clock stands still between the steps, set as the
// virtual world sets its own.
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

// jump does more than set the time when it goes back: miniredis stores the remaining
// life of a key, Redis its end.
func (s *fakeServer) jump(_ *testing.T, d time.Duration) {
	s.m.DB(0) // applies time that has passed to the keys
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
