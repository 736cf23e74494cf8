package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/lockchaos/simrun/internal/history"
)

// Step is one line of the story of a violation.
type Step struct {
	At   int64  `json:"at"`  // virtual nanoseconds
	Seq  int    `json:"seq"` // of the event; of the first, where a step stands for several
	Text string `json:"text"`
	Key  bool   `json:"key,omitempty"` // it is one of the violation's proofs
}

// maxSteps is how long a story may be, unless its proofs alone are more.
const maxSteps = 16

// Tell tells a violation to people, from the start of the sections of those who
// took part until it was complete. Each proof is a step. What is routine is
// drawn together or, in a long story, left out.
func Tell(h history.Header, events []history.Event, v Violation) []Step {
	t := newTeller(h, events, v)
	for i := range events {
		t.event(&events[i])
	}
	return t.steps()
}

// weight is how much a step means to a story: the lighter go first.
type weight uint8

const (
	trivial weight = iota // told only as a proof
	routine
	plot
	turn
	proven
)

// told is a step that may still be left out or drawn together with others.
type told struct {
	Step
	weight weight
	client string
	kind   history.Kind
	times  int   // events that it stands for, beyond the first
	until  int64 // when the last of them was
}

type teller struct {
	st    *state
	v     Violation
	from  map[string]int // client → Seq from which its events belong to the story
	start int            // the first of them
	last  int            // Seq of the last proof
	mark  int            // Seq of the event that completes the breach for the eye
	lines []told
}

func newTeller(h history.Header, events []history.Event, v Violation) *teller {
	t := &teller{st: newState(h), v: v, from: map[string]int{}, start: math.MaxInt}
	if len(v.Events) == 0 {
		return t
	}
	t.last = slices.Max(v.Events)
	t.mark = t.last
	asked := map[string]int{}
	pre := newState(h)
	for i := range events {
		e := &events[i]
		pre.update(e)
		if c := pre.who; c != nil && e.Kind == history.Waiting && c.asked == pre.now {
			asked[c.name] = e.Seq
		}
		if !slices.Contains(v.Events, e.Seq) {
			continue
		}
		if v.Property == "overlap" && e.Kind == history.Entered {
			t.mark = e.Seq
		}
		t.begin(e.Client, asked, e.Seq)
		t.begin(e.Owner, asked, e.Seq)
	}
	return t
}

// begin lets a client's part in the story start when it asked for the lock.
func (t *teller) begin(client string, asked map[string]int, seq int) {
	if _, begun := t.from[client]; begun || !slices.Contains(t.v.Clients, client) {
		return
	}
	if a, ok := asked[client]; ok {
		seq = a
	}
	t.from[client] = seq
	t.start = min(t.start, seq)
}

func (t *teller) event(e *history.Event) {
	t.st.update(e)
	key := slices.Contains(t.v.Events, e.Seq)
	if !key && !t.belongs(e) {
		return
	}
	text, w := t.sentence(e)
	switch {
	case key:
		w = proven
	case w == trivial:
		return
	}
	if e.Seq == t.mark {
		text += ": " + t.v.Property
	}
	l := told{Step: Step{At: e.At, Seq: e.Seq, Text: text, Key: key}, weight: w, client: e.Client, kind: e.Kind}
	if !t.joined(l) {
		t.lines = append(t.lines, l)
	}
}

// belongs says whether an event that is no proof is part of the story.
func (t *teller) belongs(e *history.Event) bool {
	if e.Seq > t.last {
		return false
	}
	switch e.Kind {
	case history.Fired, history.Over:
		if e.Client == "" {
			return e.Seq >= t.start
		}
	case history.Command, history.Done, history.Finding, history.Residue, history.End, history.Unfired:
		return false
	}
	for _, who := range []string{e.Client, e.Owner} {
		if from, involved := t.from[who]; involved && e.Seq >= from {
			return true
		}
	}
	return false
}

// joined draws a line together with the client's line before it, if both are
// renewals, or both are tries to get the lock.
func (t *teller) joined(l told) bool {
	if l.weight != routine {
		return false
	}
	for i := len(t.lines) - 1; i >= 0; i-- {
		prev := &t.lines[i]
		if prev.client != l.client {
			continue
		}
		row := l.kind == history.Renewed && prev.kind == history.Renewed || isTry(l.kind) && isTry(prev.kind)
		if !row || prev.weight != routine {
			return false
		}
		prev.until = l.At
		if l.kind == prev.kind {
			prev.times++
		}
		return true
	}
	return false
}

func isTry(k history.Kind) bool { return k == history.Waiting || k == history.Refused }

// steps ends the story.
func (t *teller) steps() []Step {
	excess := len(t.lines) - maxSteps
	for w := routine; w < proven; w++ {
		t.lines = slices.DeleteFunc(t.lines, func(l told) bool {
			if l.weight != w || excess <= 0 {
				return false
			}
			excess--
			return true
		})
	}
	out := make([]Step, len(t.lines))
	for i, l := range t.lines {
		out[i] = l.Step
		if l.times > 0 {
			out[i].Text = l.row()
		}
	}
	return out
}

// row tells a step that stands for several events.
func (l *told) row() string {
	switch {
	case l.kind == history.Renewed:
		return fmt.Sprintf("%s %d times, until %s", l.Text, l.times+1, span(l.until))
	case l.times == 1:
		return l.Text + ", and again until " + span(l.until)
	}
	return fmt.Sprintf("%s, and again %d times, until %s", l.Text, l.times, span(l.until))
}
