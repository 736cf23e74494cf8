package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// ReaperVerb is the hidden argument that makes a binary a reaper.
const ReaperVerb = "__simrun-reaper"

// Reaper is a second, tiny process that outlives this one: when this one ends,
// it kills the child processes and removes the temporary directories that were
// left. It is this program's binary, started again with [ReaperVerb]. It does not
// survive being killed itself. The methods of a nil *Reaper do nothing.
type Reaper struct {
	cmd *exec.Cmd

	mu     sync.Mutex
	pipe   io.WriteCloser
	err    error // the first failure
	closed bool
}

// duty is one line of the pipe to the reaper: something to clean up, or with
// Done something to forget.
type duty struct {
	Process int    `json:"process,omitempty"`
	Born    string `json:"born,omitempty"` // see bornOf
	Dir     string `json:"dir,omitempty"`
	Done    bool   `json:"done,omitempty"`
}

// StartReaper starts program, a binary whose main calls [RunReaper] where
// [IsReaper] holds. The reaper cleans up when the calling process ends, for
// whatever reason, or at [Reaper.Close].
func StartReaper(program string) (*Reaper, error) {
	cmd := exec.Command(program, ReaperVerb)
	cmd.SysProcAttr = ownSession()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start reaper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start reaper: %w", err)
	}
	return &Reaper{cmd: cmd, pipe: pipe}, nil
}

// Process registers a child process that leads a process group; the whole group is
// killed. Call forget, from any goroutine, once the process has been waited for.
func (r *Reaper) Process(pid int) (forget func()) {
	return r.register(duty{Process: pid, Born: bornOf(pid)})
}

// Dir registers a directory by its absolute path. Call forget once it has been
// removed.
func (r *Reaper) Dir(path string) (forget func()) { return r.register(duty{Dir: path}) }

func (r *Reaper) register(d duty) (forget func()) {
	if r == nil {
		return func() {}
	}
	r.send(d)
	return sync.OnceFunc(func() {
		d.Done = true
		r.send(d)
	})
}

func (r *Reaper) send(d duty) {
	line, err := json.Marshal(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.pipe.Write(append(line, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%w: %w", ErrReaper, err)
	}
}

// Close makes the reaper clean up all that was not forgotten, and waits for it.
// It returns the first failure since [StartReaper], after which the reaper could
// not have done its work.
func (r *Reaper) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	if err := errors.Join(r.err, r.pipe.Close(), r.cmd.Wait()); err != nil {
		return fmt.Errorf("close reaper: %w", err)
	}
	return nil
}

// IsReaper reports whether args, the arguments of a process without its name,
// make it a reaper.
func IsReaper(args []string) bool { return len(args) == 1 && args[0] == ReaperVerb }

// RunReaper reads duties from the standard input until its owner ends, cleans up
// and exits.
func RunReaper() {
	// They ask all processes to end at once.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	cleanUp(readDuties(os.Stdin))
	os.Exit(0)
}

// cleanUp does its best: nobody is left to report an error to.
func cleanUp(duties []duty) {
	for _, d := range duties {
		d.kill()
	}
	deadline := time.Now().Add(2 * time.Second)
	for _, d := range duties {
		for alive(d.Process) && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for _, d := range duties {
		if removable(d.Dir) {
			_ = os.RemoveAll(d.Dir)
		}
	}
}

// readDuties returns the duties that were not forgotten, in order. The last line
// is incomplete if the owner was killed while it wrote it.
func readDuties(r io.Reader) []duty {
	var left []duty
	lines := json.NewDecoder(r)
	for {
		var d duty
		if lines.Decode(&d) != nil {
			return left
		}
		if !d.Done {
			left = append(left, d)
			continue
		}
		d.Done = false
		if i := slices.Index(left, d); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
}

// kill kills the group that the process leads, unless the system has given the
// pid to another process since.
func (d duty) kill() {
	if now := bornOf(d.Process); d.Process > 1 && (now == "" || now == d.Born) {
		_ = signalGroup(d.Process, syscall.SIGKILL) // an error is that it has ended
	}
}

// removable limits the damage of a malformed duty: only what is below the
// directory for temporary files is removed.
func removable(dir string) bool {
	tmp, err := filepath.Abs(os.TempDir())
	if err != nil {
		return false
	}
	in, err := filepath.Rel(tmp, dir) // an error if dir is relative
	return err == nil && in != "." && filepath.IsLocal(in)
}
