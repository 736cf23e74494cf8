package runner

import (
	"errors"
	"strings"
	"testing"
)

const (
	outsider = "goroutine 1 [running]:\nmain.watch()\n\t/x/monitor.go:10 +0x1d"
	sleeper  = "goroutine 20 [sleep (durable), synctest bubble 3]:\ntime.Sleep(0x3b9aca00)\n\t/go/time.go:338 +0x165"
	waiter   = "goroutine 21 [sync.Mutex.Lock, synctest bubble 3]:\nmine.(*Lock).Acquire(0xc000123)\n\t/x/lock.go:7 +0x25"
	reader   = "goroutine 22 [sync.RWMutex.RLock, 2 minutes, synctest bubble 3]:\nmine.(*Lock).TTL(0xc000123)\n\t/x/lock.go:9 +0x25"
	spinner  = "goroutine 23 [runnable, synctest bubble 3]:\nmine.spin(...)\n\t/x/lock.go:11 +0x2"
	socket   = "goroutine 24 [IO wait, synctest bubble 3]:\nnet.(*conn).Read(0xc000456, {0xc000789, 0x1000, 0x1000})\n\t/go/net.go:196 +0x45"
	renewer  = "goroutine 26 [select (durable), synctest bubble 3]:\nnet.read(...)\n\t/go/net.go:1 +0x1\nmine.(*Lock).renew(0xc000123)\n\t/x/lock.go:20 +0x25"
	worldly  = "goroutine 27 [select (durable), synctest bubble 3]:\ngithub.com/alicebob/miniredis/v2/server.(*Server).servePeer(0xc000123)\n\t/m/server.go:20 +0x25"
	outMutex = "goroutine 25 [sync.Mutex.Lock]:\nmain.other()\n\t/x/other.go:3 +0x2"
)

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		name        string
		goroutines  []string
		class, text string
		shows       string // in the stack
	}{
		{"a running goroutine spins", []string{outsider, sleeper, spinner}, "spin", "spins", "mine.spin"},
		{"a running goroutine explains those that wait for a mutex", []string{outsider, waiter, spinner}, "spin", "spins", "mine.spin"},
		{"a mutex, and none runs", []string{outsider, sleeper, waiter}, "stuck-time", "a mutex is held across I/O", "mine.(*Lock).Acquire"},
		{"a mutex, and another call of its value", []string{outsider, worldly, waiter, renewer}, "stuck-time", "most likely in mine.(*Lock).renew;", "mine.(*Lock).Acquire"},
		{"a mutex, and only the world is by", []string{outsider, sleeper, worldly, waiter}, "stuck-time", "a mutex is held across I/O; try", "mine.(*Lock).Acquire"},
		{"a read lock, and none runs", []string{outsider, sleeper, reader}, "stuck-time", "a mutex is held across I/O", "mine.(*Lock).TTL"},
		{"a real socket", []string{outsider, sleeper, socket}, "stuck-time", "outside the simulation", "net.(*conn).Read"},
		{"goroutines outside the bubble do not count", []string{outsider, outMutex, sleeper}, "stuck-time", "no goroutine shows why", "main.watch"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := classify(strings.Join(tt.goroutines, "\n\n"))
			if f.Class != tt.class || !strings.Contains(f.Detail, tt.text) || !strings.Contains(f.Stack, tt.shows) {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestSilentWithoutStacksBlamesNobody(t *testing.T) {
	if f := silent("some log line\n"); f.Class != "stuck-time" || !strings.Contains(f.Detail, "left no stacks") {
		t.Errorf("%+v", f)
	}
	if f := silent("SIGQUIT: quit\n\n" + spinner); f.Class != "spin" {
		t.Errorf("%+v", f)
	}
}

func TestCrash(t *testing.T) {
	for _, tt := range []struct{ name, stderr, exit, detail, stack string }{
		{"a panic after a line of log", "redis: connection pool\npanic: boom\n\n" + spinner + "\n", "exit status 2",
			"panic: boom", "panic: boom\n\ngoroutine N [runnable, synctest bubble N]:\nmine.spin(...)\n\t/x/lock.go:11 +0x…"},
		{"a fatal error", "fatal error: concurrent map writes\n", "exit status 2", "fatal error: concurrent map writes", "fatal error: concurrent map writes"},
		{"a silent exit", "", "exit status 7", "the process ended: exit status 7", ""},
		{"an exit with its reason", "config missing\n", "exit status 1", "the process ended: exit status 1", "config missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := crash(tt.stderr, tt.exit)
			if err != nil || f.Class != "panic" || f.Detail != tt.detail || f.Stack != tt.stack {
				t.Errorf("%q\n%q\n%q", f.Class, f.Detail, f.Stack)
			}
		})
	}
}

// A crash counts against the lock unless the code that panicked is simrun's.
func TestACrashOfSimrunIsNotBlamedOnTheLock(t *testing.T) {
	const (
		own   = "github.com/lockchaos/simrun/internal/engine.(*nemesis).fire(...)\n\t/s/internal/engine/nemesis.go:7 +0x1\n"
		toxic = "github.com/Shopify/toxiproxy/v2.(*ToxicLink).read(...)\n\t/m/link.go:7 +0x1\n"
		redis = "github.com/redis/go-redis/v9.(*Client).Process(...)\n\t/m/redis.go:7 +0x1\n"
		lock  = "shop.(*lock).renew(...)\n\t/x/lock.go:7 +0x1\n"
		calls = "panic({0x1, 0x2})\n\t/go/src/runtime/panic.go:860 +0x1\n"
	)
	for _, tt := range []struct {
		name, first, frames string
		internal            bool
	}{
		{"the lock panicked", "panic: boom", lock + own, false},
		{"go-redis panicked when the lock called it", "panic: boom", redis + lock + own, false},
		{"simrun panicked", "panic: boom", own + lock, true},
		{"Toxiproxy panicked", "panic: send on closed channel", toxic, true},
		{"two of simrun's goroutines raced", "fatal error: concurrent map writes", own, true},
		{"the bubble deadlocked", "panic: deadlock: all goroutines in bubble are blocked", own, false},
		{"memory ran out", "fatal error: runtime: out of memory", own, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := crash(tt.first+"\n\ngoroutine 7 [running]:\n"+calls+tt.frames, "exit status 2")
			if got := errors.Is(err, ErrInternal); got != tt.internal {
				t.Errorf("internal is %t (%v), want %t", got, err, tt.internal)
			}
			if err != nil && !strings.Contains(err.Error(), "goroutine N [running]:") {
				t.Errorf("the error lacks the stack: %v", err)
			}
		})
	}
}
