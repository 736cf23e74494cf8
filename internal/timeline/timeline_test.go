package timeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
)

// script numbers events and gives them times in seconds.
func script(events ...history.Event) []history.Event {
	for i := range events {
		events[i].Seq = i + 1
		events[i].At *= 1e9
	}
	return events
}

var twoClients = history.Header{Clients: []string{"A", "B"}}

type span struct {
	Lane     string
	State    State
	From, To int64 // seconds
}

func spans(t Timeline) []span {
	var out []span
	add := func(lane string, in []Span) {
		for _, s := range in {
			out = append(out, span{lane, s.State, s.From / 1e9, s.To / 1e9})
		}
	}
	for _, l := range t.Clients {
		add(l.Name, l.Spans)
	}
	add("Redis", t.Redis.Spans)
	add("faults", t.Faults)
	return out
}

func TestBuild(t *testing.T) {
	for _, tc := range []struct {
		name   string
		events []history.Event
		want   []span
	}{
		{
			"a lease that holds",
			script(
				history.Event{At: 1, Kind: history.Waiting, Client: "A", Section: 1},
				history.Event{At: 2, Kind: history.Locked, Client: "A"},
				history.Event{At: 3, Kind: history.Entered, Client: "A", Section: 1},
				history.Event{At: 8, Kind: history.Left, Client: "A", Section: 1},
				history.Event{At: 8, Kind: history.Releasing, Client: "A", Section: 1},
				history.Event{At: 9, Kind: history.Unlocked, Client: "A", Owner: "A"},
				history.Event{At: 10, Kind: history.Released, Client: "A", Section: 1},
				history.Event{At: 12, Kind: history.End},
			),
			[]span{
				{"A", check.Waiting, 1, 3}, {"A", check.Inside, 3, 8}, {"A", check.Releasing, 8, 10},
				{"Redis", Owned, 2, 9},
			},
		},
		{
			"a lease that expires, and a holder who does not know",
			script(
				history.Event{At: 0, Kind: history.Locked, Client: "A"},
				history.Event{At: 1, Kind: history.Entered, Client: "A"},
				history.Event{At: 5, Kind: history.Expired, Owner: "A"},
				history.Event{At: 6, Kind: history.Locked, Client: "B"},
				history.Event{At: 7, Kind: history.Entered, Client: "B"},
				history.Event{At: 9, Kind: history.Left, Client: "A"},
				history.Event{At: 10, Kind: history.End},
			),
			[]span{
				{"A", check.Inside, 1, 5}, {"A", check.Lost, 5, 9}, {"B", check.Inside, 7, 10},
				{"Redis", Owned, 0, 5}, {"Redis", Owned, 6, 10},
			},
		},
		{
			"a holder who learns of its loss, and rolls back",
			script(
				history.Event{At: 0, Kind: history.Locked, Client: "A"},
				history.Event{At: 1, Kind: history.Entered, Client: "A"},
				history.Event{At: 5, Kind: history.Expired, Owner: "A"},
				history.Event{At: 6, Kind: history.Noticed, Client: "A"},
				history.Event{At: 6, Kind: history.Aborted, Client: "A"},
				history.Event{At: 8, Kind: history.Left, Client: "A"},
				history.Event{At: 9, Kind: history.End},
			),
			[]span{{"A", check.Inside, 1, 5}, {"A", check.Lost, 5, 6}, {"A", check.Rollback, 6, 8}, {"Redis", Owned, 0, 5}},
		},
		{
			"a key that changes hands without expiring",
			script(
				history.Event{At: 0, Kind: history.Locked, Client: "A"},
				history.Event{At: 1, Kind: history.Entered, Client: "A"},
				history.Event{At: 3, Kind: history.Locked, Client: "B"},
				history.Event{At: 4, Kind: history.Locked, Client: "A"},
				history.Event{At: 5, Kind: history.Left, Client: "A"},
				history.Event{At: 6, Kind: history.Unlocked, Client: "B", Owner: "A"},
				history.Event{At: 7, Kind: history.End},
			),
			[]span{
				{"A", check.Inside, 1, 3}, {"A", check.Lost, 3, 4}, {"A", check.Inside, 4, 5},
				{"Redis", Owned, 0, 3}, {"Redis", Owned, 3, 4}, {"Redis", Owned, 4, 6},
			},
		},
		{
			"a crash inside",
			script(
				history.Event{At: 0, Kind: history.Locked, Client: "A"},
				history.Event{At: 1, Kind: history.Entered, Client: "A"},
				history.Event{At: 3, Kind: history.Crashed, Client: "A"},
				history.Event{At: 4, Kind: history.Expired, Owner: "A"},
				history.Event{At: 9, Kind: history.End},
			),
			[]span{{"A", check.Inside, 1, 3}, {"A", check.Dead, 3, 9}, {"Redis", Owned, 0, 4}},
		},
		{
			"faults: one that ends, one that is over at once, one that outlasts the run",
			script(
				history.Event{At: 1, Kind: history.Fired, Fault: "1:pause", Client: "A", Dur: 3},
				history.Event{At: 2, Kind: history.Fired, Fault: "2:clock-jump"},
				history.Event{At: 4, Kind: history.Over, Fault: "1:pause", Client: "A"},
				history.Event{At: 5, Kind: history.Fired, Fault: "1:pause", Client: "B", Dur: 30},
				history.Event{At: 9, Kind: history.End},
			),
			[]span{{"faults", Fault, 1, 4}, {"faults", Fault, 2, 2}, {"faults", Fault, 5, 9}},
		},
		{"nothing at all", nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, spans(Build(twoClients, tc.events))); d != "" {
				t.Errorf("spans (-want +got):\n%s", d)
			}
		})
	}
}

// Commands make no marks, but for those that prove something.
func TestBuildMarksCommandsOnlyIfTheyProve(t *testing.T) {
	events := script(
		history.Event{At: 1, Kind: history.Command, Client: "A", Detail: "set"},
		history.Event{At: 2, Kind: history.Command, Client: "A", Detail: "del"},
	)
	got := Build(twoClients, events, 2).Marks()
	if len(got) != 1 || got[0].Seq != 2 || got[0].Text != "client A sends DEL" {
		t.Errorf("got marks %+v", got)
	}
}

func TestClipKeepsTheProof(t *testing.T) {
	var events []history.Event
	for i := range int64(1000) {
		events = append(events,
			history.Event{At: 10 * i, Kind: history.Locked, Client: "A"},
			history.Event{At: 10*i + 1, Kind: history.Entered, Client: "A"},
			history.Event{At: 10*i + 5, Kind: history.Renewed, Client: "A", Owner: "A"},
			history.Event{At: 10*i + 7, Kind: history.Left, Client: "A"},
			history.Event{At: 10*i + 8, Kind: history.Unlocked, Client: "A", Owner: "A"},
		)
	}
	whole := Build(twoClients, script(events...))
	for name, keep := range map[string][]int{
		"in the middle": {2502, 2510}, "at the start": {1}, "at the end": {5000}, "far apart": {100, 4000}, "none": nil,
	} {
		t.Run(name, func(t *testing.T) {
			part, cut := whole.Clip(keep, 60)
			if !cut {
				t.Fatal("nothing was cut")
			}
			marks := part.Marks()
			seen := map[int]bool{}
			for _, m := range marks {
				seen[m.Seq] = true
				if m.At < part.Start || m.At > part.End {
					t.Errorf("mark %d at %d is outside of %d..%d", m.Seq, m.At, part.Start, part.End)
				}
			}
			for _, seq := range keep {
				if !seen[seq] {
					t.Errorf("event %d is lost", seq)
				}
			}
			if name != "far apart" && len(marks) > 60 {
				t.Errorf("%d marks are left, want at most 60", len(marks))
			}
			for _, s := range part.Clients[0].Spans {
				if s.From < part.Start || s.To > part.End {
					t.Errorf("span %d..%d is outside of %d..%d", s.From, s.To, part.Start, part.End)
				}
			}
		})
	}
	if same, cut := whole.Clip(nil, 10000); cut || len(same.Marks()) != 5000 {
		t.Error("a small timeline must stay as it is")
	}
}
