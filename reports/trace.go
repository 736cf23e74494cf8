package reports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/timeline"
)

// traceEvent is one event of the Chrome trace event format, which Perfetto and
// chrome://tracing open. Times are microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	TS    float64        `json:"ts"`
	Dur   *float64       `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	ID    int            `json:"id,omitempty"`
	Scope string         `json:"s,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// Threads of a process in a trace, by their number.
const (
	threadState = iota + 1
	threadFault
	threadViolation
)

var threadNames = []string{threadState: "state", threadFault: "faults", threadViolation: "violation"}

// furtherTrack is between the numbers of a thread's tracks.
const furtherTrack = 10

type tracer struct {
	pid    map[string]int // client → process; "" is Redis
	out    []traceEvent
	slices []*slice
	flows  []flow
	named  map[[2]int]bool // process and thread
}

// slice is a span whose track is not settled yet, in nanoseconds.
type slice struct {
	traceEvent
	from, to int64
}

// flow is one end of an arrow, at the start of its slice.
type flow struct {
	traceEvent
	on *slice
}

// writeTrace writes a run in the Chrome trace event format: a process for each
// client and one for Redis, spans for what they were doing, instants for events,
// and an arrow for each violation, through the events that prove it.
func writeTrace(w io.Writer, e *evidence) error {
	t := &tracer{pid: map[string]int{}, named: map[[2]int]bool{}}
	for i, l := range e.lanes.Clients {
		t.process(l.Name, "client "+l.Name, i+1)
	}
	t.process("", "Redis", len(e.lanes.Clients)+1)
	t.lanes(e.lanes)
	for i, v := range e.violations() {
		t.violation(i+1, v, e.events)
	}
	t.settle()
	sort.SliceStable(t.out, func(i, j int) bool { return t.out[i].TS < t.out[j].TS })
	h := e.header
	other, err := json.Marshal(map[string]any{"scenario": h.Scenario, "strategy": h.Strategy, "seed": h.Seed, "mode": h.Mode})
	if err != nil {
		return err
	}
	// One event a line, so that two traces can be compared.
	lines := make([][]byte, len(t.out))
	for i := range t.out {
		if lines[i], err = json.Marshal(&t.out[i]); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "{\"displayTimeUnit\":\"ms\",\"otherData\":%s,\"traceEvents\":[\n%s\n]}\n", other, bytes.Join(lines, []byte(",\n")))
	return err
}

// name labels a process, or a thread of it.
func (t *tracer) name(kind string, pid, tid int, name string) {
	t.out = append(t.out, traceEvent{Name: kind, Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}})
}

func (t *tracer) process(client, name string, pid int) {
	t.pid[client] = pid
	t.name("process_name", pid, 0, name)
}

// micros is the least number of microseconds that is not less than ns: a viewer that
// cuts off what is below a nanosecond must not see slices overlap.
func micros(ns int64) float64 {
	us := float64(ns) / 1e3
	for int64(us*1e3) < ns {
		us = math.Nextafter(us, math.Inf(1))
	}
	return us
}

func (t *tracer) add(e traceEvent) {
	if thread := [2]int{e.PID, e.TID}; !t.named[thread] {
		t.named[thread] = true
		name := threadNames[e.TID%furtherTrack]
		if further := e.TID / furtherTrack; further > 0 {
			name = fmt.Sprintf("%s %d", name, further+1)
		}
		t.name("thread_name", e.PID, e.TID, name)
	}
	t.out = append(t.out, e)
}

func (t *tracer) span(name, cat string, pid, tid int, from, to int64, args map[string]any) *slice {
	dur := micros(to - from)
	s := &slice{traceEvent{Name: name, Cat: cat, Phase: "X", TS: micros(from), Dur: &dur, PID: pid, TID: tid, Args: args}, from, to}
	t.slices = append(t.slices, s)
	return s
}

// settle gives each slice its track: on one track slices may nest, and a viewer drops
// those that overlap. Those of violations do not nest either, as an arrow would not
// tell which of two it means.
func (t *tracer) settle() {
	slices.SortStableFunc(t.slices, func(a, b *slice) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	open := map[[2]int][]*slice{} // on each track, the outermost first
	for _, s := range t.slices {
		nests := s.TID != threadViolation
		for ; ; s.TID += furtherTrack {
			track := [2]int{s.PID, s.TID}
			around := slices.DeleteFunc(open[track], func(o *slice) bool { return o.to <= s.from })
			open[track] = around
			if len(around) == 0 || nests && s.to <= around[len(around)-1].to {
				open[track] = append(around, s)
				break
			}
		}
		t.add(s.traceEvent)
	}
	for _, f := range t.flows {
		f.TID = f.on.TID
		t.add(f.traceEvent)
	}
}

func (t *tracer) lanes(l timeline.Timeline) {
	for _, c := range l.Clients {
		for _, s := range c.Spans {
			t.span(string(s.State), "client", t.pid[c.Name], threadState, s.From, s.To, map[string]any{"section": s.Section, "n": s.Seq})
		}
		t.instants(c.Marks, t.pid[c.Name], threadState)
	}
	for _, s := range l.Redis.Spans {
		t.span("owner "+s.Owner, "redis", t.pid[""], threadState, s.From, s.To, map[string]any{"owner": s.Owner, "n": s.Seq})
	}
	t.instants(l.Redis.Marks, t.pid[""], threadState)
	t.instants(l.Harness, t.pid[""], threadState)
	for _, s := range l.Faults {
		t.span(history.FaultName(s.Fault), "fault", t.processOf(s.Client), threadFault, s.From, s.To,
			map[string]any{"fault": s.Fault, "proof": s.Detail, "n": s.Seq})
	}
}

// processOf returns the process of a client, or Redis's if it has no lane.
func (t *tracer) processOf(client string) int {
	if pid, ok := t.pid[client]; ok {
		return pid
	}
	return t.pid[""]
}

func (t *tracer) instants(marks []timeline.Mark, pid, tid int) {
	for _, m := range marks {
		t.add(traceEvent{
			Name: string(m.Kind), Cat: "event", Phase: "i", TS: micros(m.At), PID: pid, TID: tid, Scope: "t",
			Args: map[string]any{"text": m.Text, "n": m.Seq},
		})
	}
}

// violation draws an arrow from each proving event to the next. An arrow needs
// a slice at both ends, so each event gets one that is long enough to see.
func (t *tracer) violation(id int, v check.Violation, events []history.Event) {
	const length = int64(1e6)
	proof := slices.DeleteFunc(slices.Clone(events), func(e history.Event) bool {
		return !slices.Contains(v.Events, e.Seq)
	})
	for i := range proof {
		e := &proof[i]
		pid := t.processOf(e.Client)
		on := t.span(v.Property+": "+string(e.Kind), "violation", pid, threadViolation, e.At, e.At+length,
			map[string]any{"text": v.Text, "n": e.Seq})
		if len(proof) < 2 {
			continue
		}
		end := traceEvent{Name: v.Property, Cat: "violation", Phase: "t", TS: micros(e.At), PID: pid, ID: id}
		switch i {
		case 0:
			end.Phase = "s"
		case len(proof) - 1:
			end.Phase, end.Bind = "f", "e"
		}
		t.flows = append(t.flows, flow{end, on})
	}
}
