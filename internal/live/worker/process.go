package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/internal/reaper"
)

// Options say how patient the harness is.
type Options struct {
	// Bound is how long an answer may take beyond what the request itself asks
	// for. It does not run while the process is paused. Default 30 s.
	Bound time.Duration
	// Grace is what Close grants the process to end by itself. Default 1 s.
	Grace time.Duration
	// Janitor ends the process's group where this program is killed. It may be nil.
	Janitor *reaper.Janitor
}

// Process is a worker's process seen from the harness. Requests wait for each
// other; Pause, Resume, Kill, State and Close may be called beside them.
type Process struct {
	opts Options
	cmd  *exec.Cmd
	in   *os.File // a pipe's end
	log  tail

	lines   chan line     // what it says; closed at its end
	closing chan struct{} // closed once nobody will read lines
	reaped  chan struct{} // closed once the process is no more
	status  string        // how it ended; set before reaped is closed
	wait    sync.WaitGroup

	turn  chan struct{} // held by the request that is under way
	id    int64         // of the last request; whoever has the turn
	fault error         // ends all requests; whoever has the turn

	signals sync.Mutex // held while signals are sent, one after the other
	pauses  int        // that have not ended; under signals
	paused  atomic.Bool
	killed  atomic.Bool
	closed  sync.Once
}

// line is one line of a worker, or the beginning of one that is too long.
type line struct {
	text []byte
	long bool
	more bool // something was said behind it at once
}

// Start starts a worker in a process group of its own. The end of ctx kills it.
// It fails with [ErrCommand] or [ErrUnsupported].
func Start(ctx context.Context, c Command, o Options) (*Process, error) {
	if o.Bound <= 0 {
		o.Bound = 30 * time.Second
	}
	if o.Grace <= 0 {
		o.Grace = time.Second
	}
	p := &Process{
		opts: o, cmd: exec.Command(c.Path, c.Args...),
		lines: make(chan line), closing: make(chan struct{}), reaped: make(chan struct{}),
		turn: make(chan struct{}, 1),
	}
	if err := ownGroup(p.cmd); err != nil {
		return nil, err
	}
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.Stderr = &p.log
	p.cmd.WaitDelay = lastWords
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		in.Close()
		return nil, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	p.in, p.cmd.Stdin, p.cmd.Stdout = in, theirIn, theirOut
	started := make(chan error)
	p.wait.Go(func() { p.live(out, started) })
	err = <-started
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	p.wait.Go(func() { p.read(out) })
	p.wait.Go(func() {
		select {
		case <-ctx.Done():
			p.end()
		case <-p.reaped:
		}
	})
	return p, nil
}

// lastWords is how long the pipes of a process that ended are read on, where
// another process that it started keeps them open.
const lastWords = 500 * time.Millisecond

// live starts the process and waits for its end, on one thread: Linux kills the
// process when the thread that started it ends, and so none of Go's own will do.
func (p *Process) live(out *os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err != nil {
		started <- err
		return
	}
	defer p.opts.Janitor.Process(p.Pid())()
	started <- nil
	_ = p.cmd.Wait() // the status tells
	p.status = statusOf(p.cmd.ProcessState)
	p.sweep()
	_ = out.SetReadDeadline(time.Now().Add(lastWords))
	close(p.reaped)
}

// sweep kills what the process started and left behind in its group.
func (p *Process) sweep() {
	for nap := time.Millisecond; nap < lastWords; nap *= 2 {
		if signalGroup(p.Pid(), sigKill) != nil || !peopled(p.Pid()) {
			return
		}
		time.Sleep(nap) // the system tells of the end of children alone
	}
}

// read passes lines on until the process closes its side.
func (p *Process) read(out *os.File) {
	defer out.Close()
	defer close(p.lines)
	lines := bufio.NewReaderSize(out, maxLine)
	for {
		text, err := lines.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !long {
			return
		}
		select {
		case p.lines <- line{append([]byte(nil), text...), long, lines.Buffered() > 0}:
		case <-p.closing:
			return
		}
		if long {
			return
		}
	}
}

// ended tells how the process ended that has closed its output.
func (p *Process) ended() error {
	select {
	case <-p.reaped:
	case <-time.After(p.opts.Grace):
		p.end()
		<-p.reaped
		d := p.death()
		d.Killed = false // not before it had given up
		d.Status = "closed its output and went on"
		return d
	}
	return p.death()
}

// death may be asked for once the process is reaped. A process that ended just
// before it was killed was not.
func (p *Process) death() *Death {
	killed := p.killed.Load() && p.status == killedStatus
	return &Death{Pid: p.Pid(), Status: p.status, Killed: killed, Log: p.log.String()}
}
