package worker

import (
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/strategy"
)

// Every registered lock takes a section from start to end in a process.
func TestASectionOfEachStrategy(t *testing.T) {
	for _, s := range strategy.All() {
		t.Run(s.Name, func(t *testing.T) {
			m := redisServer(t)
			p, must := begin(t, config(m.Addr(), s.Name, "A")), must(t)
			want(t, "work without a lease", must(p.Work(t.Context(), time.Millisecond)), Answer{OK: true})
			want(t, "check without a lease", must(p.Check(t.Context())), Answer{Lost: "not held"})
			a := must(p.Acquire(t.Context(), time.Minute))
			if !a.OK || (a.Fence > 0) != (s.Name == "fenced") {
				t.Errorf("acquire: %+v", a)
			}
			if !m.Exists("lock:item") {
				t.Error("the lock is held, but its key does not exist")
			}
			want(t, "work", must(p.Work(t.Context(), 20*time.Millisecond)), Answer{OK: true})
			want(t, "check", must(p.Check(t.Context())), Answer{OK: true})
			if err := p.Send(t.Context()); err != nil {
				t.Error(err)
			}
			want(t, "release", must(p.Release(t.Context())), Answer{OK: true})
			if m.Exists("lock:item") {
				t.Error("the lock is released, but its key still exists")
			}
			want(t, "second release", must(p.Release(t.Context())), Answer{Error: "not held"})
			want(t, "stop", must(p.ask(t.Context(), request{Do: doStop}, 0)), Answer{OK: true})
		})
	}
}

func TestTwoProcessesExclude(t *testing.T) {
	m := redisServer(t)
	a, b, must := begin(t, config(m.Addr(), "fenced", "A")), begin(t, config(m.Addr(), "fenced", "B")), must(t)
	first := must(a.Acquire(t.Context(), time.Minute))
	want(t, "acquire of a held lock", must(b.Acquire(t.Context(), 20*time.Millisecond)), Answer{Error: "not acquired"})
	want(t, "release", must(a.Release(t.Context())), Answer{OK: true})
	second := must(b.Acquire(t.Context(), time.Minute))
	if first.Fence <= 0 || second.Fence <= first.Fence {
		t.Errorf("fences %d, then %d", first.Fence, second.Fence)
	}
}

func TestWorkEndsWhenTheLeaseIsLost(t *testing.T) {
	const forever = time.Hour
	tests := []struct {
		strategy string
		happens  func(del func())
		lost     string
		release  Answer
	}{
		{"watchdog", func(del func()) { del() }, "lease lost", Answer{Error: "lease lost"}},
		{"guarded", func(del func()) { del() }, "lease lost", Answer{Error: "lease lost"}},
		{"capped", func(func()) {}, "renewal capped", Answer{OK: true}},
	}
	for _, tt := range tests {
		t.Run(tt.strategy, func(t *testing.T) {
			m := redisServer(t)
			c := config(m.Addr(), tt.strategy, "A")
			c.RenewMS = 20
			p, must := begin(t, c), must(t)
			want(t, "acquire", must(p.Acquire(t.Context(), time.Minute)), Answer{OK: true})
			tt.happens(func() { m.Del("lock:item") })
			want(t, "work", must(p.Work(t.Context(), forever)), Answer{Lost: tt.lost})
			want(t, "check", must(p.Check(t.Context())), Answer{Lost: tt.lost})
			want(t, "rolling back", must(p.ask(t.Context(), request{Do: doWork, MS: 1, Anyway: true}, 0)), Answer{OK: true})
			want(t, "release", must(p.Release(t.Context())), tt.release)
		})
	}
}

func TestAnUnreachableRedisIsANetworkError(t *testing.T) {
	m := redisServer(t)
	p, must := begin(t, config(m.Addr(), "token", "A")), must(t)
	want(t, "acquire", must(p.Acquire(t.Context(), time.Minute)), Answer{OK: true})
	m.Close()
	want(t, "release", must(p.Release(t.Context())), Answer{Error: "network"})
}

func TestAPasswordIsUsed(t *testing.T) {
	m := redisServer(t)
	m.RequireAuth("secret")
	c := config(m.Addr(), "token", "A")
	c.Password = "secret"
	p, must := begin(t, c), must(t)
	want(t, "acquire", must(p.Acquire(t.Context(), time.Minute)), Answer{OK: true})
}

func TestStartIsRefused(t *testing.T) {
	good := config("127.0.0.1:1", "naive", "A")
	tests := []struct {
		name   string
		change func(*Config)
	}{
		{"an unknown strategy", func(c *Config) { c.Strategy = "nave" }},
		{"no scale", func(c *Config) { c.Scale = 0 }},
		{"an owner that no lock accepts", func(c *Config) { c.Owner = "A#1" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, c := open(t, command(t, ""), Options{}), good
			tt.change(&c)
			wantError(t, "start", p.Start(t.Context(), c), ErrRefused)
			if err := p.Start(t.Context(), good); err != nil {
				t.Errorf("a good start after a bad one: %v", err)
			}
			wantError(t, "second start", p.Start(t.Context(), good), ErrRefused)
		})
	}
}
