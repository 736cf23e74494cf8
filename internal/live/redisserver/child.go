package redisserver

import (
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/reaper"
)

// child is a process of ours that does not outlive us.
type child struct {
	pid   int
	log   *tail
	ended chan struct{} // closed once it has ended and been waited for
	// status is how it ended, once it has: "killed by signal 9", "exit status 0".
	status string
}

// startChild starts a program in a process group of its own. Where the system
// offers that, the program is killed when the thread that started it ends, and
// so that thread is kept until the program has ended.
func startChild(j *reaper.Janitor, program string, args ...string) (*child, error) {
	c := &child{log: &tail{}, ended: make(chan struct{})}
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = bound()
	cmd.Stdout, cmd.Stderr = c.log, c.log
	cmd.WaitDelay = time.Second
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err != nil {
			started <- err
			return
		}
		c.pid = cmd.Process.Pid
		done := j.Process(c.pid)
		started <- nil
		_ = cmd.Wait() // how it ended is in its state
		c.status = statusOf(cmd.ProcessState)
		done()
		close(c.ended)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// kill ends the process and its group, and waits for its end. One that has
// ended is let alone: its identifier may be somebody else's by now.
func (c *child) kill() {
	select {
	case <-c.ended:
	default:
		killGroup(c.pid)
		<-c.ended
	}
}

// tail keeps the end of what a process says.
type tail struct {
	mu   sync.Mutex
	said []byte
}

// tailSize is how many bytes of a process's words are kept.
const tailSize = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, b...)
	if over := len(t.said) - tailSize; over > 0 {
		t.said = append(t.said[:0], t.said[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.said)
}

// last is the last line that says anything.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
