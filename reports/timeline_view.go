package reports

import (
	"encoding/json"
	"math"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/timeline"
)

// timelineView is a run laid out in lanes for drawing. timeline.js draws from its
// JSON, which is kept small: times are virtual milliseconds to the microsecond,
// spans and marks are arrays.
type timelineView struct {
	Start  float64    `json:"start"`
	End    float64    `json:"end"`
	Focus  [2]float64 `json:"focus"` // the window that opens first
	Lanes  []string   `json:"lanes"` // from the top: faults (if any), clients, Redis
	Spans  []spanView `json:"spans"`
	Marks  []markView `json:"marks"`
	Faults bool       `json:"faults"` // lane 0 is of faults
	At     float64    `json:"at"`     // when the violation was complete; -1 if there is none
	Name   string     `json:"name"`   // of the violated property
	Proof  []int      `json:"proof"`  // Seq of the events that prove it
}

type spanView struct {
	timeline.Span
	lane  int
	label string
	hits  int // the lane that a fault hits; -1 for all of them, and for other spans
}

// MarshalJSON writes lane, state, from, to, event, label, and the lane that a fault hits.
func (s spanView) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{s.lane, s.State, virtualMS(s.From), virtualMS(s.To), s.Seq, s.label, s.hits})
}

// markView is event, lane, time, kind, text.
type markView [5]any

func newTimelineView(t timeline.Timeline, e *evidence) *timelineView {
	v := &timelineView{Start: virtualMS(t.Start), End: virtualMS(t.End), At: -1, Faults: len(t.Faults) > 0, Proof: []int{}}
	if v.Faults {
		v.Lanes = append(v.Lanes, "faults")
	}
	lane := map[string]int{}
	for _, c := range t.Clients {
		lane[c.Name] = len(v.Lanes)
		v.Lanes = append(v.Lanes, c.Name)
	}
	redis := len(v.Lanes)
	v.Lanes = append(v.Lanes, t.Redis.Name)

	for _, s := range t.Faults {
		hits, ok := lane[s.Client]
		if !ok {
			hits = -1
		}
		v.Spans = append(v.Spans, spanView{s, 0, history.FaultName(s.Fault), hits})
	}
	for _, c := range t.Clients {
		for _, s := range c.Spans {
			v.Spans = append(v.Spans, spanView{s, lane[c.Name], spanText(s), -1})
		}
		v.addMarks(c.Marks, lane[c.Name])
	}
	for _, s := range t.Redis.Spans {
		v.Spans = append(v.Spans, spanView{s, redis, s.Owner, -1})
	}
	v.addMarks(t.Redis.Marks, redis)
	v.addMarks(t.Harness, redis)
	v.addMarks(t.FaultMarks, 0)
	v.focus(t, e)
	return v
}

// spanText names what a client's lane shows.
func spanText(s timeline.Span) string {
	switch s.State {
	case check.Lost:
		return "inside, lease lost"
	case check.Rollback:
		return "rolling back"
	case check.Dead:
		return "crashed"
	default:
		return string(s.State)
	}
}

func (v *timelineView) addMarks(marks []timeline.Mark, lane int) {
	for _, m := range marks {
		if m.Kind != history.End {
			v.Marks = append(v.Marks, markView{m.Seq, lane, virtualMS(m.At), m.Kind, m.Text})
		}
	}
}

// focus opens a timeline on the steps of its violation, with a margin.
func (v *timelineView) focus(t timeline.Timeline, e *evidence) {
	from, to := t.Start, t.End
	if e.violation != nil {
		v.At, v.Name, v.Proof = virtualMS(e.violation.At), e.violation.Property, e.violation.Events
		from, to = e.firstProof(), e.violation.At
		for _, s := range e.steps {
			from, to = min(from, s.At), max(to, s.At)
		}
		margin := max((to-from)/12, int64(5e6))
		from, to = max(t.Start-margin/4, from-margin), min(t.End, to+margin)
	}
	v.Focus = [2]float64{virtualMS(from), virtualMS(to)}
}

// virtualMS is a virtual time in milliseconds, to the microsecond.
func virtualMS(ns int64) float64 { return math.Round(float64(ns)/1e3) / 1e3 }
