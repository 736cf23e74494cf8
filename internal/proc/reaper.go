package proc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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

	mu   sync.Mutex
	pipe io.WriteCloser // nil once closed
	err  error          // the first failure
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

// Process registers a child process, whose whole process group is killed if it
// leads one. Call forget, from any goroutine, once the process has been waited
// for.
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
	if err == nil && r.pipe != nil {
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
	pipe := r.pipe
	r.pipe = nil
	r.mu.Unlock()
	if pipe == nil {
		return nil
	}
	closed := pipe.Close()
	waited := r.cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := errors.Join(r.err, closed, waited); err != nil {
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
	ignoreSignals()
	cleanUp(readDuties(os.Stdin))
	os.Exit(0)
}

// cleanUp does its best: nobody is left to report an error to.
func cleanUp(duties []duty) {
	for _, d := range duties {
		if d.Process != 0 {
			d.kill()
		}
	}
	deadline := time.Now().Add(2 * time.Second)
	for _, d := range duties {
		for d.Process != 0 && alive(d.Process) && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for _, d := range duties {
		if removable(d.Dir) {
			_ = os.RemoveAll(d.Dir)
		}
	}
}

// readDuties returns the duties that were not forgotten, in order.
func readDuties(r io.Reader) []duty {
	var left []duty
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var d duty
		if json.Unmarshal(lines.Bytes(), &d) != nil {
			continue // the owner was killed while it wrote the line
		}
		if !d.Done {
			left = append(left, d)
			continue
		}
		d.Done = false
		for i := range left {
			if left[i] == d {
				left = append(left[:i], left[i+1:]...)
				break
			}
		}
	}
	return left
}

// kill kills the process and its group, unless the system has given the pid to
// another process since.
func (d duty) kill() {
	if d.Process <= 1 {
		return
	}
	if now := bornOf(d.Process); now != "" && now != d.Born {
		return
	}
	killAll(d.Process)
}

// removable limits the damage of a malformed duty: only what is below the
// directory for temporary files is removed.
func removable(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	tmp, err := filepath.Abs(os.TempDir())
	if err != nil {
		return false
	}
	in, err := filepath.Rel(tmp, dir)
	return err == nil && in != "." && in != ".." && !strings.HasPrefix(in, ".."+string(filepath.Separator))
}
