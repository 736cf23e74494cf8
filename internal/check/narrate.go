package check

import (
	"cmp"
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

// Line is the nth step, from 1, as a line of text; a star marks a proof.
func (s Step) Line(n int) string {
	mark := " "
	if s.Key {
		mark = "*"
	}
	return fmt.Sprintf("%s %2d. %11.6f s  %s", mark, n, float64(s.At)/1e9, s.Text)
}

// maxSteps is how long a story may be, unless its proofs alone are more.
const maxSteps = 16

// Narrate explains a violation step by step, from the start of the sections of
// the clients involved until it was complete. Each proof is a step. Routine steps
// are merged or, in a long story, left out.
func Narrate(h history.Header, events []history.Event, v Violation) []Step {
	if len(v.Events) == 0 {
		return nil
	}
	p, _ := Lookup(v.Property)
	n := narrator{v: v, from: map[string]int{}, start: math.MaxInt, last: slices.Max(v.Events)}
	mark := n.last
	st := newState(h)
	var lines []line
	for i := range events {
		e := &events[i]
		if e.Seq > n.last {
			break
		}
		st.update(e)
		l := line{event: e, Step: Step{At: e.At, Seq: e.Seq}}
		l.Text, l.weight = st.sentence(e)
		if slices.Contains(v.Events, e.Seq) {
			l.Key, l.weight = true, proven
			if e.Kind == p.turning {
				mark = e.Seq
			}
			n.begin(st.who, e.Seq)
			n.begin(st.clientNamed(e.Owner), e.Seq)
		}
		lines = append(lines, l)
	}
	for _, l := range lines {
		if !l.Key && (l.weight == trivial || !n.belongs(l.event)) {
			continue
		}
		if l.Seq == mark {
			l.Text += ": " + v.Property
		}
		n.tell(l)
	}
	return n.steps()
}

// line is a step that may still be dropped, or merged with others.
type line struct {
	Step
	weight weight
	event  *history.Event
	times  int   // events that it stands for, beyond the first
	until  int64 // when the last of them was
}

type narrator struct {
	v     Violation
	from  map[string]int // client → Seq from which its events belong to the story
	start int            // the first of them
	last  int            // Seq of the last proof
	lines []line
}

// begin lets a client's part in the story start when it asked for the lock.
func (n *narrator) begin(c *client, seq int) {
	if c == nil || n.from[c.name] != 0 || !slices.Contains(n.v.Clients, c.name) {
		return
	}
	n.from[c.name] = cmp.Or(c.asked.seq, seq)
	n.start = min(n.start, n.from[c.name])
}

// belongs reports whether an event that is no proof is part of the story.
func (n *narrator) belongs(e *history.Event) bool {
	switch e.Kind {
	case history.Fired, history.Over:
		if e.Client == "" {
			return e.Seq >= n.start
		}
	case history.Command, history.Done, history.Finding, history.Residue, history.End, history.Unfired:
		return false
	}
	for _, who := range []string{e.Client, e.Owner} {
		if from, involved := n.from[who]; involved && e.Seq >= from {
			return true
		}
	}
	return false
}

// tell appends a line, or merges it with the client's line before it if both are
// renewals or both are attempts to get the lock.
func (n *narrator) tell(l line) {
	for i := len(n.lines) - 1; i >= 0 && l.weight == routine; i-- {
		prev := &n.lines[i]
		if prev.event.Client != l.event.Client {
			continue
		}
		was, is := prev.event.Kind, l.event.Kind
		if prev.weight != routine || !(was == history.Renewed && is == history.Renewed || attempt(was) && attempt(is)) {
			break
		}
		prev.until = l.At
		if was == is {
			prev.times++
		}
		return
	}
	n.lines = append(n.lines, l)
}

func attempt(k history.Kind) bool { return k == history.Waiting || k == history.Refused }

// steps drops what is too much and ends the story.
func (n *narrator) steps() []Step {
	excess := len(n.lines) - maxSteps
	for w := routine; w < proven; w++ {
		n.lines = slices.DeleteFunc(n.lines, func(l line) bool {
			if l.weight != w || excess <= 0 {
				return false
			}
			excess--
			return true
		})
	}
	out := make([]Step, len(n.lines))
	for i, l := range n.lines {
		out[i] = l.Step
		if l.times > 0 {
			out[i].Text = l.merged()
		}
	}
	return out
}

// merged is the text of a step that stands for several events.
func (l *line) merged() string {
	switch {
	case l.event.Kind == history.Renewed:
		return fmt.Sprintf("%s %d times, until %s", l.Text, l.times+1, span(l.until))
	case l.times == 1:
		return l.Text + ", and again until " + span(l.until)
	}
	return fmt.Sprintf("%s, and again %d times, until %s", l.Text, l.times, span(l.until))
}
