package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/reports"
)

// bound ends a test that would otherwise wait for ever. Nothing asserts on it.
const bound = time.Minute

// until waits for something that will come.
func until(t *testing.T, what string, come func() bool) {
	t.Helper()
	tick, end := time.NewTicker(10*time.Millisecond), time.After(bound)
	defer tick.Stop()
	for !come() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("never came: %s", what)
		}
	}
}

// marked makes all that a run starts and makes recognizable: they inherit the
// name of its folder for temporary files.
func marked(t *testing.T, cmd *exec.Cmd) (tmp string) {
	t.Helper()
	tmp = t.TempDir()
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	return tmp
}

// running are the command lines of the processes that have the mark, by their
// identifiers.
func running(t *testing.T, tmp string) map[int]string {
	t.Helper()
	found := map[int]string{}
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		// What cannot be read is not ours, or has just ended.
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if !bytes.Contains(append([]byte{0}, environ...), []byte("\x00TMPDIR="+tmp+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return found
}

// countOf is how many of the processes have a word in their command line.
func countOf(processes map[int]string, word string) int {
	n := 0
	for _, line := range processes {
		if strings.Contains(line, word) {
			n++
		}
	}
	return n
}

// begin starts a long run on a redis-server and waits until it is in the middle
// of it: its clients, their server, a reaper and a folder are there.
func begin(t *testing.T, cmd *exec.Cmd) (tmp string) {
	t.Helper()
	testneeds.RedisServer(t)
	tmp = marked(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	until(t, "the middle of a run", func() bool {
		now := running(t, tmp)
		return countOf(now, worker.Verb) == 3 && countOf(now, "redis-server") == 1 && countOf(now, "reaper") == 1 && len(folders(t, tmp)) == 1
	})
	return tmp
}

// folders are what a run has made in its folder for temporary files.
func folders(t *testing.T, tmp string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tmp, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// pauseYAML makes a scenario's first holder stop for good.
const pauseYAML = "faults:\n  - pause: {client: any, for: 1h, on: entered}\n"

// stopped reports whether one of the processes with the mark is stopped.
func stopped(t *testing.T, tmp string) bool {
	t.Helper()
	for pid := range running(t, tmp) {
		stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if bytes.Contains(stat, []byte(") T ")) {
			return true
		}
	}
	return false
}

// A run that is killed leaves no client, no server, no reaper and no folder.
func TestAKilledLiveRunLeavesNothing(t *testing.T) {
	t.Parallel()
	cmd := simrun(t, "-scenario", "lasting.yaml", "-strategy", "naive", "-mode", "live", "-redis", "redis-server", "-out", "r")
	file(t, cmd, "lasting.yaml", lastingYAML)
	tmp := begin(t, cmd)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	until(t, "the end of all that the run started", func() bool { return len(running(t, tmp)) == 0 })
	until(t, "the end of its folders", func() bool { return len(folders(t, tmp)) == 0 })
}

// So does one that is killed while a client is stopped, which hears nothing of
// the end of its input.
func TestAKilledLiveRunLeavesNoStoppedClient(t *testing.T) {
	t.Parallel()
	cmd := simrun(t, "-scenario", "lasting.yaml", "-strategy", "naive", "-mode", "live", "-redis", "redis-server", "-out", "r")
	file(t, cmd, "lasting.yaml", lastingYAML+pauseYAML)
	tmp := begin(t, cmd)
	until(t, "a stopped client", func() bool { return stopped(t, tmp) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	until(t, "the end of all that the run started", func() bool { return len(running(t, tmp)) == 0 })
	until(t, "the end of its folders", func() bool { return len(folders(t, tmp)) == 0 })
}

// wrapper starts the client behind a shell that does not become it. The
// shell leaves another process, which heeds neither of them.
const wrapper = `#!/bin/sh
sleep 1000 &
"%s" __simrun-worker
`

// What a worker's program has started dies with a run that is killed, too.
func TestAKilledLiveRunLeavesNothingBehindAWrapper(t *testing.T) {
	t.Parallel()
	cmd := simrun(t, "-scenario", "lasting.yaml", "-strategy", "naive", "-mode", "live", "-worker", "./wrap.sh", "-redis", "redis-server", "-out", "r")
	file(t, cmd, "lasting.yaml", lastingYAML)
	file(t, cmd, "wrap.sh", fmt.Sprintf(wrapper, cmd.Path))
	if err := os.Chmod(cmd.Dir+"/wrap.sh", 0o700); err != nil {
		t.Fatal(err)
	}
	tmp := begin(t, cmd)
	until(t, "what the wrappers have started", func() bool { return countOf(running(t, tmp), "sleep 1000") == 3 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	until(t, "the end of all that the run started", func() bool { return len(running(t, tmp)) == 0 })
}

// An interrupted run leaves nothing at the moment at which it ends, and keeps
// what was done.
func TestAnInterruptedLiveRunLeavesNothingAndKeepsItsResults(t *testing.T) {
	t.Parallel()
	cmd := simrun(t, "-scenario", "brief.yaml,lasting.yaml", "-strategy", "naive",
		"-mode", "live", "-scale", "100", "-redis", "redis-server", "-out", "r", "-q")
	file(t, cmd, "brief.yaml", briefYAML)
	file(t, cmd, "lasting.yaml", lastingYAML+pauseYAML)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	testneeds.RedisServer(t)
	tmp := marked(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	until(t, "the end of the first scenario, and a stopped client in the second", func() bool {
		_, err := os.Stat(filepath.Join(cmd.Dir, "r", "brief", "naive", "history.jsonl"))
		return err == nil && stopped(t, tmp)
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its code is looked at below
	if left := running(t, tmp); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	if left := folders(t, tmp); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
	if code := cmd.ProcessState.ExitCode(); code != ExitUnknown || stderr.Len() > 0 || !strings.Contains(stdout.String(), "interrupted") {
		t.Errorf("exit code is %d, standard error %q, output:\n%s", code, stderr.String(), stdout.String())
	}
	checkKept(t, filepath.Join(cmd.Dir, "r"))
}

// checkKept checks the results of a run that was interrupted after its first
// scenario.
func checkKept(t *testing.T, dir string) {
	t.Helper()
	r, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Verdict != results.Unknown || len(r.Scenarios) != 1 {
		t.Fatalf("interrupted %v, verdict %s, %d scenarios", r.Interrupted, r.Verdict, len(r.Scenarios))
	}
	naive := r.Scenarios[0].Strategies[0]
	if naive.Runs != 1 || naive.Verdict != results.Pass || naive.FirstViolation == nil {
		t.Errorf("%d runs, verdict %s, first violation %v", naive.Runs, naive.Verdict, naive.FirstViolation)
	}
	if _, _, err := history.ReadFile(filepath.Join(dir, naive.History)); err != nil {
		t.Error(err)
	}
	for _, file := range []string{reports.ReportFile, reports.JUnitFile} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
}

// A terminal that hangs up tells all processes of a run.
func TestAHangupOfTheTerminal(t *testing.T) {
	checkInterrupted(t, &syscall.SysProcAttr{Setpgid: true}, func(p *os.Process) error {
		return syscall.Kill(-p.Pid, syscall.SIGHUP)
	})
}

// A server that goes away in the middle of a live run is told in its results, and
// not by a library on the standard error.
func TestALiveRunLosesItsServerQuietly(t *testing.T) {
	t.Parallel()
	testneeds.RedisServer(t)
	server, err := redisserver.Open(t.Context(), redisserver.RedisServer, redisserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	cmd := simrun(t, "-scenario", "lasting.yaml", "-mode", "live", "-scale", "100", "-redis", server.Addr(), "-out", "r", "-q")
	file(t, cmd, "lasting.yaml", strings.Replace(lastingYAML, "limit: 2h", "limit: 5m", 1))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	rdb := redis.NewClient(server.Options())
	defer rdb.Close()
	until(t, "a lock", func() bool { n, err := rdb.DBSize(t.Context()).Result(); return err == nil && n > 0 })
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // a run of which the machine made too little is made again, and has no server
	for line := range strings.Lines(stderr.String()) {
		if !strings.HasPrefix(line, "simrun: ") {
			t.Errorf("standard error says %q", line)
		}
	}
}
