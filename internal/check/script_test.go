package check

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

// script reads a history from lines for people:
//
//	header lease=10s stock=100 stuck=5s
//	1.5s A read version=3 value=97 s=2
//	30s  - expired owner=A
//
// A line is a time, a client ("-" for nobody), a kind, and fields. The header
// is optional. A client's section is 1 until s= says otherwise. The owner of a
// key that is renewed or unlocked is the client unless owner= says otherwise.
// Without an end event of its own a history ends with its last event, unless its
// header says cut=yes.
func script(t testing.TB, text string) (history.Header, []history.Event) {
	t.Helper()
	h := history.Header{
		Version: history.FormatVersion, Clients: []string{"A", "B", "C"}, Lease: int64(10 * time.Second), Stock: 100,
		Bounds: map[string]int64{},
	}
	var events []history.Event
	sections := map[string]int{}
	cut := strings.Contains(text, "cut=yes")
	for line := range strings.Lines(text) {
		t := inLine{t, strings.TrimSpace(line)}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if words[0] == "header" {
			readHeader(t, &h, words[1:])
			continue
		}
		if len(words) < 3 {
			t.Fatalf("want a time, a client and a kind")
		}
		e := history.Event{Seq: len(events) + 1, At: duration(t, words[0]), Kind: history.Kind(words[2])}
		if words[1] != "-" {
			e.Client = words[1]
		}
		for _, w := range words[3:] {
			readField(t, &e, sections, w)
		}
		finish(&e, sections)
		events = append(events, e)
	}
	if n := len(events); !cut && (n == 0 || events[n-1].Kind != history.End) {
		e := history.Event{Seq: n + 1, Kind: history.End}
		if n > 0 {
			e.At = events[n-1].At
		}
		events = append(events, e)
	}
	return h, events
}

// inLine is a test that reads a line of a script: a failure quotes the line.
type inLine struct {
	testing.TB
	line string
}

func (t inLine) Fatalf(format string, args ...any) {
	t.Helper()
	t.TB.Fatalf("script line %q: "+format, append([]any{t.line}, args...)...)
}

// finish fills in what a line leaves out.
func finish(e *history.Event, sections map[string]int) {
	switch e.Kind {
	case history.Renewed, history.Unlocked:
		if e.Owner == "" {
			e.Owner = e.Client
		}
	case history.Locked, history.Expired, history.Fired, history.Over, history.End, history.Residue, history.Finding, history.Command:
	default:
		e.Section = max(1, sections[e.Client])
	}
}

func readHeader(t testing.TB, h *history.Header, words []string) {
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "lease":
			h.Lease = duration(t, v)
		case "stock":
			h.Stock = number(t, v)
		case "sections":
			h.MinSections = int(number(t, v))
		case "cut":
		case "fault":
			h.Faults = append(h.Faults, v)
		default:
			if _, ok := Lookup(k); !ok {
				t.Fatalf("header field %q", w)
			}
			h.Bounds[k] = duration(t, v)
		}
	}
}

func readField(t testing.TB, e *history.Event, sections map[string]int, w string) {
	k, v, _ := strings.Cut(w, "=")
	switch k {
	case "s":
		sections[e.Client] = int(number(t, v))
	case "owner":
		e.Owner = strings.Trim(v, "-")
	case "version":
		e.Version = number(t, v)
	case "value":
		e.Value = number(t, v)
	case "fence":
		e.Fence = number(t, v)
	case "dur":
		e.Dur = duration(t, v)
	case "fault":
		e.Fault = v
	case "detail":
		e.Detail = strings.ReplaceAll(v, "_", " ")
	case "text":
		e.Text = strings.ReplaceAll(v, "_", " ")
	default:
		t.Fatalf("field %q", w)
	}
}

func duration(t testing.TB, s string) int64 {
	t.Helper()
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return int64(d)
}

func number(t testing.TB, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// line tells a violation as the files in testdata do.
func (v Violation) line() string {
	p, _ := Lookup(v.Property)
	size := fmt.Sprint(v.Size)
	if p.Unit == Nanoseconds {
		size = time.Duration(v.Size).String()
	}
	return fmt.Sprintf("at %s size %s clients %s events %v: %s",
		time.Duration(v.At), size, strings.Join(v.Clients, ","), v.Events, v.Text)
}
