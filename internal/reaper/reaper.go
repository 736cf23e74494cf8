// Package reaper cleans up behind a process that was killed: a second, tiny
// process outlives it, and ends the child processes and removes the temporary
// directories that were left.
//
// Goals: kill -9 leaves nothing behind for longer than a moment; a process
// identifier that the system has given to somebody else is not killed.
// Non-goals: ordinary cleaning up, which is its owner's work; and outliving a
// kill of the janitor itself.
//
// The janitor is the same binary started with a hidden verb: main must ask [Is]
// before it looks at its arguments, and call [Main] if so.
package reaper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// Verb is the hidden first argument that makes a binary a janitor.
const Verb = "__simrun-janitor"

// ErrGone: the janitor is no longer there to be told anything.
var ErrGone = errors.New("janitor is gone")

// Janitor is the running janitor as its owner sees it. A nil *Janitor takes
// everything and does nothing, for who needs none.
type Janitor struct {
	cmd *exec.Cmd

	mu   sync.Mutex
	pipe io.WriteCloser
	err  error // the first that went wrong
}

// order is one line of the pipe between owner and janitor.
type order struct {
	Process int    `json:"process,omitempty"`
	Born    string `json:"born,omitempty"` // tells one process from the next with its identifier
	Dir     string `json:"dir,omitempty"`
	Done    bool   `json:"done,omitempty"` // was cleaned up by its owner: forget it
}

// Start starts program, a binary that honours [Verb], as a janitor. It works
// when the calling process ends, however that happens, or at [Janitor.Close].
func Start(program string) (*Janitor, error) {
	cmd := exec.Command(program, Verb)
	cmd.SysProcAttr = apart()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start janitor: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start janitor: %w", err)
	}
	return &Janitor{cmd: cmd, pipe: pipe}, nil
}

// Process gives the janitor a child process, by its identifier, which should
// lead a process group of its own: the whole group is killed. Call done, from
// any goroutine, as soon as the process has been waited for.
func (j *Janitor) Process(pid int) (done func()) {
	o := order{Process: pid, Born: born(pid)}
	return j.give(o)
}

// Dir gives the janitor a directory, by its absolute path. Call done once it
// has been removed.
func (j *Janitor) Dir(path string) (done func()) {
	return j.give(order{Dir: path})
}

func (j *Janitor) give(o order) (done func()) {
	if j == nil {
		return func() {}
	}
	j.tell(o)
	var once sync.Once
	return func() {
		once.Do(func() {
			o.Done = true
			j.tell(o)
		})
	}
}

func (j *Janitor) tell(o order) {
	line, err := json.Marshal(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil && j.pipe != nil {
		_, err = j.pipe.Write(append(line, '\n'))
	}
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("%w: %w", ErrGone, err)
	}
}

// Close lets the janitor clean up what it was given and not told is done, and
// waits for it to end. It returns the first error of all that went wrong since
// [Start]: with one, the janitor could not have done its work.
func (j *Janitor) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	pipe := j.pipe
	j.pipe = nil
	j.mu.Unlock()
	if pipe == nil {
		return nil
	}
	closed := pipe.Close()
	waited := j.cmd.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := errors.Join(j.err, closed, waited); err != nil {
		return fmt.Errorf("close janitor: %w", err)
	}
	return nil
}
