package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/proc"
)

// soon is for workers that will never answer.
const soon = 50 * time.Millisecond

func TestAWorkerThatMisbehaves(t *testing.T) {
	tests := []struct {
		how   string
		bound time.Duration
		want  error
		says  string
	}{
		{"dies", 0, proc.ErrDied, "exit status 7; its last words: out of memory"},
		{"panics", 0, proc.ErrDied, "exit status 2; its last words: panic: the lock is broken"},
		{"answers half", 0, proc.ErrDied, "exit status 0"},
		{"closes its output", 0, proc.ErrDied, "closed its output and went on"},
		{"says nothing", soon, ErrSilent, "did not answer within 50ms; pid "},
		{"reads nothing", soon, ErrSilent, "did not answer within 50ms; pid "},
		{"is silent, and ignores its end", soon, ErrSilent, "did not answer within 50ms; pid "},
		{"says hello", 0, ErrProtocol, `"hello\n"; a worker's standard output is for answers alone: print to the standard error`},
		{"answers another", 0, ErrProtocol, "an answer to request 99 instead of 1"},
		{"answers ahead", 0, ErrProtocol, "line"},
		{"never ends its line", 0, ErrProtocol, `a line of more than 16384 bytes: "xxx`},
	}
	for _, tt := range tests {
		t.Run(tt.how, func(t *testing.T) {
			o := Options{Bound: tt.bound}
			if tt.how == "closes its output" {
				o.Grace = soon // it does not end by itself
			}
			p := open(t, command(t, tt.how), o)
			_, err := p.Check(t.Context())
			wantError(t, "check", err, tt.want)
			for _, other := range []error{proc.ErrDied, ErrProtocol, ErrSilent, proc.ErrKilled, ErrRefused} {
				if other != tt.want && errors.Is(err, other) {
					t.Errorf("%v is also %v", err, other)
				}
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %q, want %q in it", err, tt.says)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			_, again := p.Check(t.Context())
			wantError(t, "the next request", again, tt.want)
			p.Close()
			if s := p.State(); s != proc.Dead {
				t.Errorf("state %s", s)
			}
		})
	}
}

// A worker that answers an hour's work at once has not done it.
func TestAWorkerThatShirks(t *testing.T) {
	for _, anyway := range []bool{false, true} {
		p := open(t, command(t, "shirks"), Options{})
		_, err := p.ask(t.Context(), request{Do: doWork, MS: time.Hour.Milliseconds(), Anyway: anyway}, time.Hour)
		wantError(t, "work", err, ErrProtocol)
		if err == nil || !strings.Contains(err.Error(), "work of 1h0m0s was answered after ") {
			t.Errorf("error %v", err)
		}
	}
}

func TestAnExitErrorHasTheWholeLog(t *testing.T) {
	p := open(t, command(t, "panics"), Options{})
	_, err := p.Check(t.Context())
	var d *proc.ExitError
	if !errors.As(err, &d) || !strings.Contains(d.Log, "panic: the lock is broken") || d.Pid != p.Pid() || d.Killed {
		t.Errorf("%+v", d)
	}
}

func TestACancelledRequestIsTheLast(t *testing.T) {
	p := open(t, command(t, "says nothing"), Options{})
	cancelled := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cancelled)
	_, err := p.Check(ctx)
	wantError(t, "check", err, cancelled)
	p.Close()
}

func TestTheContextKills(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, command(t, "says nothing"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	cancel()
	_, err = p.Check(t.Context())
	wantError(t, "check", err, proc.ErrKilled)
}

func TestAProgramThatCannotBeStarted(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("no interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/no/such/program", "no-such-program", t.TempDir(), script} {
		wantError(t, "check of "+path, Command{Path: path}.Check(), ErrCommand)
	}
	if err := command(t, "").Check(); err != nil {
		t.Errorf("check of this program: %v", err)
	}
	_, err := Start(t.Context(), Command{Path: "/no/such/program"}, Options{})
	wantError(t, "start", err, ErrCommand)
}
