package lock_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/lock"
)

const (
	sentinelMaster   = "locks"
	sentinelPassword = "secret"
	sentinelDatabase = 3
)

// A held lock outlives a failover: a primary with a password, its replica and two
// sentinels are real processes; the primary is killed while the lock is held, the
// sentinels promote the replica, and the same lease is renewed and released there.
func TestAHeldLockOutlivesASentinelFailover(t *testing.T) {
	group := startSentinels(t)
	rdb := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName:    sentinelMaster,
		SentinelAddrs: group.sentinels,
		Password:      sentinelPassword,
		DB:            sentinelDatabase,
	})
	defer func() { _ = rdb.Close() }()
	// The lease is longer than a failover takes, however busy the machine is.
	const lease = time.Minute
	l, err := lock.NewWatchdog(rdb, "stock", lock.WithLease(lease), lock.WithRenewEvery(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	held, err := l.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	replica := group.client(t, group.replica)
	eventually(t, "the lock is on the replica", func() bool { return replica.Exists(t.Context(), "stock").Val() == 1 })

	group.kill(t, group.primary)
	eventually(t, "the replica is promoted", func() bool { return role(t, replica)[0] == "master" })
	if err := replica.PExpire(t.Context(), "stock", lease/2).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new primary is asked to renew", func() bool {
		return replica.PTTL(t.Context(), "stock").Val() > lease/2
	})
	select {
	case <-held.Lost():
		t.Error("the lease was lost, although the new primary has its key")
	default:
	}
	other, err := lock.NewWatchdog(rdb, "stock", lock.WithLease(lease), lock.WithRenewEvery(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.TryAcquire(t.Context()); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("another owner tries the held lock on the new primary: %v, want %v", err, lock.ErrNotAcquired)
	}
	if err := held.Release(t.Context()); err != nil {
		t.Errorf("release on the new primary: %v", err)
	}
	again, err := other.Acquire(t.Context())
	if err != nil {
		t.Fatalf("acquire after the release: %v", err)
	}
	if err := again.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// sentinelGroup is a primary, its replica and two sentinels.
type sentinelGroup struct {
	primary, replica string // addresses
	sentinels        []string
	processes        map[string]*exec.Cmd // by address
}

func startSentinels(t *testing.T) *sentinelGroup {
	t.Helper()
	program := testneeds.RedisServer(t)
	g := &sentinelGroup{processes: map[string]*exec.Cmd{}}
	common := "bind 127.0.0.1\nsave \"\"\nrequirepass " + sentinelPassword + "\nmasterauth " + sentinelPassword + "\nrepl-diskless-sync-delay 0\n"
	g.primary = g.start(t, program, common)
	host, port, err := net.SplitHostPort(g.primary)
	if err != nil {
		t.Fatal(err)
	}
	g.replica = g.start(t, program, common+"replicaof "+host+" "+port+"\n")
	replica := g.client(t, g.replica)
	eventually(t, "the replica follows", func() bool {
		r := role(t, replica)
		return r[0] == "slave" && r[3] == "connected"
	})
	watch := fmt.Sprintf("bind 127.0.0.1\nsentinel monitor %[1]s %[2]s %[3]s 2\nsentinel auth-pass %[1]s %[4]s\n"+
		"sentinel down-after-milliseconds %[1]s 500\nsentinel failover-timeout %[1]s 3000\n", sentinelMaster, host, port, sentinelPassword)
	for range 2 {
		g.sentinels = append(g.sentinels, g.start(t, program, watch, "--sentinel"))
	}
	for _, addr := range g.sentinels {
		sentinel := redis.NewSentinelClient(&redis.Options{Addr: addr})
		t.Cleanup(func() { _ = sentinel.Close() })
		eventually(t, "the sentinels know each other and the replica", func() bool {
			known, err := sentinel.Master(t.Context(), sentinelMaster).Result()
			return err == nil && known["num-other-sentinels"] == "1" && known["num-slaves"] == "1"
		})
	}
	return g
}

// start starts a server with a configuration file, which a sentinel writes to, and
// returns its address.
func (g *sentinelGroup) start(t *testing.T, program, config string, args ...string) string {
	t.Helper()
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := probe.Addr().String()
	_ = probe.Close()
	_, port, _ := net.SplitHostPort(addr)
	dir := t.TempDir()
	file := filepath.Join(dir, "redis.conf")
	if err := os.WriteFile(file, []byte("port "+port+"\ndir "+dir+"\n"+config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{file}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.processes[addr] = cmd
	t.Cleanup(func() { g.kill(t, addr) })
	eventually(t, "a server listens", func() bool {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return addr
}

// kill ends a server at once; it may have been killed before.
func (g *sentinelGroup) kill(t *testing.T, addr string) {
	t.Helper()
	cmd, there := g.processes[addr]
	if !there {
		return
	}
	delete(g.processes, addr)
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed, and says so
}

// role is the answer to ROLE: "master", or "slave", its master's host and port, and
// the state of the link. It begins with nil while the server does not answer.
func role(t *testing.T, rdb *redis.Client) []any {
	t.Helper()
	answer, err := rdb.Do(t.Context(), "ROLE").Slice()
	if err != nil || len(answer) == 0 {
		return []any{nil}
	}
	return answer
}

func (g *sentinelGroup) client(t *testing.T, addr string) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Addr: addr, Password: sentinelPassword, DB: sentinelDatabase})
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a minute has passed, and not yet: %s", what)
		}
	}
}
