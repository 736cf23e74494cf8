package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// fakeEnv selects how the test binary misbehaves as a worker.
const fakeEnv = "SIMRUN_TEST_WORKER"

// TestMain lets the test binary serve as a worker, as simrun does, and as workers
// that misbehave.
func TestMain(m *testing.M) {
	if Is() {
		if how := os.Getenv(fakeEnv); how != "" {
			fake(how)
		}
		Run()
	}
	os.Exit(m.Run())
}

// fake misbehaves from the first request on.
func fake(how string) {
	in := bufio.NewReader(os.Stdin)
	if how == "ignores its end" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	switch how {
	case "answers ahead":
		var all []byte // in one write, so that they arrive together
		for id := range 100 {
			all = fmt.Appendf(all, "{\"id\":%d,\"ok\":true}\n", id+1)
		}
		os.Stdout.Write(all)
		select {}
	case "reads nothing":
		select {}
	}
	_, err := in.ReadString('\n')
	if err != nil {
		lastly(how)
	}
	switch how {
	case "dies":
		fmt.Fprintln(os.Stderr, "a first line")
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
	case "panics":
		panic("the lock is broken")
	case "says nothing":
		_, _ = io.Copy(io.Discard, in)
	case "is silent, and ignores its end":
		select {}
	case "says hello":
		fmt.Println("hello")
	case "answers another":
		fmt.Println(`{"id":99,"ok":true}`)
	case "never ends its line":
		for {
			fmt.Print(strings.Repeat("x", 4096))
		}
	case "closes its output":
		os.Stdout.Close()
	case "answers half":
		fmt.Print(`{"id":1,`)
		os.Exit(0)
	case "leaves a child":
		c := exec.Command("sleep", "1000")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			panic(err)
		}
		fmt.Println(`{"id":1,"ok":true}`)
	case "starts workers":
		harness()
	default:
		fmt.Println(`{"id":1,"ok":true}`)
	}
	for {
		if _, err := in.ReadString('\n'); err != nil {
			lastly(how)
		}
	}
}

// lastly is how a fake reacts to the end of its input.
func lastly(how string) {
	if strings.Contains(how, "ignores its end") {
		select {}
	}
	os.Exit(0)
}

// harness stands for a harness that is killed: it starts one worker that is paused
// and one that is not, and prints their pids.
func harness() {
	os.Unsetenv(fakeEnv)
	var pids []int
	for i := range 2 {
		c, err := Self()
		if err != nil {
			panic(err)
		}
		c.Env = append(c.Env, fakeEnv+"=is silent, and ignores its end")
		p, err := Start(context.Background(), c, Options{})
		if err != nil {
			panic(err)
		}
		if i == 0 {
			if _, err := p.Pause(); err != nil {
				panic(err)
			}
		}
		pids = append(pids, p.Pid())
	}
	fmt.Println(pids[0], pids[1])
	select {}
}

// command starts this test binary as a worker; how is empty for one that behaves.
func command(t *testing.T, how string) Command {
	t.Helper()
	c, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(c.Env, fakeEnv+"="+how)
	return c
}

func open(t *testing.T, c Command, o Options) *Process {
	t.Helper()
	p, err := Start(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// config configures a typical lock at scale 100.
func config(addr, strategy, owner string) Config {
	return Config{
		Redis: addr, Key: "lock:item", Owner: owner, Strategy: strategy,
		LeaseMS: 300, RenewMS: 100, Cap: 5, Scale: 100, JitterSeed: 7,
	}
}

// begin opens a worker that behaves and has made its lock.
func begin(t *testing.T, c Config) *Process {
	t.Helper()
	p := open(t, command(t, ""), Options{})
	if err := p.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return p
}

// redisServer starts a Redis over TCP in which no key expires.
func redisServer(t *testing.T) *miniredis.Miniredis {
	t.Helper()
	m, err := miniredis.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// must returns the answer to a request that must not fail.
func must(t *testing.T) func(Answer, error) Answer {
	return func(a Answer, err error) Answer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		a.ID = 0 // already checked by parseAnswer
		return a
	}
}

func want(t *testing.T, what string, got, want Answer) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}
