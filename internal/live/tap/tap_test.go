package tap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

func TestEachCommandThatTouchesTheKeyIsSeen(t *testing.T) {
	servers(t, func(t *testing.T, addr string) {
		ctx := t.Context()
		var w witness
		rdb := dial(t, newTestTap(t, "A", addr, w.options("lock")).Addr())
		script := redis.NewScript(`return redis.call('DEL', KEYS[1])`)
		if err := script.Load(ctx, rdb).Err(); err != nil {
			t.Fatal(err)
		}
		// This opens the separate connections of pipelines.
		pong := func(p redis.Pipeliner) error { return p.Ping(ctx).Err() }
		if _, err := rdb.Pipelined(ctx, pong); err != nil {
			t.Fatal(err)
		}
		w.take()
		for _, step := range []struct {
			do   func() error
			want string
		}{
			{func() error { return rdb.SetNX(ctx, "lock", "me", time.Hour).Err() },
				"A before set\nA set\nA after set"},
			{func() error { return rdb.Get(ctx, "other").Err() }, "A get"},
			{func() error { return script.EvalSha(ctx, rdb, []string{"lock"}).Err() },
				"A before evalsha\nA evalsha\nA after evalsha"},
			{func() error {
				_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
					p.Set(ctx, "x", "1", 0)
					p.HSet(ctx, "lock", "f", "1")
					p.Incr(ctx, "x")
					p.Del(ctx, "lock")
					return nil
				})
				return err
			}, "A set\nA before hset\nA hset\nA after hset\nA incr\nA before del\nA del\nA after del"},
			{func() error {
				_, err := rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
					p.Set(ctx, "lock", "1", 0)
					p.Set(ctx, "x", "1", 0)
					return nil
				})
				return err
			}, "A multi\nA set\nA set\nA before exec\nA exec\nA after exec"},
			{func() error { return rdb.Do(ctx, "nonsense", "lock").Err() },
				"A before nonsense\nA nonsense\nA after nonsense"},
		} {
			var refused redis.Error
			if err := step.do(); err != nil && !errors.As(err, &refused) {
				t.Fatal(err)
			}
			if got := w.take(); got != step.want {
				t.Errorf("reported:\n%s\nwant:\n%s", got, step.want)
			}
		}
	})
}

func TestBytesPassAsTheyAre(t *testing.T) {
	servers(t, func(t *testing.T, addr string) {
		ctx := t.Context()
		var w witness
		rdb := dial(t, newTestTap(t, "A", addr, w.options("lock")).Addr())
		for _, size := range []int{0, 1, readSize - 1, readSize, 5_000_000} {
			value := strings.Repeat("\r\n$1*", size/4+1)[:size]
			for _, key := range []string{"lock", "other"} {
				if err := rdb.Set(ctx, key, value, 0).Err(); err != nil {
					t.Fatal(err)
				}
				if got, err := rdb.Get(ctx, key).Result(); err != nil || got != value {
					t.Fatalf("%s: %d bytes came back, want %d, error %v", key, len(got), size, err)
				}
			}
		}
		cmds, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for n := range 1000 {
				p.Set(ctx, fmt.Sprint("k", n), n, 0)
				p.Get(ctx, fmt.Sprint("k", n))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 1000 {
			if got := cmds[2*n+1].(*redis.StringCmd).Val(); got != fmt.Sprint(n) {
				t.Errorf("k%d = %q", n, got)
			}
		}
		if said := w.take(); strings.Contains(said, "strange") {
			t.Error("something was strange")
		}
	})
}

func TestSubscriptionsPass(t *testing.T) {
	servers(t, func(t *testing.T, addr string) {
		for _, protocol := range []int{2, 3} {
			t.Run(fmt.Sprint("protocol", protocol), func(t *testing.T) {
				ctx := t.Context()
				var w witness
				tap := newTestTap(t, "A", addr, w.options("lock"))
				rdb := redis.NewClient(&redis.Options{Addr: tap.Addr(), Protocol: protocol})
				defer func() { _ = rdb.Close() }()
				sub := rdb.Subscribe(ctx, "a", "lock")
				defer func() { _ = sub.Close() }()
				receive := func() string {
					for {
						switch m := must(sub.Receive(ctx)).(type) {
						case *redis.Subscription:
							return fmt.Sprint(m.Kind, " ", m.Channel)
						case *redis.Message:
							return m.Channel + ": " + m.Payload
						}
					}
				}
				got := []string{receive(), receive()}
				for _, channel := range []string{"a", "lock"} {
					if n := must(rdb.Publish(ctx, channel, "hello").Result()); n != 1 {
						t.Errorf("%d heard of %s", n, channel)
					}
					got = append(got, receive())
				}
				if err := sub.Unsubscribe(ctx); err != nil {
					t.Fatal(err)
				}
				got = append(got, receive(), receive())
				slices.Sort(got[4:])
				want := []string{"subscribe a", "subscribe lock", "a: hello", "lock: hello", "unsubscribe a", "unsubscribe lock"}
				if !slices.Equal(got, want) {
					t.Errorf("received %q, want %q", got, want)
				}
				if err := rdb.Set(ctx, "lock", "x", 0).Err(); err != nil {
					t.Error(err)
				}
				if said := w.take(); strings.Contains(said, "strange") || !strings.HasSuffix(said, "A after set") {
					t.Errorf("reported:\n%s", said)
				}
			})
		}
	})
}

// Between Before and After of a command no other command touches the key, of any
// client, and the key is as the last command left it.
func TestOneAtATime(t *testing.T) {
	servers(t, func(t *testing.T, addr string) {
		const clients, commands = 4, 50
		ctx := t.Context()
		admin := dial(t, addr)
		serial := NewSerializer()
		rounds := map[string]int{} // of each client
		inside, value := "", ""    // guarded by the turnstile alone: the race detector sees to that
		var all sync.WaitGroup
		for n := range clients {
			client := fmt.Sprint("C", n)
			o := silent("lock")
			o.Serial = serial
			o.Before = func(client, name string) {
				if inside != "" {
					t.Errorf("%s comes while %s is inside", client, inside)
				}
				if now := must(admin.Get(ctx, "lock").Result()); now != value {
					t.Errorf("the key is %q before a command, was %q after the last", now, value)
				}
				inside = client
			}
			o.After = func(client, name string) {
				if inside != client {
					t.Errorf("after of %s while %s is inside", client, inside)
				}
				value = must(admin.Get(ctx, "lock").Result())
				if want := fmt.Sprint(client, "#", rounds[client]); value != want {
					t.Errorf("the key is %q, its command wrote %q", value, want)
				}
				rounds[client]++
				inside = ""
			}
			tap := newTestTap(t, client, addr, o)
			if n == 0 {
				if err := admin.Set(ctx, "lock", "", 0).Err(); err != nil {
					t.Fatal(err)
				}
			}
			rdb := dial(t, tap.Addr())
			all.Go(func() {
				for round := range commands {
					if err := rdb.Set(ctx, "lock", fmt.Sprint(client, "#", round), 0).Err(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
}

func TestReset(t *testing.T) {
	servers(t, func(t *testing.T, addr string) {
		tap := newTestTap(t, "A", addr, silent(""))
		if n := tap.Reset(); n != 0 {
			t.Errorf("%d connections reset, none is open", n)
		}
		rdb := dial(t, tap.Addr())
		raw, err := net.Dial("tcp", tap.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = raw.Close() }()
		if _, err := raw.Write([]byte("*1\r\n$4\r\nPING\r\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := raw.Read(make([]byte, 7)); err != nil {
			t.Fatal(err)
		}
		if n := tap.Reset(); n != 2 {
			t.Errorf("%d connections reset, want 2", n)
		}
		if _, err := raw.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the client sees %v, want ECONNRESET", err)
		}
		// The pool may discard the connection in time, and no error is seen.
		if err := rdb.Ping(t.Context()).Err(); err != nil {
			if err := rdb.Ping(t.Context()).Err(); err != nil {
				t.Errorf("after a reset and one error: %v", err)
			}
		}
	})
}

func TestLoseReply(t *testing.T) {
	servers(t, func(t *testing.T, addr string) {
		ctx := context.Background()
		var w witness
		tap := newTestTap(t, "A", addr, w.options("lock"))
		rdb, admin := dial(t, tap.Addr()), dial(t, addr)
		w.take()
		tap.LoseReply(func(proof string) { w.note("%s", proof) })
		if err := rdb.SetNX(ctx, "lock", "me", time.Hour).Err(); err == nil {
			t.Error("the reply was not lost")
		}
		if got := must(admin.Get(ctx, "lock").Result()); got != "me" {
			t.Errorf("the key is %q: the command was not applied", got)
		}
		want := "A before set\nA set\nA after set\nreply of 5 bytes to set on connection A#1 dropped, connection reset"
		if got := w.take(); got != want {
			t.Errorf("reported:\n%s\nwant:\n%s", got, want)
		}
		if err := rdb.Get(ctx, "lock").Err(); err != nil {
			t.Errorf("another reply is lost: %v", err)
		}
	})
}

func TestWhatIsNotRedisPasses(t *testing.T) {
	addr := redisServer(t).Addr()
	for name, tc := range map[string]struct{ send, want, told string }{
		"inline":       {"PING\r\nPING\r\n", "+PONG\r\n+PONG\r\n", "not Redis's protocol"},
		"monitor":      {"*1\r\n$7\r\nMONITOR\r\n", "+OK\r\n", "after monitor"},
		"reply off":    {"*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nSKIP\r\nPING\r\nPING\r\n", "+PONG\r\n", "after client"},
		"an empty one": {"*0\r\n*1\r\n$4\r\nPING\r\n", "+PONG\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var w witness
			tap := newTestTap(t, "A", addr, w.options("lock"))
			conn, err := net.Dial("tcp", tap.Addr())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := conn.Write([]byte(tc.send)); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(tc.want))
			for have := 0; have < len(got); {
				n, err := conn.Read(got[have:])
				if err != nil {
					t.Fatal(err)
				}
				have += n
			}
			said := w.take()
			if string(got) != tc.want || strings.Contains(said, "strange") != (tc.told != "") || !strings.Contains(said, tc.told) {
				t.Errorf("got %q, reported %q; want %q, reported %q", got, said, tc.want, tc.told)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	m := miniredis.RunT(t)
	var w witness
	tap := newTestTap(t, "A", m.Addr(), w.options("lock"))
	m.Close()
	conn, err := net.Dial("tcp", tap.Addr())
	if err == nil { // else it was ended before it could be used
		_, err = conn.Read(make([]byte, 1))
		_ = conn.Close()
	}
	if err == nil {
		t.Error("a connection without a server was not ended")
	}
	if got := w.take(); !strings.Contains(got, ErrUpstream.Error()) {
		t.Errorf("reported %q", got)
	}
	if err := m.Restart(); err != nil {
		t.Fatal(err)
	}
	dial(t, tap.Addr())
}

// After a failover, connections go to the server that took over.
func TestUpstreamIsAskedForEachConnection(t *testing.T) {
	one, two := miniredis.RunT(t), miniredis.RunT(t)
	for name, m := range map[string]*miniredis.Miniredis{"one": one, "two": two} {
		if err := m.Set("name", name); err != nil {
			t.Fatal(err)
		}
	}
	var primary atomic.Pointer[miniredis.Miniredis]
	primary.Store(one)
	tap := must(New("A", func() string { return primary.Load().Addr() }, silent("")))
	defer func() { _ = tap.Close() }()
	rdb := dial(t, tap.Addr())
	if got := must(rdb.Get(t.Context(), "name").Result()); got != "one" {
		t.Errorf("led to %s, want one", got)
	}
	primary.Store(two)
	one.Close()
	_ = rdb.Ping(t.Context()).Err() // the pool may find out by this error
	if got := must(rdb.Get(t.Context(), "name").Result()); got != "two" {
		t.Errorf("led to %s, want two", got)
	}
}
