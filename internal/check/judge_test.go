package check

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/history"
)

func TestReport(t *testing.T) {
	h, events := script(t, `
		1s  A waiting
		1s  A command detail=SET
		2s  A locked
		2s  A acquired
		3s  A entered
		4s  B waiting
		5s  A command detail=GET
		9s  B refused
		10s B waiting
		12s - expired owner=A
		13s B locked
		14s B acquired
		14s B entered
		16s A aborted
		17s A left
		18s B rejected
		20s B left
		25s - end value=0
	`)
	got := All(h, events)
	got.Violations = nil
	want := Report{
		Counters: Counters{Sections: 2, Aborted: 1, Rejected: 1, Commands: 2, SoldOut: 1, Virtual: 25e9, Inside: 14e9 + 6e9, Lost: 5e9},
		Waits:    []int64{1e9, 10e9},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAWaitNeedsItsBeginning(t *testing.T) {
	if got := All(script(t, "5s A acquired")).Waits; got != nil {
		t.Errorf("waits %v, want none: nobody knows since when A waited", got)
	}
}

func TestSoldOutNeedsAStock(t *testing.T) {
	for text, want := range map[string]int{
		"header stock=0\n1s - end": 0,
		"header stock=3\n1s - end": 1,
		"1s - end value=1":         0,
	} {
		if got := All(script(t, text)).SoldOut; got != want {
			t.Errorf("%q: sold out is %d, want %d", text, got, want)
		}
	}
}

func TestTooLittleEvidenceIsUnknown(t *testing.T) {
	tests := []struct{ name, history, want string }{
		{"enough", "header sections=1 fault=1:pause\n1s A fired fault=1:pause\n1s A locked\n2s A entered", ""},
		{"no end event", "header cut=yes\n1s A locked\n1s A entered", "the history stops before its end"},
		{"a fault that never fired", "header fault=1:pause fault=2:partition\n1s A fired fault=1:pause", "fault 2:partition never fired"},
		{"a fault that could not fire", "header fault=1:pause\n1s A unfired fault=1:pause", "fault 1:pause never fired"},
		{"too few sections", "header sections=2\n1s A locked\n1s A entered", "only 1 section entered, of the 2 that a verdict needs"},
		{"time stood still", "1s - finding detail=stuck-time text=held", "virtual time was stuck: held"},
		{"time stood still, nobody knows why", "1s - finding detail=stuck-time", "virtual time was stuck"},
		{"a lock that asks nobody", "1s A entered", "the lock never asked Redis, so nothing is known of whose it was"},
		{"the machine stood still", "1s - finding detail=standstill text=held", "the machine stood still: held"},
		{"another finding", "1s A finding detail=panic", ""},
		{"a fault that no such world can do", "header fault=1:pause\n1s - unfired fault=1:pause detail=unsupported", "fault 1:pause never fired: unsupported"},
		{"several reasons", "header sections=1 fault=1:pause", "fault 1:pause never fired; only 0 sections entered, of the 1 that a verdict needs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := All(script(t, tt.history)).Unknown; got != tt.want {
				t.Errorf("unknown %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFindings(t *testing.T) {
	h, events := script(t, "1s A finding detail=panic text=boom\n2s - finding detail=spin:_in_a_loop text=stack")
	events[0].Text = "boom\ngoroutine 1"
	want := []Finding{{"panic", "boom", "boom\ngoroutine 1"}, {"spin", "in a loop", "stack"}}
	if d := cmp.Diff(want, All(h, events).Findings); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestViolationsComeInOrder(t *testing.T) {
	for seed := range uint64(50) {
		h, events := wild(seed, 300)
		found := All(h, events).Violations
		if len(found) == 0 {
			t.Errorf("seed %d: a wild history breaks nothing", seed)
		}
		sorted := slices.IsSortedFunc(found, func(a, b Violation) int {
			if a.At != b.At {
				return int(a.At - b.At)
			}
			return strings.Compare(a.Property, b.Property)
		})
		if !sorted {
			t.Errorf("seed %d: violations are not sorted by At and Property", seed)
		}
		for _, v := range found {
			if len(v.Events) == 0 || !slices.IsSorted(v.Events) || v.Text == "" || v.Size < 0 {
				t.Errorf("seed %d: violation without proof, text or size: %+v", seed, v)
			}
		}
		if d := cmp.Diff(found, All(h, events).Violations); d != "" {
			t.Errorf("seed %d: judged twice (-first +second):\n%s", seed, d)
		}
	}
}

// TestOverlapAgainstEveryPair compares the checker with the definition: for
// each pair of sections of two clients, do they meet, and for how long.
func TestOverlapAgainstEveryPair(t *testing.T) {
	for seed := range uint64(200) {
		h, events := wild(seed, 120)
		want := map[int64]int{} // size → how many
		sections := intervals(events)
		for i, a := range sections {
			for _, b := range sections[i+1:] {
				if a.client != b.client && a.from.seq < b.to.seq && b.from.seq < a.to.seq {
					want[min(a.to.at, b.to.at)-max(a.from.at, b.from.at)]++
				}
			}
		}
		got := map[int64]int{}
		for _, v := range All(h, events).Violations {
			if v.Property == "overlap" {
				got[v.Size]++
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("seed %d (-pairs +checker):\n%s", seed, d)
		}
	}
}

type interval struct {
	client   string
	from, to ref
}

// intervals lists the sections; one that is open at the end ends after it.
func intervals(events []history.Event) []interval {
	var out []interval
	open := map[string]int{}
	for _, e := range events {
		i, inside := open[e.Client]
		switch {
		case e.Client == "":
		case e.Kind == history.Entered && !inside:
			open[e.Client] = len(out)
			out = append(out, interval{e.Client, ref{e.At, e.Seq}, ref{events[len(events)-1].At, len(events) + 1}})
		case inside && (e.Kind == history.Left || e.Kind == history.Crashed):
			out[i].to = ref{e.At, e.Seq}
			delete(open, e.Client)
		}
	}
	return out
}

func TestBounds(t *testing.T) {
	h := history.Header{Lease: 30e9, Bounds: map[string]int64{"stuck": 7, "orphan": -1}}
	for name, want := range map[string]int64{"stuck": 7, "orphan": 0, "late-notice": 1e9, "starved": 300e9, "overlap": 0} {
		p, _ := Lookup(name)
		if got := p.bound(h); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	h.Lease = math.MaxInt64
	if got := starvedProperty.bound(h); got != math.MaxInt64 {
		t.Errorf("starved with a lease without end: %d, want %d", got, int64(math.MaxInt64))
	}
	if got := after(5, -3); got != 2 {
		t.Errorf("3 before 5 is %d", got)
	}
	if got := after(math.MaxInt64-1, 5); got != math.MaxInt64 {
		t.Errorf("a deadline beyond the end of time is %d", got)
	}
}

// FuzzJudge: whatever the reader accepts can be judged and told.
func FuzzJudge(f *testing.F) {
	for seed := range uint64(8) {
		h, events := wild(seed, 60)
		f.Add(file(f, h, events))
	}
	h, events := busy(100)
	f.Add(file(f, h, events))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := history.NewReader(bytes.NewReader(b), "fuzz")
		if err != nil {
			return
		}
		var events []history.Event
		for {
			var e history.Event
			if err := r.Next(&e); err != nil {
				break
			}
			events = append(events, e)
		}
		violations := All(r.Header(), events).Violations
		for _, v := range violations[:min(5, len(violations))] {
			if len(Narrate(r.Header(), events, v)) == 0 {
				t.Errorf("no story of %+v", v)
			}
		}
	})
}

func file(t testing.TB, h history.Header, events []history.Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w := history.NewWriter(&b, h)
	for i := range events {
		w.Event(&events[i])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAndCheck is the whole path from a file to its report.
func readAndCheck(src io.Reader) (Report, error) {
	r, err := history.NewReader(src, "history.jsonl")
	if err != nil {
		return Report{}, err
	}
	j := NewJudge(r.Header())
	var e history.Event
	for {
		switch err := r.Next(&e); err {
		case nil:
			j.Event(&e)
		case io.EOF:
			return j.Report(), nil
		default:
			return Report{}, err
		}
	}
}

func TestABusyHistoryIsClean(t *testing.T) {
	h, events := busy(20000)
	r, err := readAndCheck(bytes.NewReader(file(t, h, events)))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Errorf("%+v", v)
	}
	if r.Sections < 1000 || r.Unknown != "" {
		t.Errorf("sections %d, unknown %q", r.Sections, r.Unknown)
	}
	if d := cmp.Diff(All(h, events), r); d != "" {
		t.Errorf("read and judged in memory differ (-memory +read):\n%s", d)
	}
}

// What a run shows is not held against the lock where the key, or time, could not
// be trusted.
func TestASpoiltHistoryProvesNothing(t *testing.T) {
	const overlap = "1s A locked\n1s A entered\n2s B entered\n3s A left\n4s B left"
	if r := All(script(t, overlap)); len(r.Violations) == 0 {
		t.Fatal("two inside at once is no violation")
	}
	for _, class := range []string{Standstill, Unwatched} {
		if r := All(script(t, overlap+"\n5s - finding detail="+class)); len(r.Violations) > 0 || r.Unknown == "" {
			t.Errorf("%s: violations %v, unknown %q", class, r.Violations, r.Unknown)
		}
	}
	if r := All(script(t, overlap+"\n5s - finding detail="+StuckTime)); len(r.Violations) == 0 {
		t.Error("a violation before virtual time stood still is none")
	}
}
