package worker

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/proc"
)

func TestAPauseStopsTheProcess(t *testing.T) {
	m := redisServer(t)
	p, must := begin(t, config(m.Addr(), "watchdog", "A")), must(t)
	want(t, "acquire", must(p.Acquire(t.Context(), time.Minute)), Answer{OK: true})
	answer := make(chan Answer)
	go func() {
		a, err := p.Work(t.Context(), time.Hour)
		if err != nil {
			t.Error(err)
		}
		answer <- a
	}()
	for range 2 { // nested
		proof, err := p.Pause()
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("pid %d state T", p.Pid()); proof != want {
			t.Errorf("proof %q, want %q", proof, want)
		}
		if s := p.State(); s != "T" {
			t.Errorf("state %s", s)
		}
	}
	m.Del("lock:item")
	select {
	case a := <-answer:
		t.Fatalf("a stopped process answered %+v", a)
	default:
	}
	for range 2 {
		if s := p.State(); s != "T" {
			t.Errorf("state %s before the last resume", s)
		}
		if err := p.Resume(); err != nil {
			t.Fatal(err)
		}
	}
	if a := <-answer; a.Lost != "lease lost" {
		t.Errorf("work after the pause: %+v", a)
	}
	if s := p.State(); s == "T" {
		t.Error("still stopped after the last resume")
	}
}

func TestAPauseDoesNotCountAsSilence(t *testing.T) {
	const bound = time.Second
	p := open(t, command(t, ""), Options{Bound: bound})
	if _, err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*bound, func() {
		if err := p.Resume(); err != nil {
			t.Error(err)
		}
	})
	if _, err := p.ask(t.Context(), request{Do: doStop}, 0); err != nil {
		t.Error(err)
	}
}

func TestAPauseStopsTheGroup(t *testing.T) {
	p := open(t, command(t, "leaves a child"), Options{})
	if err := p.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	proof, err := p.Pause()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && !strings.HasSuffix(proof, " state T, and 1 more of its group") {
		t.Errorf("proof %q", proof)
	}
	p.Close()
	if proc.GroupAlive(p.Pid()) {
		t.Error("the group outlived Close")
	}
}

func TestAKillKills(t *testing.T) {
	for _, paused := range []bool{false, true} {
		t.Run(fmt.Sprintf("paused=%v", paused), func(t *testing.T) {
			p := open(t, command(t, "says nothing"), Options{})
			failed := make(chan error)
			go func() {
				_, err := p.Check(t.Context())
				failed <- err
			}()
			if paused {
				if _, err := p.Pause(); err != nil {
					t.Fatal(err)
				}
			}
			proof, err := p.Kill()
			if want := fmt.Sprintf("pid %d killed by signal 9", p.Pid()); err != nil || proof != want {
				t.Errorf("proof %q, %v; want %q", proof, err, want)
			}
			err = <-failed
			wantError(t, "the request in flight", err, proc.ErrKilled)
			wantError(t, "the request in flight", err, proc.ErrDied)
			_, err = p.Kill()
			wantError(t, "a second kill", err, proc.ErrKilled)
			_, err = p.Pause()
			wantError(t, "a pause", err, proc.ErrKilled)
			wantError(t, "a resume", p.Resume(), proc.ErrKilled)
			if s := p.State(); s != proc.Dead {
				t.Errorf("state %s", s)
			}
		})
	}
}

func TestNothingOutlivesClose(t *testing.T) {
	leave := func(how string) {
		p, err := Start(t.Context(), command(t, how), Options{Grace: soon})
		if err != nil {
			t.Fatal(err)
		}
		if how == "leaves a child" {
			if err := p.Send(t.Context()); err != nil {
				t.Error(err)
			}
		}
		p.Close()
		p.Close()
		if proc.GroupAlive(p.Pid()) {
			t.Errorf("%s: the group outlived Close", how)
		}
	}
	leave("") // the first process opens descriptors that later ones share
	files := descriptors()
	for _, how := range []string{"", "says nothing", "ignores its end", "leaves a child", "never ends its line"} {
		leave(how)
	}
	if n := descriptors(); n > files {
		t.Errorf("%d descriptors are open, %d before", n, files)
	}
	stacks := ""
	for range 1000 { // a goroutine may still appear for a moment after it was waited for
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "worker.(*Process)") && !strings.Contains(stacks, "proc.(*Child)") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("a goroutine outlived Close:\n%s", stacks)
}

// descriptors counts the open files of this process; 0 if the system does not list them.
func descriptors() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(files)
}
