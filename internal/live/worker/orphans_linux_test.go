package worker

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/lockchaos/simrun/internal/proc"
)

// If the harness is killed, its workers die too: one that is paused, and one that
// ignores the end of its input.
func TestWorkersDieWithTheHarness(t *testing.T) {
	p := open(t, command(t, "starts workers"), Options{})
	if _, err := p.In.Write([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	l := <-p.lines
	var paused, running int
	if _, err := fmt.Sscan(string(l.text), &paused, &running); err != nil {
		t.Fatalf("%q: %v; %s", l.text, err, p.Log())
	}
	if _, err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{paused, running} {
		for proc.GroupAlive(pid) { // until the test times out
			runtime.Gosched()
		}
	}
}
