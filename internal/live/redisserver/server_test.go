package redisserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/chaos"
)

func TestVersions(t *testing.T) {
	for _, spec := range started {
		t.Run(spec, func(t *testing.T) {
			s := open(t, spec, Options{})
			if !strings.HasPrefix(s.Version(), spec) {
				t.Errorf("version %q does not begin with %s", s.Version(), spec)
			}
			if got := must[string](t)(client(t, s).Ping(t.Context()).Result()); got != "PONG" {
				t.Errorf("PING: %s", got)
			}
		})
	}
}

// hour is longer than any test takes, so only a clock jump can cross it.
const hour = time.Hour

// aboutHours reports whether a life is n hours, minus the time of a slow test.
func aboutHours(life time.Duration, n int) bool {
	return life <= time.Duration(n)*hour && life > time.Duration(n)*hour-hour/2
}

func TestJumpClock(t *testing.T) {
	for _, spec := range started {
		for _, tc := range []struct {
			jump  time.Duration
			left  map[string]int // hours left of each key; 0: never expires
			proof string
		}{
			{2 * hour, map[string]int{"long": 3, "ever": 0}, "1 of 3 keys expired|expiry of 2 of 3 keys was moved, and 1 of them expired"},
			{-4 * hour, map[string]int{"short": 5, "long": 9, "ever": 0}, "0 of 3 keys expired|expiry of 2 of 3 keys was moved, and 0 of them expired"},
		} {
			t.Run(fmt.Sprint(spec, tc.jump), func(t *testing.T) {
				s := open(t, spec, Options{})
				rdb, ctx := client(t, s), t.Context()
				must[string](t)(rdb.Set(ctx, "short", "x", hour).Result())
				must[int64](t)(rdb.HSet(ctx, "long", "f", "1").Result())
				must[bool](t)(rdb.PExpire(ctx, "long", 5*hour).Result())
				must[string](t)(rdb.Set(ctx, "ever", "x", 0).Result())

				proof, err := s.JumpClock(ctx, tc.jump)
				if err != nil {
					t.Fatal(err)
				}
				embedded, real, _ := strings.Cut(tc.proof, "|")
				if !strings.Contains(proof, embedded) && !strings.Contains(proof, real) {
					t.Errorf("proof %q says neither %q nor %q", proof, embedded, real)
				}
				for _, k := range []string{"short", "long", "ever"} {
					want, there := tc.left[k]
					if got := must[int64](t)(rdb.Exists(ctx, k).Result()) == 1; got != there {
						t.Errorf("%s is there: %v, want %v", k, got, there)
					} else if life := must[time.Duration](t)(rdb.PTTL(ctx, k).Result()); want != 0 && !aboutHours(life, want) {
						t.Errorf("%s lives %v, want %d hours", k, life, want)
					}
				}
			})
		}
	}
}

func TestAClockThatRunsFast(t *testing.T) {
	s := open(t, Miniredis, Options{})
	rdb, ctx := client(t, s), t.Context()
	restore, proof, err := s.SetRate(1e12)
	if err != nil || !strings.Contains(proof, "1e+12") {
		t.Fatalf("proof %q, error %v", proof, err)
	}
	must[string](t)(rdb.Set(ctx, "k", "x", time.Minute).Result())
	if n := must[int64](t)(rdb.Exists(ctx, "k").Result()); n != 0 {
		t.Error("the key outlived some nanoseconds of 1000 seconds each")
	}
	slower, _, err := s.SetRate(1e11)
	if err != nil {
		t.Fatal(err)
	}
	restore() // of two, the one that is left is in force
	must[string](t)(rdb.Set(ctx, "k", "x", time.Minute).Result())
	if n := must[int64](t)(rdb.Exists(ctx, "k").Result()); n != 0 {
		t.Error("the end of the first rate ended the second")
	}
	slower()
	must[string](t)(rdb.Set(ctx, "k", "x", hour).Result())
	if n := must[int64](t)(rdb.Exists(ctx, "k").Result()); n != 1 {
		t.Error("the clock still runs fast")
	}
	if _, _, err := s.SetRate(0); err == nil {
		t.Error("no error for a clock that stands still")
	}
}

func TestARealClockHasNoRate(t *testing.T) {
	s := open(t, RedisServer, Options{})
	if _, _, err := s.SetRate(2); !errors.Is(err, chaos.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}

// restart stops the server and starts it again.
func restart(t *testing.T, s Server, keep bool) {
	t.Helper()
	proof := must[string](t)(s.Stop(t.Context(), keep))
	if !strings.Contains(proof, "data "+kept(keep)) && !strings.Contains(proof, "keys "+kept(keep)) {
		t.Errorf("proof %q does not say what became of the data", proof)
	}
	if _, err := net.Dial("tcp", s.Addr()); err == nil {
		t.Error("it listens while it is down")
	}
	if _, err := s.Stop(t.Context(), keep); !errors.Is(err, ErrDown) {
		t.Errorf("stopped twice: %v, want ErrDown", err)
	}
	must[string](t)(s.Start(t.Context()))
}

// ending are the calls that stop, start or replace a server.
var ending = map[string]func(context.Context, Server) error{
	"stop":      func(ctx context.Context, s Server) error { _, err := s.Stop(ctx, true); return err },
	"start":     func(ctx context.Context, s Server) error { _, err := s.Start(ctx); return err },
	"replicate": func(ctx context.Context, s Server) error { return s.Replicate(ctx, time.Second, nil) },
	"promote":   func(ctx context.Context, s Server) error { _, err := s.Promote(ctx); return err },
}

func TestRestart(t *testing.T) {
	for _, spec := range started {
		t.Run(spec, func(t *testing.T) {
			s := open(t, spec, Options{})
			rdb, ctx := client(t, s), t.Context()
			addr := s.Addr()
			sha := must[string](t)(rdb.ScriptLoad(ctx, "return 1").Result())
			must[string](t)(rdb.Set(ctx, "k", "x", hour).Result())
			for _, step := range []struct {
				keep bool
				want int64
			}{{true, 1}, {true, 1}, {false, 0}, {true, 0}} {
				restart(t, s, step.keep)
				if s.Addr() != addr {
					t.Errorf("address %s, was %s", s.Addr(), addr)
				}
				if n := must[int64](t)(rdb.Exists(ctx, "k").Result()); n != step.want {
					t.Errorf("restart with data kept %v: %d keys, want %d", step.keep, n, step.want)
				}
				if step.want == 1 {
					if life := must[time.Duration](t)(rdb.PTTL(ctx, "k").Result()); !aboutHours(life, 1) {
						t.Errorf("the key lives %v, want what remained", life)
					}
				}
				if err := rdb.EvalSha(ctx, sha, nil).Err(); !redis.HasErrorPrefix(err, "NOSCRIPT") {
					t.Errorf("a script outlived the restart: %v", err)
				}
			}
			if _, err := s.JumpClock(ctx, hour); err != nil {
				t.Errorf("jump after a restart: %v", err)
			}
			// A blocking command works again: it is not bound to the end of the old server.
			must[int64](t)(rdb.LPush(ctx, "list", "x").Result())
			must[[]string](t)(rdb.BLPop(ctx, time.Second, "list").Result())
		})
	}
}

func TestAClosedServer(t *testing.T) {
	for _, spec := range started {
		t.Run(spec, func(t *testing.T) {
			s := open(t, spec, Options{})
			dir := ""
			if real, ok := s.(*lifecycle).Server.(*spawned); ok {
				dir = real.dir
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := net.Dial("tcp", s.Addr()); err == nil {
				t.Error("it still listens")
			}
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("%s is still there", dir)
			}
			for name, do := range ending {
				if err := do(t.Context(), s); !errors.Is(err, ErrClosed) {
					t.Errorf("%s: %v, want ErrClosed", name, err)
				}
			}
		})
	}
}

// An external server loses no keys but the run's, and gets no others.
func TestAnExternalServerKeepsOtherKeys(t *testing.T) {
	home := open(t, RedisServer, Options{})
	rdb, ctx := client(t, home), t.Context()
	must[string](t)(rdb.Set(ctx, "theirs", "x", hour).Result())
	must[string](t)(rdb.Set(ctx, "{theirs}:simrun:fence", "x", hour).Result())
	s, err := Open(ctx, home.Addr(), Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Prefix() == "" || !strings.HasPrefix(s.Prefix(), Root) {
		t.Errorf("prefix %q is not random below %s", s.Prefix(), Root)
	}
	must[string](t)(rdb.Set(ctx, s.Prefix()+"ours", "x", hour).Result())
	must[string](t)(rdb.Set(ctx, "{"+s.Prefix()+"ours}:fence", "7", 0).Result())
	must[string](t)(rdb.Set(ctx, "channel:{"+s.Prefix()+"ours}", "x", hour).Result())
	proof, err := s.JumpClock(ctx, -hour)
	if err != nil || !strings.Contains(proof, "2 of 3 keys") {
		t.Errorf("proof %q, error %v", proof, err)
	}
	if life := must[time.Duration](t)(rdb.PTTL(ctx, s.Prefix()+"ours").Result()); !aboutHours(life, 2) {
		t.Errorf("the run's key lives %v, want 2 hours", life)
	}
	if life := must[time.Duration](t)(rdb.PTTL(ctx, "theirs").Result()); !aboutHours(life, 1) {
		t.Errorf("the other key lives %v, want 1 hour", life)
	}
	for name, do := range ending {
		if err := do(ctx, s); !errors.Is(err, chaos.ErrUnsupported) {
			t.Errorf("%s: %v, want ErrUnsupported", name, err)
		}
	}
	if _, _, err := s.SetRate(2); !errors.Is(err, chaos.ErrUnsupported) {
		t.Errorf("rate: %v, want ErrUnsupported", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, rdb); !maps.Equal(got, map[string]bool{"theirs": true, "{theirs}:simrun:fence": true}) {
		t.Errorf("left after Close: %v, want only the others", got)
	}
}
