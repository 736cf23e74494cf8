package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/lockchaos/simrun/internal/check"
)

// wireVersion guards against a parent and a child of different builds.
const wireVersion = 1

// replyMark begins each reply. A lock may still write to the standard output that
// the child has taken over, as a logger made at package level does: such lines
// lack the mark.
const replyMark = "simrun-reply "

const (
	// childEnv marks a child. Its value is the bound of the stall monitor.
	childEnv = "SIMRUN_CHILD"
	// childArg identifies a child in a list of processes.
	childArg = "__simrun-child"
)

// IsChild reports whether [Run] started this process to run seeds.
func IsChild() bool { return os.Getenv(childEnv) != "" }

// order is one line from the parent to a child.
type order struct {
	Scenario definition `json:"scenario"`
	Strategy string     `json:"strategy"`
	First    uint64     `json:"first"`
	Count    int        `json:"count"`
	Record   string     `json:"record,omitempty"` // file for the history of the one seed
}

// definition is what a child reads a scenario from.
type definition struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Source []byte `json:"source,omitempty"`
}

// reply is one line from a child to the parent.
type reply struct {
	Hello int         `json:"hello,omitempty"` // the first line: wireVersion
	Alive bool        `json:"alive,omitempty"` // between two tallies: virtual time advances
	Tally *runSummary `json:"tally,omitempty"` // one a seed, in the order of the seeds
	Dying bool        `json:"dying,omitempty"` // with a tally: the child cannot go on after this seed
	Error string      `json:"error,omitempty"` // the harness failed
}

// wire writes replies from several goroutines.
type wire struct {
	mu sync.Mutex
	w  io.Writer
}

// send writes a reply in one piece, on its own line even if the lock has left a
// line unfinished.
func (w *wire) send(r reply) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.w, "\n%s%s\n", replyMark, line)
	return err
}

// parseReply reads one line of a child's standard output.
func parseReply(line string) (r reply, ok bool) {
	text, marked := strings.CutPrefix(line, replyMark)
	ok = marked && json.Unmarshal([]byte(text), &r) == nil
	return r, ok
}

// runSummary is the result of one seed, small enough to send for each seed.
type runSummary struct {
	Seed uint64 `json:"seed"`
	check.Counters
	Waits    []int64           `json:"waits,omitempty"`
	Unknown  string            `json:"unknown,omitempty"`
	Findings []check.Finding   `json:"findings,omitempty"`
	Breaches map[string]breach `json:"breaches,omitempty"`

	outside bool // the process was killed from outside: the run says nothing about the lock
}

// breach sums the violations of one property in one run.
type breach struct {
	Count int             `json:"count"`
	Worst int64           `json:"worst"`
	First check.Violation `json:"first"`
}

func summarize(seed uint64, r check.Report) *runSummary {
	t := &runSummary{Seed: seed, Counters: r.Counters, Waits: r.Waits, Unknown: r.Unknown}
	for _, f := range r.Findings {
		f.Detail = shorten(f.Detail)
		t.Findings = append(t.Findings, f)
	}
	for _, v := range r.Violations {
		if t.Breaches == nil {
			t.Breaches = make(map[string]breach)
		}
		b, seen := t.Breaches[v.Property]
		if !seen {
			b.First = v
		}
		b.Count++
		b.Worst = max(b.Worst, v.Size)
		t.Breaches[v.Property] = b
	}
	return t
}
