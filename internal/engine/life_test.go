package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
)

// How long a client takes to spend 10 s, and what ends that early.
func TestSpend(t *testing.T) {
	tests := []struct {
		name    string
		happens func(l *engine.Life, early, end chan struct{}) // concurrently, from 0 s on
		want    time.Duration
	}{
		{"nothing", func(*engine.Life, chan struct{}, chan struct{}) {}, 10 * time.Second},
		{"it is stopped for 7 s", func(l *engine.Life, _, _ chan struct{}) {
			time.Sleep(2 * time.Second)
			l.Stop.Stop()
			time.Sleep(7 * time.Second)
			l.Stop.Open()
		}, 17 * time.Second},
		{"it hangs for 7 s", func(l *engine.Life, _, _ chan struct{}) {
			time.Sleep(2 * time.Second)
			l.Hang.Stop()
			time.Sleep(7 * time.Second)
			l.Hang.Open()
		}, 17 * time.Second},
		{"its lease is lost at 3 s", func(_ *engine.Life, early, _ chan struct{}) {
			time.Sleep(3 * time.Second)
			close(early)
		}, 3 * time.Second},
		{"its lease is lost while it is stopped", func(l *engine.Life, early, _ chan struct{}) {
			time.Sleep(2 * time.Second)
			l.Stop.Stop()
			time.Sleep(time.Second)
			close(early)
			time.Sleep(4 * time.Second)
			l.Stop.Open()
		}, 7 * time.Second},
		{"it dies at 3 s", func(l *engine.Life, _, _ chan struct{}) { time.Sleep(3 * time.Second); l.MarkDead() }, 3 * time.Second},
		{"the run ends at 3 s", func(_ *engine.Life, _, end chan struct{}) { time.Sleep(3 * time.Second); close(end) }, 3 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				early, end := make(chan struct{}), make(chan struct{})
				l, begun := engine.NewLife("A"), time.Now()
				go tt.happens(l, early, end)
				l.Spend(10*time.Second, early, end)
				// A gate lets its goroutines pass at different instants.
				if got := time.Since(begun).Round(time.Millisecond); got != tt.want {
					t.Errorf("took %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func TestLiving(t *testing.T) {
	a, b := engine.NewLife("A"), engine.NewLife("B")
	b.MarkDead()
	all := []*engine.Life{a, b}
	if got, err := engine.Living(all, "A"); got != a || err != nil {
		t.Errorf("A: %v, %v", got, err)
	}
	if _, err := engine.Living(all, "B"); !errors.Is(err, engine.ErrGone) {
		t.Errorf("B has died: %v", err)
	}
	if _, err := engine.Living(all, "C"); err == nil || errors.Is(err, engine.ErrGone) {
		t.Errorf("C never was: %v", err)
	}
}

func TestGateHoldsBackUntilEachStopIsUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := engine.NewGate()
		g.Pass() // open: does not wait
		g.Stop()
		g.Stop()
		begun := time.Now()
		passed := make(chan time.Duration, 2)
		for range 2 {
			go func() { g.Pass(); passed <- time.Since(begun) }()
		}
		time.Sleep(time.Second)
		g.Open()
		time.Sleep(time.Second)
		select {
		case <-passed:
			t.Fatal("passed a gate that one stop still closes")
		default:
		}
		g.Open()
		first, second := <-passed, <-passed
		if first < 2*time.Second || first == second {
			t.Errorf("passed after %v and %v: want both after 2s, each at an instant of its own", first, second)
		}
	})
}
