package reaper

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Is reports whether args, the arguments of a process without its name, ask it
// to be a janitor.
func Is(args []string) bool { return len(args) == 1 && args[0] == Verb }

// Main is the janitor: it reads what it is given from standard input until its
// owner is gone, cleans up what is left, and exits.
func Main() {
	deafen()
	work(os.Stdin)
	os.Exit(0)
}

// patience bounds how long the janitor waits for the killed to be gone.
const patience = 2 * time.Second

// work reads orders until the owner is gone and cleans up what is left.
func work(orders io.Reader) {
	left := read(orders)
	for _, o := range left {
		if o.Process != 0 {
			end(o)
		}
	}
	deadline := time.Now().Add(patience)
	for _, o := range left {
		for o.Process != 0 && alive(o.Process) && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for _, o := range left {
		if removable(o.Dir) {
			// Nobody is left to be told that it failed.
			_ = os.RemoveAll(o.Dir)
		}
	}
}

// read returns the orders that were given and not done, in their order.
func read(r io.Reader) []order {
	var left []order
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var o order
		if json.Unmarshal(lines.Bytes(), &o) != nil {
			continue // the owner was killed in the middle of a line
		}
		if !o.Done {
			left = append(left, o)
			continue
		}
		o.Done = false
		for i := range left {
			if left[i] == o {
				left = append(left[:i], left[i+1:]...)
				break
			}
		}
	}
	return left
}

// end kills the process and its group, unless its identifier is somebody
// else's by now.
func end(o order) {
	if o.Process <= 1 {
		return
	}
	if now := born(o.Process); now != "" && now != o.Born {
		return
	}
	kill(o.Process)
}

// removable keeps a broken order from removing more than a directory of ours:
// only something below the directory for temporary files is removed.
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
