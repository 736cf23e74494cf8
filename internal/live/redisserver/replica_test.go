package redisserver

import (
	"context"
	"errors"
	"io"
	"net"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// wire is a link that stops passing data when asked for a lag, which it records.
type wire struct {
	l        net.Listener
	upstream string
	asked    time.Duration
	stopped  atomic.Bool
}

func newWire(upstream string) (*wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{l: l, upstream: upstream}
	go w.forward() // ends with either process
	return w, nil
}

// forward passes one connection, which is all that a replica makes.
func (w *wire) forward() {
	replica, err := w.l.Accept()
	if err != nil {
		return
	}
	defer replica.Close()
	primary, err := net.Dial("tcp", w.upstream)
	if err != nil {
		return
	}
	defer primary.Close()
	go func() { _, _ = io.Copy(primary, replica) }()
	b := make([]byte, 4096)
	for {
		n, err := primary.Read(b)
		if err != nil {
			return
		}
		if !w.stopped.Load() {
			_, _ = replica.Write(b[:n])
		}
	}
}

func (w *wire) Addr() string { return w.l.Addr().String() }

// Delay stops the data, which amounts to a lag longer than the test.
func (w *wire) Delay(lag time.Duration) (string, error) {
	w.asked = lag
	w.stopped.Store(true)
	return "nothing comes through", nil
}

func (w *wire) Close() error { return w.l.Close() }

// replicate gives a server a replica with a lag.
func replicate(t *testing.T, s Server, lag time.Duration) *wire {
	t.Helper()
	var w *wire
	err := s.Replicate(t.Context(), lag, func(upstream string) (l Link, err error) {
		w, err = newWire(upstream)
		return w, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var replicated = map[string]*regexp.Regexp{
	Miniredis: regexp.MustCompile(`^miniredis has left \S+, and its replica, 1h0m0s behind, has taken its place: ` +
		`of 2 keys 1 are lost and 0 as they were before; 0 that were gone are back$`),
	RedisServer: regexp.MustCompile(`^redis-server process (\d+): killed by signal 9, at replication offset \d+; ` +
		`its replica, process \d+ \(nothing comes through\), master_link_status:up before, role:master after, took its place at \S+ at offset \d+$`),
}

// A failover loses what the replica has not received, and nothing else. It ends
// connections and forgets scripts, and clients then reach the new primary.
func TestFailover(t *testing.T) {
	for _, spec := range started {
		t.Run(spec, func(t *testing.T) {
			s := open(t, spec, Options{})
			rdb, ctx, addr := client(t, s), t.Context(), s.Addr()
			must[string](t)(rdb.Set(ctx, "old", "x", hour).Result())
			sha := must[string](t)(rdb.ScriptLoad(ctx, "return 1").Result())
			replicate(t, s, hour)
			must[string](t)(rdb.Set(ctx, "new", "x", hour).Result())
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}

			proof := must[string](t)(s.Promote(ctx))
			if !replicated[spec].MatchString(proof) {
				t.Errorf("proof %q", proof)
			}
			if n, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("a connection outlived the failover and gave %d bytes", n)
			}
			if moved := spec == RedisServer; (s.Addr() != addr) != moved {
				t.Errorf("address %s, was %s", s.Addr(), addr)
			}
			if _, err := net.Dial("tcp", addr); spec == RedisServer && err == nil {
				t.Error("the dead primary still listens")
			}
			if got := keys(t, rdb); !got["old"] || got["new"] {
				t.Errorf("keys %v, want only old", got)
			}
			if life := must[time.Duration](t)(rdb.PTTL(ctx, "old").Result()); !aboutHours(life, 1) {
				t.Errorf("the key lives %v, want what remained", life)
			}
			if err := rdb.EvalSha(ctx, sha, nil).Err(); !redis.HasErrorPrefix(err, "NOSCRIPT") {
				t.Errorf("a script outlived the failover: %v", err)
			}
			must[string](t)(rdb.Set(ctx, "new", "x", hour).Result())
			if _, err := s.Promote(ctx); !errors.Is(err, ErrNoReplica) {
				t.Errorf("a second failover without a replica: %v, want ErrNoReplica", err)
			}
		})
	}
}

// After a failover, a restart and another failover work.
func TestAfterAFailover(t *testing.T) {
	for _, spec := range started {
		t.Run(spec, func(t *testing.T) {
			s := open(t, spec, Options{})
			rdb, ctx := client(t, s), t.Context()
			must[string](t)(rdb.Set(ctx, "k", "x", hour).Result())
			for range 2 {
				replicate(t, s, hour)
				must[string](t)(s.Promote(ctx))
				must[string](t)(s.Stop(ctx, true))
				must[string](t)(s.Start(ctx))
				if _, err := s.JumpClock(ctx, time.Minute); err != nil {
					t.Error(err)
				}
				if got := keys(t, rdb); len(got) != 1 {
					t.Errorf("keys %v, want only k", got)
				}
			}
		})
	}
}

// A replica follows its primary, and ends with it.
func TestReplicaOfARealServer(t *testing.T) {
	s := open(t, RedisServer, Options{}).(*lifecycle)
	w := replicate(t, s, time.Second)
	if w.asked != time.Second {
		t.Errorf("the link was asked for a lag of %v", w.asked)
	}
	replica := s.Server.(*spawned).replica
	about := must[info](t)(ask(t.Context(), replica.admin))
	if about["role"] != "slave" || about["master_link_status"] != "up" {
		t.Errorf("the replica's role is %q, its link %q", about["role"], about["master_link_status"])
	}
	if err := s.Replicate(t.Context(), 0, nil); err == nil {
		t.Error("no error for a second replica")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{replica.addr, s.Addr(), w.Addr()} {
		if _, err := net.Dial("tcp", a); err == nil {
			t.Errorf("%s still listens", a)
		}
	}
}

// If the link cannot be made there is no replica, and nothing of it remains.
func TestALinkThatCannotBeMade(t *testing.T) {
	s := open(t, RedisServer, Options{}).(*lifecycle)
	broken := errors.New("no link")
	err := s.Replicate(t.Context(), 0, func(string) (Link, error) { return nil, broken })
	if !errors.Is(err, broken) || s.Server.(*spawned).replica != nil {
		t.Errorf("error %v, replica %v", err, s.Server.(*spawned).replica)
	}
	if _, err := s.Promote(context.Background()); !errors.Is(err, ErrNoReplica) {
		t.Errorf("promote: %v, want ErrNoReplica", err)
	}
}
