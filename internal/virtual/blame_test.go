package virtual

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
)

const oneClient = "name: x\nsummary: Nothing goes wrong.\nclients: 1\nsections: 1\nwork: 1s\nexpect: {naive: {leak: none}}\n"

func parsed(t *testing.T, src string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("x.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lockFunc is a lock of which only Acquire is called.
type lockFunc func() (lock.Lease, error)

func (f lockFunc) Acquire(context.Context) (lock.Lease, error) { return f() }

// A panic of simrun's own code ends the process with its stack, whether a call into
// the lock is in progress or not. No finding blames the lock.
func TestOwnPanicEndsTheProcess(t *testing.T) {
	naive, _ := strategy.Lookup("naive")
	breaks := map[string]strategy.Strategy{
		"in a call into the lock": {Name: "own", New: func(strategy.Env) (lock.Locker, error) {
			return lockFunc(func() (lock.Lease, error) {
				(*world)(nil).emit(history.Event{}) // as a bug in the in-memory network would
				return nil, nil
			}), nil
		}},
		"outside of any": naive, // with a scenario whose ranges cannot be drawn from
	}
	if name := os.Getenv("SIMRUN_TEST_OWN_PANIC"); name != "" {
		s := parsed(t, oneClient)
		if breaks[name].Name == "naive" {
			s.Think.Min, s.Think.Max = -1<<63, 1<<62 // rand panics: the span overflows
		}
		out := Run(bubble.In(t), engine.Job{Scenario: s, Strategy: breaks[name], Seed: 1})
		t.Fatalf("the process goes on: %+v", out.Report)
	}
	for name := range breaks {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestOwnPanicEndsTheProcess$")
			cmd.Env = append(os.Environ(), "SIMRUN_TEST_OWN_PANIC="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "panic: ") || !strings.Contains(string(out), "virtual.(*driver).run") {
				t.Errorf("err %v, want a crash with the driver's stack:\n%s", err, out)
			}
			if strings.Contains(string(out), "the process goes on") {
				t.Errorf("%s", out)
			}
		})
	}
}

// A lock that returns neither a lease nor an error is to blame, though simrun's code
// is what panics.
func TestNoLeaseAndNoErrorIsAFinding(t *testing.T) {
	st := strategy.Strategy{Name: "none", New: func(strategy.Env) (lock.Locker, error) {
		return lockFunc(func() (lock.Lease, error) { return nil, nil }), nil
	}}
	out := Run(bubble.In(t), engine.Job{Scenario: parsed(t, oneClient), Strategy: st, Seed: 1})
	for _, f := range out.Report.Findings {
		if strings.Contains(f.Detail, "panic in Acquire: it returned no lease and no error") {
			return
		}
	}
	t.Errorf("findings: %+v", out.Report.Findings)
}

// undeclared puts a toxic, which its Spec does not declare.
type undeclared struct{}

func (undeclared) Inject(w chaos.World, client string, fired func(string)) (func(), error) {
	remove, proof, err := w.AddToxic(client, chaos.Toxic{Type: "latency", Stream: "upstream", Toxicity: 1})
	if err == nil {
		fired(proof)
	}
	return remove, err
}

func TestToxicThatIsNotDeclaredDoesNotFire(t *testing.T) {
	s := parsed(t, oneClient)
	at := chaos.Range{Min: time.Millisecond, Max: time.Millisecond}
	spec := &chaos.Spec{Name: "undeclared", Target: true}
	s.Faults = []chaos.Plan{{ID: "1:undeclared", Spec: spec, Fault: undeclared{}, Client: "any", At: &at}}
	naive, _ := strategy.Lookup("naive")
	out := Run(bubble.In(t), engine.Job{Scenario: s, Strategy: naive, Seed: 1, Record: true})
	for _, e := range out.Events {
		if e.Kind == history.Unfired && e.Fault == "1:undeclared" && strings.Contains(e.Detail, "set NeedsToxics") {
			return
		}
	}
	t.Errorf("no event says why it did not fire: %+v", out.Events)
}
