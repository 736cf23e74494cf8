// Package proc supervises child processes: it starts each in a process group of
// its own, stops, continues and kills that group, keeps the end of what it
// prints, and reports how it ended.
//
// Goals: a stop is proved by the state that the system reports, a kill by the
// status that the process ended with; a process that died is distinguished from
// one that was killed on purpose; no child and no temporary directory outlives
// this program, even where that is killed with SIGKILL ([Reaper]).
// Non-goals: what a child and its parent say to each other, and processes that
// leave their group.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Dead is the state of a process that has ended.
const Dead = "dead"

// Options say how a child is started.
type Options struct {
	// Piped connects In and Out to the child. Otherwise its output goes to the
	// log too, and it has no input.
	Piped bool
	// SharesGroup leaves the child in this program's process group, where the
	// terminal's Ctrl-Z stops both. Only the child itself is then killed.
	SharesGroup bool
	// Log receives the standard error. Default: a zero Log.
	Log *Log
	// Reaper kills the child's group if this program is killed. It may be nil.
	Reaper *Reaper
}

// Child is a process that this program has started. Its methods may be called
// from several goroutines.
type Child struct {
	In  io.WriteCloser // its standard input, if piped
	Out *Output        // its standard output, if piped

	cmd  *exec.Cmd
	o    Options
	done chan struct{} // closed once the process has been waited for

	signals sync.Mutex   // serializes signals
	pauses  atomic.Int32 // not resumed yet, or about to begin
	killed  atomic.Bool
}

// linger is how long the output of a process that has ended is still read where
// another process holds it open.
const linger = 500 * time.Millisecond

// Start starts cmd, whose standard streams and attributes must be unset. The end
// of ctx kills it. A group of its own fails with [ErrUnsupported] except on Unix.
func Start(ctx context.Context, cmd *exec.Cmd, o Options) (_ *Child, err error) {
	if o.Log == nil {
		o.Log = &Log{}
	}
	c := &Child{cmd: cmd, o: o, done: make(chan struct{})}
	if cmd.SysProcAttr, err = attributes(o.SharesGroup); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = o.Log, o.Log, linger
	if o.Piped {
		if c.In, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
		ours, theirs, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer theirs.Close()
		c.Out, cmd.Stdout = &Output{ours}, theirs
	}
	started := make(chan error)
	go c.run(ctx, started)
	if err := <-started; err != nil {
		if o.Piped {
			_ = c.Out.Close()
		}
		return nil, err
	}
	return c, nil
}

// run starts the process and waits for it, on one thread: Linux kills the
// process when the thread that started it ends, so that thread must stay.
func (c *Child) run(ctx context.Context, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.cmd.Start(); err != nil {
		started <- err
		return
	}
	forget := c.o.Reaper.Process(c.Pid())
	defer context.AfterFunc(ctx, c.End)()
	started <- nil
	_ = c.cmd.Wait() // its result is in cmd.ProcessState
	c.sweep()
	forget()
	if c.Out != nil {
		_ = c.Out.file.SetReadDeadline(time.Now()) // see Output
	}
	close(c.done)
}

// sweep kills what the process started and left behind in its group.
func (c *Child) sweep() {
	if c.o.SharesGroup {
		return
	}
	for nap := time.Millisecond; nap < linger; nap *= 2 {
		if signalGroup(c.Pid(), syscall.SIGKILL) != nil || !GroupAlive(c.Pid()) {
			return
		}
		time.Sleep(nap) // the system reports the end of children only
	}
}

// Output reads what a child prints. It ends with the pipe or, once the child has
// ended, when nothing has arrived for half a second: a process that the child has
// left behind may hold the pipe open.
type Output struct{ file *os.File }

func (o *Output) Read(b []byte) (int, error) {
	n, err := o.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) { // the child has ended
		_ = o.file.SetReadDeadline(time.Now().Add(linger))
		n, err = o.file.Read(b)
	}
	return n, err
}

// Close closes this program's end.
func (o *Output) Close() error { return o.file.Close() }

// Pid is the identifier of the process, and of its group unless it shares one.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Log returns what the options' Log has kept.
func (c *Child) Log() *Log { return c.o.Log }

// Done is closed once the process has ended and been waited for.
func (c *Child) Done() <-chan struct{} { return c.done }

// Ended returns the [ExitError] of a process that has ended, or nil.
func (c *Child) Ended() error {
	select {
	case <-c.done:
		return c.Exit()
	default:
		return nil
	}
}

// Exit waits for the process to end and returns how it did.
func (c *Child) Exit() *ExitError {
	<-c.done
	e := &ExitError{Pid: c.Pid(), Status: statusOf(c.cmd.ProcessState), Log: c.o.Log.String()}
	// A process may have ended by itself just before it was to be killed.
	e.Killed = c.killed.Load() && e.Status == bySignal(syscall.SIGKILL)
	return e
}

// Terminated waits for the process to end and reports whether SIGKILL or SIGTERM
// ended it, whoever sent that.
func (c *Child) Terminated() bool {
	status := c.Exit().Status
	return status == bySignal(syscall.SIGKILL) || status == bySignal(syscall.SIGTERM)
}

// State returns the system's letter for the state of the process, such as "S"
// (asleep), "R" (running), "T" (stopped) or "Z" (zombie); or [Dead].
func (c *Child) State() string {
	s, err := statOf(c.Pid())
	if err != nil || c.Ended() != nil {
		return Dead
	}
	return s.state
}

// Paused reports whether the process is paused, or about to be.
func (c *Child) Paused() bool { return c.pauses.Load() > 0 }

// Pause stops the whole process group and proves it: proof contains the pid and
// its state T, read after the signal. Pauses nest: each needs a [Child.Resume].
// It fails with [ErrDied], or with [ErrNotStopped] if some process goes on; then
// there is no pause to resume.
func (c *Child) Pause() (proof string, err error) {
	c.signals.Lock()
	defer c.signals.Unlock()
	if err := c.Ended(); err != nil {
		return "", err
	}
	c.pauses.Add(1)
	if err := signalGroup(c.Pid(), sigStop); err != nil {
		return "", c.notStopped(err.Error())
	}
	seen := ""
	for nap := 100 * time.Microsecond; nap < time.Second && c.Ended() == nil; nap += nap / 2 {
		ok, detail, err := groupStopped(c.Pid())
		switch {
		case err != nil:
			seen = err.Error()
		case ok:
			return detail, nil
		default:
			seen = detail
		}
		time.Sleep(nap) // the system stops thread after thread, without notice
	}
	return "", c.notStopped(seen)
}

// notStopped continues the group unless an earlier pause is still in force.
func (c *Child) notStopped(why string) error {
	if c.pauses.Add(-1) == 0 {
		_ = signalGroup(c.Pid(), sigCont)
	}
	if err := c.Ended(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrNotStopped, why)
}

// Resume undoes one pause, and with the last one continues the group. It fails
// with [ErrDied].
func (c *Child) Resume() error {
	c.signals.Lock()
	defer c.signals.Unlock()
	if err := c.Ended(); err != nil {
		return err
	}
	if c.pauses.Load() > 1 {
		c.pauses.Add(-1)
		return nil
	}
	if err := signalGroup(c.Pid(), sigCont); err != nil {
		return fmt.Errorf("resuming pid %d: %w", c.Pid(), err)
	}
	c.pauses.Store(0)
	return nil
}

// Kill kills the group, paused or not, and waits for the process. The proof
// contains the pid and the signal that ended it. It fails with [ErrDied] if the
// process had ended otherwise.
func (c *Child) Kill() (proof string, err error) {
	if err := c.Ended(); err != nil {
		return "", err
	}
	c.End()
	e := c.Exit()
	if e.Status != bySignal(syscall.SIGKILL) {
		return "", e
	}
	return fmt.Sprintf("pid %d %s", e.Pid, e.Status), nil
}

// End kills the group unless the process has ended. It does not wait.
func (c *Child) End() {
	c.signals.Lock()
	defer c.signals.Unlock()
	if c.Ended() != nil {
		return
	}
	c.killed.Store(true)
	if c.o.SharesGroup {
		_ = c.cmd.Process.Kill()
	} else {
		_ = signalGroup(c.Pid(), syscall.SIGKILL)
	}
}

// Quit makes a Go program print the stacks of its goroutines and end. One that
// has not ended after the grace is killed. Quit does not wait.
func (c *Child) Quit(grace time.Duration) {
	_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	time.AfterFunc(grace, c.End)
}
