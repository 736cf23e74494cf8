package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/text"
)

// Report is what one history shows.
type Report struct {
	Counters
	Waits      []int64     // from Waiting to Acquired, each acquisition, in virtual nanoseconds; a refusal and a new attempt do not end the wait
	Unknown    string      // why this run is too little evidence; empty if it is enough
	Findings   []Finding   // the lock misbehaved as a program
	Violations []Violation // none where the surroundings have spoilt the run
}

// Finding is a lock that misbehaved as a program, taken from the history.
type Finding struct {
	Class  string `json:"class"` // panic, blocked, spin, leak, of a worker died, refused, rubbish; or one of the surroundings
	Detail string `json:"detail"`
	Stack  string `json:"stack,omitempty"`
}

// The classes of findings about the surroundings, not the lock: a run with one is
// too little evidence.
const (
	StuckTime  = "stuck-time" // virtual time stood still
	Standstill = "standstill" // a real machine did
	Unwatched  = "unwatched"  // the key could not be looked at all the time
)

// doubtful says why a run with a finding about the surroundings is in doubt.
var doubtful = map[string]string{
	StuckTime:  "virtual time was stuck",
	Standstill: "the machine stood still",
	Unwatched:  "the key could not be watched all the time",
}

// spoilt reports whether the events' account of the key, or their times, cannot be
// trusted: the history proves nothing. (One in which virtual time stood still is
// sound as far as it goes.)
func (r Report) spoilt() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Class == Standstill || f.Class == Unwatched })
}

// OfSurroundings reports whether findings of the class say nothing about the lock.
func OfSurroundings(class string) bool { return doubtful[class] != "" }

// tally collects everything of a report but the violations.
type tally struct {
	st      *state
	r       Report
	unfired map[string]string // faults that must fire and have not → why not, the first time
	last    int64             // until when Inside and Lost are counted
	inside  int64             // clients inside since last
	lost    int64             // of them, without the key
	locked  bool              // the key was taken at least once
}

func newTally(st *state) *tally {
	t := &tally{st: st, unfired: make(map[string]string, len(st.h.Faults))}
	for _, id := range st.h.Faults {
		t.unfired[id] = ""
	}
	return t
}

func (t *tally) event(e *history.Event) {
	t.clock()
	switch e.Kind {
	case history.Acquired:
		if c := t.st.who; c != nil && c.asked.known() {
			t.r.Waits = append(t.r.Waits, e.At-c.asked.at)
		}
		if e.Fence > 0 {
			t.r.Fenced++
		}
	case history.Entered:
		t.r.Sections++
	case history.Aborted:
		t.r.Aborted++
	case history.Rejected:
		t.r.Rejected++
	case history.Command:
		t.r.Commands++
	case history.Locked:
		t.locked = true
	case history.Fired:
		delete(t.unfired, e.Fault)
	case history.Unfired:
		if why, must := t.unfired[e.Fault]; must && why == "" {
			t.unfired[e.Fault] = e.Detail
		}
	case history.Finding:
		t.r.Findings = append(t.r.Findings, finding(e))
	case history.End:
		if t.r.SoldOut = 0; e.Value == 0 && t.st.h.Stock > 0 {
			t.r.SoldOut = 1
		}
	}
}

// clock counts the time until the present event for the clients that were inside
// before it.
func (t *tally) clock() {
	now := t.st.now.at
	t.r.Virtual = now
	t.r.Inside += t.inside * (now - t.last)
	t.r.Lost += t.lost * (now - t.last)
	t.last, t.inside, t.lost = now, 0, 0
	for _, c := range t.st.inside {
		t.inside++
		if c.lost.known() {
			t.lost++
		}
	}
}

// finding reads the class, and what may follow it after a colon, from Detail.
// Where nothing follows, the first line of the text says what happened.
func finding(e *history.Event) Finding {
	class, detail, ok := strings.Cut(e.Detail, ": ")
	if !ok {
		detail, _, _ = strings.Cut(e.Text, "\n")
	}
	return Finding{Class: class, Detail: detail, Stack: e.Text}
}

// doubts lists why the history is too little evidence.
func (t *tally) doubts() []string {
	var why []string
	if !t.st.ended {
		why = append(why, "the history stops before its end")
	}
	told := map[string]bool{}
	for _, f := range t.r.Findings {
		if OfSurroundings(f.Class) && !told[f.Class] {
			told[f.Class] = true
			why = append(why, strings.TrimSuffix(doubtful[f.Class]+": "+f.Detail, ": "))
		}
	}
	for _, id := range t.st.h.Faults {
		if reason, unfired := t.unfired[id]; unfired {
			why = append(why, strings.TrimSuffix("fault "+id+" never fired: "+reason, ": "))
		}
	}
	if t.r.Sections > 0 && !t.locked && t.r.Commands == 0 {
		why = append(why, "the lock never asked Redis, so nothing is known of whose it was")
	}
	if t.r.Sections < t.st.h.MinSections {
		why = append(why, fmt.Sprintf("only %s entered, of the %d that a verdict needs", text.Count(t.r.Sections, "section"), t.st.h.MinSections))
	}
	return why
}
