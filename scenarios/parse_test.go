package scenarios

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lockchaos/simrun/chaos"
)

// compare leaves out what is no data: a fault's code, and places in the file.
var compare = cmp.Options{
	cmpopts.IgnoreUnexported(Scenario{}),
	cmpopts.IgnoreFields(chaos.Plan{}, "Spec", "Fault", "Text"),
}

func parse(t *testing.T, src string) *Scenario {
	t.Helper()
	s, err := Parse("f.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func span(low, high time.Duration) chaos.Range { return chaos.Range{Min: low, Max: high} }

// What a scenario need not say has these values.
func TestDefaults(t *testing.T) {
	const second, milli, micro = time.Second, time.Millisecond, time.Microsecond
	want := &Scenario{
		Name: "x", Summary: "y",
		Clients: 3, Sections: 4,
		Lease: 30 * second, Renew: 10 * second, Cap: 5,
		Wait: 2 * time.Minute,
		Work: span(second, second), Think: span(0, 2*second),
		Rollback: span(5*milli, 20*milli), Network: span(200*micro, milli),
		WriteTimeout: 5 * second, Stock: 1000,
		// 12 sections of at most 2 s + 1 s + 20 ms + 5 s + 30 s, and 10 min.
		Limit:       10*time.Minute + 12*(38*second+20*milli),
		MinSections: 3,
		Bounds:      map[string]time.Duration{},
		Expect:      map[string]map[string]Expectation{},
	}
	if diff := cmp.Diff(want, parse(t, head), compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every key, in block and in flow style, with comments, quotes and folds.
func TestParse(t *testing.T) {
	const second = time.Second
	s := parse(t, `
name: "full"   # the name
summary: 'one: sentence'
source: >-
  two
  lines
story: |
  and
  more
clients: 2
sections: 5
lease: 10s
renew: 2s
cap: 0
wait: 1m30s
work: 15s .. 25s
think: 0s
rollback: 0s
network: 1ms
write-timeout: 500ms
stock: 7
limit: 1h
require: {sections: 10}
bounds: {stuck: 5s, starved: 3m}
faults:
  - pause: {client: B, for: 1s..2s, at: 0s..3s}
  - crash:
      on: entered
      after: 1s
      nth: 2
  - clock-jump: {by: -60s, on: crashed}
  - clock-jump: {by: +31s, on: renewed, every: 1}
expect:
  naive: {overlap: some, aborted: none}
  "published/queue": {sold-out: every}
`)
	at := span(0, 3*second)
	want := &Scenario{
		Name: "full", Summary: "one: sentence", Source: "two lines", Story: "and more",
		Clients: 2, Sections: 5,
		Lease: 10 * second, Renew: 2 * second, Cap: 0,
		Wait: 90 * second, Work: span(15*second, 25*second),
		Network:      span(time.Millisecond, time.Millisecond),
		WriteTimeout: 500 * time.Millisecond, Stock: 7, Limit: time.Hour, MinSections: 10,
		Bounds: map[string]time.Duration{"stuck": 5 * second, "starved": 3 * time.Minute},
		Faults: []chaos.Plan{
			{ID: "1:pause", Client: "B", At: &at, For: span(second, 2*second)},
			{ID: "2:crash", Client: "any", On: "entered", After: span(second, second), Nth: 2},
			{ID: "3:clock-jump", On: "crashed"},
			{ID: "4:clock-jump", On: "renewed", Every: 1},
		},
		Expect: map[string]map[string]Expectation{
			"naive":           {"overlap": Some, "aborted": None},
			"published/queue": {"sold-out": Every},
		},
	}
	if diff := cmp.Diff(want, s, compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.Faults[2].Text; got != "sets Redis's clock back by 60 s, as soon as a client crashed, the first time" {
		t.Errorf("text %q", got)
	}
}

// Stock does not run out, unless the scenario says so.
func TestDefaultStock(t *testing.T) {
	if s := parse(t, head+"clients: 8\nsections: 200\n"); s.Stock != 1601 {
		t.Errorf("stock %d for 1600 sections, want 1601", s.Stock)
	}
}

// The largest scenario has a limit, too: a year.
func TestDefaultLimit(t *testing.T) {
	s := parse(t, head+"clients: 64\nsections: 100000\nthink: 8760h\nlease: 8760h\nfaults:\n  - crash: {at: 8760h}\n")
	if s.Limit != maxDuration {
		t.Errorf("limit %s, want %s", s.Limit, maxDuration)
	}
}

func TestClientNames(t *testing.T) {
	names := (&Scenario{Clients: 64}).ClientNames()
	if got := []string{names[0], names[25], names[26], names[52], names[63]}; !slices.Equal(got, []string{"A", "Z", "A1", "A2", "L2"}) {
		t.Errorf("names %v", got)
	}
}
