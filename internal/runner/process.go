package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// errDied: the child ended before it had answered.
var errDied = errors.New("the child died")

// errSilent: the child said nothing for too long and was killed.
var errSilent = errors.New("the child fell silent")

// errKilled: the child was killed from outside before it could serve.
var errKilled = errors.New("a child was killed from outside as it started")

// process is a child seen from the parent.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies chan reply
	stderr  *ends // what it said beside its replies
	silence time.Duration
	known   map[int]bool // scenarios that the child was told
	seeds   int          // that it has run
}

// start starts a child and waits for its first word. The context kills it.
func start(ctx context.Context, o Options) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program to start it again: %w", err)
	}
	p := &process{silence: o.Silence, replies: make(chan reply), stderr: &ends{}, known: make(map[int]bool)}
	p.cmd = exec.CommandContext(ctx, exe, childArg)
	// One thread for Go code: the bubble's goroutines take turns anyway, and
	// the cores belong to the other children.
	p.cmd.Env = append(os.Environ(), childEnv+"="+o.Stall.String(), "GOMAXPROCS=1", "GOTRACEBACK=single")
	if os.Getenv("GOMEMLIMIT") == "" {
		p.cmd.Env = append(p.cmd.Env, fmt.Sprintf("GOMEMLIMIT=%dMiB", memoryLimit(o.Procs)))
	}
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = time.Second
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a child: %w", err)
	}
	go p.read(out)
	if r, err := p.next(); err != nil || r.Hello != wireVersion {
		p.kill()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, errDied) && p.endedFromOutside() {
			return nil, errKilled
		}
		return nil, fmt.Errorf("%w (%s)", ErrNotHooked, firstLine(p.stderr.String()))
	}
	return p, nil
}

// memoryLimit is the soft limit of one child's heap in MiB: what all children
// together may take stays the same on many cores, down to what one needs.
func memoryLimit(procs int) int {
	const all, least, most = 320, 32, 100
	return min(max(all/max(procs, 1), least), most)
}

// read passes replies on until the child closes its side. What else stands
// there is noise of the lock: it is kept with the standard error, a piece at a
// time, since it may have no end.
func (p *process) read(out io.Reader) {
	defer close(p.replies)
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		var line []byte
		var err error
		if mark, _ := lines.Peek(len(replyMark)); string(mark) == replyMark {
			line, err = lines.ReadBytes('\n')
		} else {
			line, err = lines.ReadSlice('\n')
		}
		if r, ok := parseReply(string(line)); ok {
			p.replies <- r
		} else if len(bytes.TrimSpace(line)) > 0 {
			_, _ = p.stderr.Write(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// next waits for the next line. It counts looks, rather than reading the time,
// so that a group of processes that was stopped and woken is not killed.
func (p *process) next() (reply, error) {
	const looks = 4
	t := time.NewTicker(p.silence / looks)
	defer t.Stop()
	for range looks + 1 {
		select {
		case r, ok := <-p.replies:
			if !ok {
				return reply{}, errDied
			}
			return r, nil
		case <-t.C:
		}
	}
	return reply{}, errSilent
}

func (p *process) send(o order) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	// A child that is dead already is found out by next.
	_, _ = p.in.Write(append(line, '\n'))
	return nil
}

// end tells the child to end, waits for it, and says how it ended.
func (p *process) end() string {
	p.in.Close()
	for range p.replies {
	}
	if err := p.cmd.Wait(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// endedFromOutside says of a child that has ended whether somebody killed it, as
// an operator or a system short of memory does. No fault of a Go program ends
// it so.
func (p *process) endedFromOutside() bool {
	if p.cmd.ProcessState == nil {
		return false
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGKILL || status.Signal() == syscall.SIGTERM)
}

// kill ends the child whatever it does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	p.end()
}

// dump makes a silent child show its stacks, then ends it.
func (p *process) dump() {
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	hard := time.AfterFunc(2*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer hard.Stop()
	p.end()
}

// ends keeps the first and the last 32 KiB of what is written to it.
type ends struct {
	mu         sync.Mutex
	head, tail []byte
	cut        bool
}

const endSize = 32 << 10

func (e *ends) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(b)
	if room := endSize - len(e.head); room > 0 {
		k := min(room, len(b))
		e.head = append(e.head, b[:k]...)
		b = b[k:]
	}
	e.tail = append(e.tail, b...)
	if over := len(e.tail) - endSize; over > 0 {
		e.cut = true
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return n, nil
}

func (e *ends) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cut {
		return string(e.head) + "\n… cut\n" + string(e.tail)
	}
	return string(e.head) + string(e.tail)
}
