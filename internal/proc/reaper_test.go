package proc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// owner is the argument that makes the test binary a process that is killed while
// it has a child and a directory.
const owner = "__owner"

func TestMain(m *testing.M) {
	switch {
	case IsReaper(os.Args[1:]):
		RunReaper()
	case len(os.Args) == 3 && os.Args[1] == owner:
		own(os.Args[2])
	}
	os.Exit(m.Run())
}

// own starts a child, registers it and the directory with a reaper, prints the pids
// of both processes, and waits to be killed.
func own(dir string) {
	r, err := StartReaper(os.Args[0])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	child := exec.Command("sleep", "1000")
	child.SysProcAttr = ownSession()
	if err := child.Start(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	r.Process(child.Process.Pid)
	r.Dir(dir)
	fmt.Println(r.cmd.Process.Pid, child.Process.Pid)
	select {}
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "simrun-reaper-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestAKilledOwnerLeavesNoChildAndNoDirectory(t *testing.T) {
	dir := tempDir(t)
	cmd := exec.Command(os.Args[0], owner, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var reaper, child int
	if _, err := fmt.Sscan(line, &reaper, &child); err != nil {
		t.Fatalf("owner said %q: %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	// The reaper ends when it is done, within a bound.
	for alive(reaper) {
		runtime.Gosched()
	}
	if alive(child) {
		t.Errorf("child %d still runs", child)
	}
	if exists(dir) {
		t.Errorf("%s is still there", dir)
	}
}

func TestCloseCleansUpWhatWasNotForgotten(t *testing.T) {
	kept, lost := tempDir(t), tempDir(t)
	r, err := StartReaper(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	forget := r.Dir(kept)
	r.Dir(lost)
	forget()
	forget()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if !exists(kept) {
		t.Error("a forgotten directory was removed")
	}
	if exists(lost) {
		t.Error("a directory that was not forgotten was not removed")
	}
}

func TestTheDeathOfTheReaperIsReported(t *testing.T) {
	r, err := StartReaper(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	r.Dir("/tmp/simrun-never-made")
	if err := r.Close(); !errors.Is(err, ErrReaper) {
		t.Errorf("Close: %v, want ErrReaper", err)
	}
}

func TestWithoutAReaper(t *testing.T) {
	var r *Reaper
	r.Process(os.Getpid())()
	r.Dir(t.TempDir())()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := StartReaper("/nonexistent/program"); err == nil {
		t.Error("no error for a program that does not exist")
	}
}

func TestAReusedPidIsNotKilled(t *testing.T) {
	child := exec.Command("sleep", "1000")
	child.SysProcAttr = ownSession()
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	pid := child.Process.Pid
	duty{Process: pid, Born: "1"}.kill()
	if !alive(pid) {
		t.Error("killed a process that started at another time")
	}
	duty{Process: pid, Born: bornOf(pid)}.kill()
	if err := child.Wait(); err == nil {
		t.Error("the duty for the child did not kill it")
	}
}

// A group's number is not reused while it has members: those that a dead leader has
// left behind are ours.
func TestAGroupWithoutItsLeaderIsKilled(t *testing.T) {
	leader := exec.Command("sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
	leader.SysProcAttr = ownSession()
	out, err := leader.Output()
	if err != nil {
		t.Fatal(err)
	}
	var member int
	if _, err := fmt.Sscan(string(out), &member); err != nil {
		t.Fatalf("leader said %q: %v", out, err)
	}
	duty{Process: leader.Process.Pid, Born: "1"}.kill()
	for alive(member) { // until the test times out
		runtime.Gosched()
	}
}

func TestOnlyTemporaryDirectoriesAreRemoved(t *testing.T) {
	for dir, want := range map[string]bool{
		"": false, "/": false, "/etc": false, "relative": false,
		os.TempDir():                              false,
		os.TempDir() + "/../etc":                  false,
		filepath.Join(os.TempDir(), "simrun-123"): true,
	} {
		if got := removable(dir); got != want {
			t.Errorf("removable(%q) = %v, want %v", dir, got, want)
		}
	}
}

func TestTheTemporaryDirectoryMayBeRelative(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	t.Setenv("TMPDIR", "tmp")
	if !removable(filepath.Join(here, "tmp", "simrun-123")) || removable(filepath.Join(here, "simrun-123")) {
		t.Error("a relative $TMPDIR is not resolved")
	}
}

func TestIsReaper(t *testing.T) {
	if !IsReaper([]string{ReaperVerb}) || IsReaper(nil) || IsReaper([]string{"-scenario", ReaperVerb}) || IsReaper([]string{ReaperVerb, "x"}) {
		t.Error("IsReaper does not recognize exactly the hidden verb")
	}
}

func FuzzReadDuties(f *testing.F) {
	line, err := json.Marshal(duty{Process: 12, Born: "34"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(line) + "\n" + strings.Replace(string(line), "}", `,"done":true}`, 1) + "\n{\"dir\":\"/tm")
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range readDuties(strings.NewReader(s)) {
			if d.Done {
				t.Error("a duty that is done is left")
			}
		}
	})
}
