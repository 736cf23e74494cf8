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
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/proc"
)

var (
	// errDied: the child ended before it had answered.
	errDied = errors.New("the child died")
	// errSilent: the child printed nothing for too long.
	errSilent = errors.New("the child fell silent")
	// errKilled: the child was killed from outside before it could serve.
	errKilled = errors.New("a child was killed from outside as it started")
)

// childProcess is a child seen from the parent.
type childProcess struct {
	child   *proc.Child
	replies chan reply
	stderr  *proc.Log // what it printed apart from its replies
	silence time.Duration
	seeds   int // that it has run
}

// stderrEnd is how many bytes are kept of the beginning and of the end of a child's
// output: a crash begins with its cause, and may come late.
const stderrEnd = 32 << 10

// start starts a child and waits for its first reply. The end of ctx kills it.
func start(ctx context.Context, o Options) (*childProcess, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program to start it again: %w", err)
	}
	cmd := exec.Command(exe, childArg)
	// One thread for Go code: the bubble's goroutines take turns anyway, and
	// the other children need the cores.
	cmd.Env = append(os.Environ(), childEnv+"="+o.Stall.String(), "GOMAXPROCS=1", "GOTRACEBACK=single")
	if os.Getenv("GOMEMLIMIT") == "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMEMLIMIT=%dMiB", memoryLimit(o.Procs)))
	}
	p := newChildProcess(o.Silence)
	if p.child, err = proc.Start(ctx, cmd, proc.Options{Piped: true, SharesGroup: true, Log: p.stderr}); err != nil {
		return nil, fmt.Errorf("starting a child: %w", err)
	}
	go p.read(p.child.Out)
	if r, err := p.receive(); err != nil || r.Hello != wireVersion {
		p.kill()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, errDied) && p.child.Terminated() {
			return nil, errKilled
		}
		return nil, fmt.Errorf("%w (%s)", ErrNotHooked, firstLine(p.stderr.String()))
	}
	return p, nil
}

func newChildProcess(silence time.Duration) *childProcess {
	return &childProcess{replies: make(chan reply), stderr: &proc.Log{Head: stderrEnd, Tail: stderrEnd}, silence: silence}
}

// memoryLimit is the soft limit of one child's heap in MiB. More children share the
// same total, down to what one needs.
func memoryLimit(procs int) int {
	const all, least, most = 320, 32, 100
	return min(max(all/max(procs, 1), least), most)
}

// read passes on replies until the child closes its output. Everything else there
// was printed by the lock: it is kept with the standard error, piece by piece, since
// a line may never end.
func (p *childProcess) read(out io.Reader) {
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

// receive waits for the next reply. It counts ticks rather than reading the clock, so
// that a child is not killed because the whole process group was stopped for a while.
func (p *childProcess) receive() (reply, error) {
	const ticks = 4
	t := time.NewTicker(p.silence / ticks)
	defer t.Stop()
	for range ticks + 1 {
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

func (p *childProcess) send(o order) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	// If the child has died, receive reports it.
	_, _ = p.child.In.Write(append(line, '\n'))
	return nil
}

// end closes the child's input, waits for its end, and returns its status.
func (p *childProcess) end() string {
	_ = p.child.In.Close()
	for range p.replies {
	}
	return p.child.Exit().Status
}

// kill ends the child, even if it does not read its input.
func (p *childProcess) kill() {
	p.child.End()
	p.end()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
