package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

type tracer struct {
	pid   map[string]int // client → process; "" is Redis
	out   []traceEvent
	named map[[2]int]bool // process and thread
}

// writeTrace writes a run in the Chrome trace event format: a process for each
// client and one for Redis, spans for what they were doing, instants for events,
// and an arrow through the events that prove the violation.
func writeTrace(w io.Writer, e *evidence) error {
	t := &tracer{pid: map[string]int{}, named: map[[2]int]bool{}}
	for i, l := range e.lanes.Clients {
		t.process(l.Name, "client "+l.Name, i+1)
	}
	t.process("", "Redis", len(e.lanes.Clients)+1)
	t.lanes(e.lanes)
	if e.violation != nil {
		t.violation(e.violation, e.events)
	}
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

func micros(ns int64) float64 { return float64(ns) / 1e3 }

func (t *tracer) add(e traceEvent) {
	if thread := [2]int{e.PID, e.TID}; !t.named[thread] {
		t.named[thread] = true
		t.name("thread_name", e.PID, e.TID, threadNames[e.TID])
	}
	t.out = append(t.out, e)
}

func (t *tracer) span(name, cat string, pid, tid int, from, to int64, args map[string]any) {
	dur := micros(to - from)
	t.add(traceEvent{Name: name, Cat: cat, Phase: "X", TS: micros(from), Dur: &dur, PID: pid, TID: tid, Args: args})
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
func (t *tracer) violation(v *check.Violation, events []history.Event) {
	const length = int64(1e6)
	proof := slices.DeleteFunc(slices.Clone(events), func(e history.Event) bool {
		return !slices.Contains(v.Events, e.Seq)
	})
	for i := range proof {
		e := &proof[i]
		pid := t.processOf(e.Client)
		t.span(v.Property+": "+string(e.Kind), "violation", pid, threadViolation, e.At, e.At+length,
			map[string]any{"text": v.Text, "n": e.Seq})
		if len(proof) < 2 {
			continue
		}
		flow := traceEvent{Name: v.Property, Cat: "violation", Phase: "t", TS: micros(e.At), PID: pid, TID: threadViolation, ID: 1}
		switch i {
		case 0:
			flow.Phase = "s"
		case len(proof) - 1:
			flow.Phase, flow.Bind = "f", "e"
		}
		t.add(flow)
	}
}
