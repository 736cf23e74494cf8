package worker

import (
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/internal/proc"
)

const workerPy = "../../../examples/worker-python/worker.py"

// python returns the command of the worker in Python.
func python(t *testing.T) Command {
	t.Helper()
	return Command{Path: testneeds.Python(t), Args: []string{workerPy}}
}

func TestTheWorkerInPythonExcludes(t *testing.T) {
	m := redisServer(t)
	m.RequireAuth("secret")
	must := must(t)
	var ps []*Process
	for _, owner := range []string{"A", "B"} {
		p, c := open(t, python(t), Options{}), config(m.Addr(), "", owner)
		c.Password = "secret"
		if err := p.Start(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	a, b := ps[0], ps[1]
	want(t, "acquire", must(a.Acquire(t.Context(), time.Minute)), Answer{OK: true})
	want(t, "acquire of a held lock", must(b.Acquire(t.Context(), 20*time.Millisecond)), Answer{Error: "not acquired"})
	m.Del("lock:item")
	want(t, "acquire of a lost lock", must(b.Acquire(t.Context(), time.Minute)), Answer{OK: true})
	want(t, "work", must(a.Work(t.Context(), time.Millisecond)), Answer{OK: true})
	want(t, "release of a lost lock", must(a.Release(t.Context())), Answer{Error: "not held"})
	want(t, "release", must(b.Release(t.Context())), Answer{OK: true})
	m.Close()
	want(t, "acquire without a server", must(a.Acquire(t.Context(), time.Millisecond)), Answer{Error: "network"})
}

func TestTheWorkerInPythonPausesAndDies(t *testing.T) {
	p := open(t, python(t), Options{})
	if err := p.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if proof, err := p.Pause(); err != nil {
		t.Errorf("%s, %v", proof, err)
	}
	if err := p.Resume(); err != nil {
		t.Error(err)
	}
	if err := p.Send(t.Context()); err != nil {
		t.Error(err)
	}
	if proof, err := p.Kill(); err != nil {
		t.Errorf("%s, %v", proof, err)
	}
}

// It dies of an exception, whose traceback is in the log.
func TestTheWorkerInPythonDiesWithoutAStart(t *testing.T) {
	p := open(t, python(t), Options{})
	_, err := p.Acquire(t.Context(), time.Second) // without a start request it has no configuration
	wantError(t, "acquire", err, proc.ErrDied)
}
