package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestGateHoldsBackUntilEachStopIsUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate()
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
