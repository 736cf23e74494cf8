package redisconformance

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	wire "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/virtual/memnet"
	"github.com/lockchaos/simrun/lock"
)

// recording is the commands of a run: those of its clients, and those of their scripts.
type recording struct {
	mu     sync.Mutex
	began  time.Time
	passed time.Duration // the sum of the clock jumps in the steps
	peers  map[*wire.Peer]string
	sent   []step
	nested [][]string
}

// before is miniredis's hook. go-redis begins every connection with HELLO; a command
// from a peer that has sent none comes from a script.
func (r *recording) before(p *wire.Peer, cmd string, args ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := append([]string{cmd}, args...)
	if cmd == "HELLO" && r.peers[p] == "" {
		r.peers[p] = "c" + strconv.Itoa(len(r.peers)) + "."
	}
	name := r.peers[p]
	if name == "" {
		r.nested = append(r.nested, all)
		return false
	}
	if d := (time.Since(r.began) - r.passed).Truncate(time.Millisecond); d > 0 {
		r.passed += d
		r.sent = append(r.sent, step{kind: "clock", by: d})
	}
	r.sent = append(r.sent, step{kind: "send", conn: name, args: all})
	return false
}

// asSimulated are the options of the virtual world's clients; asGiven are go-redis's
// defaults, with which it speaks RESP3 and identifies itself.
func asSimulated() *redis.Options {
	return &redis.Options{
		Protocol: 2, DisableIdentity: true, MinRetryBackoff: -1, MaxRetryBackoff: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

func asGiven() *redis.Options { return &redis.Options{} }

// run calls f in virtual time with clients of a miniredis and returns what they sent.
func run(t *testing.T, options func() *redis.Options, f func(t *testing.T, a, b *redis.Client)) *recording {
	t.Helper()
	r := &recording{peers: map[*wire.Peer]string{}}
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		m.ClockTTL(true)
		first, err := m.Dial() // makes the server
		if err != nil {
			t.Fatal(err)
		}
		_ = first.Close()
		r.began = time.Now()
		m.Server().SetPreHook(r.before)
		var clients []*redis.Client
		for range 2 {
			o := options()
			o.Addr = "127.0.0.1:6379" // never dialled
			o.Dialer = func(context.Context, string, string) (net.Conn, error) {
				near, far := memnet.Pipe(memnet.End{Send: latency}, memnet.End{Send: latency})
				m.Server().ServeConn(far)
				return near, nil
			}
			clients = append(clients, redis.NewClient(o))
		}
		f(t, clients[0], clients[1])
		for _, c := range clients {
			_ = c.Close()
		}
		time.Sleep(time.Hour)
		m.Close()
	})
	return r
}

func latency() time.Duration { return 500 * time.Microsecond }

// tour uses every feature of a strategy with two locks.
func tour(strategy string) func(t *testing.T, a, b *redis.Client) {
	return func(t *testing.T, rdbA, rdbB *redis.Client) {
		ctx := context.Background()
		// A capped lock releases its key this long before it expires. The replay on
		// a real server must not take as long.
		early := lock.WithDrift(0.2, 0)
		a, b := newLock(t, strategy, rdbA, "a", early), newLock(t, strategy, rdbB, "b", early)
		held := must(t, a)
		if _, err := b.(lock.Trier).TryAcquire(ctx); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("a held lock was tried: %v", err)
		}
		waited := make(chan lock.Lease)
		go func() { waited <- must(t, b) }()
		time.Sleep(12 * time.Second) // one renewal
		look(ctx, t, a)
		if e, ok := held.(lock.Extender); ok {
			note(t, "extend", e.Extend(ctx, time.Minute))
		}
		if _, ok := a.(lock.HoldCounter); ok {
			note(t, "release of the inner entry", must(t, a).Release(ctx))
		}
		note(t, "release", held.Release(ctx))
		next := <-waited
		note(t, "release by the waiter", next.Release(ctx))
		look(ctx, t, a)
		if f, ok := b.(lock.Forcer); ok {
			held = must(t, a)
			_, err := f.ForceRelease(ctx)
			note(t, "force", err)
			_ = held.Release(ctx) // too late
		}
		held = must(t, a)
		time.Sleep(70 * time.Second) // beyond the lease, or the cap
		_ = held.Release(ctx)
		held = must(t, a)
		note(t, "delete", rdbB.Del(ctx, key).Err())
		time.Sleep(12 * time.Second)
		_ = held.Release(ctx)
	}
}

func look(ctx context.Context, t *testing.T, l lock.Locker) {
	t.Helper()
	_, err := l.(lock.Lifetimer).TTL(ctx)
	note(t, "life", err)
	if h, ok := l.(lock.HoldCounter); ok {
		_, err := h.HoldCount(ctx)
		note(t, "hold count", err)
	}
}

func note(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// form is the invariable part of a command: its name, its options, its script.
func form(t *testing.T, args []string) string {
	t.Helper()
	name := strings.ToUpper(args[0])
	words := []string{name}
	for i, a := range fold(t, args)[1:] {
		switch word := strings.ToUpper(a); {
		case name == "SET" && i >= 2 && slices.Contains([]string{"NX", "XX", "PX", "EX", "GET", "KEEPTTL"}, word),
			(name == "CLIENT" || name == "SCRIPT" || name == "HELLO") && i == 0,
			name == "CLIENT" && i == 1 && strings.HasPrefix(word, "LIB-"):
			words = append(words, word)
		case strings.HasPrefix(name, "EVAL") && i == 0:
			words = append(words, a)
		}
	}
	return strings.Join(words, " ")
}

// recorded returns the tours of all strategies with both kinds of options.
func recorded(t *testing.T) map[string]*recording {
	t.Helper()
	all := map[string]*recording{}
	for _, s := range strategies {
		all[s+"/as simulated"] = run(t, asSimulated, tour(s))
		all[s+"/as given"] = run(t, asGiven, tour(s))
	}
	return all
}

// Every command that a lock, its script or its client sends has a case.
func TestEveryCommandHasACase(t *testing.T) {
	covered := map[string]bool{}
	for _, tr := range files(t) {
		for _, c := range tr.cases {
			for _, s := range c.steps {
				if s.kind == "send" {
					covered[form(t, expand(t, s.args))] = true
				}
			}
		}
	}
	missing := map[string]string{}
	for run, r := range recorded(t) {
		for _, s := range r.sent {
			if s.kind == "send" && !covered[form(t, s.args)] {
				missing[form(t, s.args)] = run
			}
		}
		for _, args := range r.nested {
			if f := form(t, args); !covered[f] {
				missing[f] = run + ", in a script"
			}
		}
	}
	for f, run := range missing {
		t.Errorf("no transcript has %s, which is sent by %s", f, run)
	}
	for name := range scripts(t) {
		for _, f := range []string{"EVAL @" + name, "EVALSHA #" + name} {
			if !covered[f] {
				t.Errorf("no transcript has %s", f)
			}
		}
	}
}

// The commands that the strategies sent in virtual time, sent again to both servers.
func TestRecordedRunsAnswerAlike(t *testing.T) {
	real, fake := startRedis(t, recordedOf), startMiniredis(t)
	for name, r := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			onReal, onFake := newPlayer(t, real), newPlayer(t, fake)
			defer onReal.close()
			defer onFake.close()
			if len(r.sent) < 10 {
				t.Fatalf("only %d steps were recorded", len(r.sent))
			}
			subscribed := map[string]bool{}
			for _, s := range r.sent {
				got, want := onReal.perform(s), onFake.perform(s)
				if s.kind == "send" && (s.args[0] == "HELLO" || s.args[0] == "CLIENT") {
					continue // see handshake.txt for the differences
				}
				if !alike(want, got, time.Since(onReal.began)) {
					t.Fatalf("%s> %s\nredis-server answered %s\nminiredis answered    %s",
						s.conn, quoteAll(fold(t, s.args)), got, want)
				}
				if s.kind == "send" && s.args[0] == "SUBSCRIBE" {
					subscribed[s.conn] = true
				}
				if got, want := onReal.keys(), onFake.keys(); !alike(want, got, time.Since(onReal.began)) {
					t.Fatalf("after %s> %s\nredis-server holds\n%s\nminiredis holds\n%s",
						s.conn, quoteAll(fold(t, s.args)), got, want)
				}
			}
			for c := range subscribed {
				if got, want := onReal.heard(c), onFake.heard(c); got != want {
					t.Errorf("%s heard on redis-server\n%s\nand on miniredis\n%s", c, got, want)
				}
			}
		})
	}
}

// heard ends a subscription and returns the messages it has received.
func (p *player) heard(conn string) string {
	p.t.Helper()
	c := p.conn(conn)
	got := c.ask(p.t, "UNSUBSCRIBE")
	for heard := got; !strings.Contains(got, `"unsubscribe"`); heard += "\n" + got {
		got = c.next(p.t)
		if strings.Contains(got, `"unsubscribe"`) {
			return heard
		}
	}
	return got
}
