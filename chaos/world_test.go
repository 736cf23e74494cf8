package chaos_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockchaos/simrun/chaos"
)

// fakeWorld writes down what is asked of it. It refuses the calls that begin
// with refuse.
type fakeWorld struct {
	calls  []string
	refuse string
}

func (w *fakeWorld) call(format string, args ...any) (proof string, err error) {
	c := fmt.Sprintf(format, args...)
	if w.refuse != "" && strings.HasPrefix(c, w.refuse) {
		return "", chaos.ErrUnsupported
	}
	w.calls = append(w.calls, c)
	return "did " + c, nil
}

// undo is what takes a call back; it is nil if the call was refused.
func (w *fakeWorld) undo(c string, err error) func() {
	if err != nil {
		return nil
	}
	return func() { w.calls = append(w.calls, "undo "+c) }
}

func (w *fakeWorld) Pause(client string) (func(), string, error) {
	proof, err := w.call("pause %s", client)
	return w.undo("pause", err), proof, err
}

func (w *fakeWorld) Hang(client string) (func(), string, error) {
	proof, err := w.call("hang %s", client)
	return w.undo("hang", err), proof, err
}

func (w *fakeWorld) Crash(client string) (string, error) { return w.call("crash %s", client) }

func (w *fakeWorld) AddToxic(client string, t chaos.Toxic) (func(), string, error) {
	var attributes []string
	for _, name := range slices.Sorted(maps.Keys(t.Attributes)) {
		attributes = append(attributes, fmt.Sprintf("%s=%d", name, t.Attributes[name]))
	}
	proof, err := w.call("%s %s %s %v [%s]", t.Stream, t.Type, client, t.Toxicity, strings.Join(attributes, " "))
	return w.undo(t.Stream+" "+t.Type, err), proof, err
}

func (w *fakeWorld) Reset(client string) (string, error) { return w.call("reset %s", client) }

func (w *fakeWorld) LoseReply(client string, fired func(string)) error {
	proof, err := w.call("lose reply %s", client)
	if err == nil {
		fired(proof)
	}
	return err
}

func (w *fakeWorld) DelayWrite(client string, d time.Duration, fired func(string)) error {
	proof, err := w.call("delay write %s %s", client, d)
	if err == nil {
		fired(proof)
	}
	return err
}

func (w *fakeWorld) JumpClock(d time.Duration) (string, error) { return w.call("jump clock %s", d) }

func (w *fakeWorld) SetClockRate(rate float64) (func(), string, error) {
	proof, err := w.call("set clock rate %v", rate)
	return w.undo("clock rate", err), proof, err
}

func (w *fakeWorld) Restart(keepData bool) (func(), string, error) {
	proof, err := w.call("restart, data kept %t", keepData)
	return w.undo("restart", err), proof, err
}

func (w *fakeWorld) Replicate(lag time.Duration) error {
	_, err := w.call("replicate %s", lag)
	return err
}

func (w *fakeWorld) Promote() (string, error) { return w.call("promote") }
