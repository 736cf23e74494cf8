package engine

import (
	"errors"
	"slices"
	"testing"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/history"
)

// Which events make a fault fire, and on which client.
func TestFaultHits(t *testing.T) {
	client := &chaos.Spec{Name: "pause", Target: true}
	server := &chaos.Spec{Name: "clock-jump"}
	entered := func(who ...string) (es []history.Event) {
		for _, w := range who {
			es = append(es, history.Event{Kind: history.Entered, Client: w})
		}
		return es
	}
	tests := []struct {
		name   string
		plan   chaos.Plan
		events []history.Event
		want   []string // the target at each event, "-" for none
	}{
		{"the first by default", chaos.Plan{Spec: client, On: "entered", Client: "any"}, entered("A", "B"), []string{"A", "-"}},
		{"the nth", chaos.Plan{Spec: client, On: "entered", Client: "any", Nth: 2}, entered("A", "B", "C"), []string{"-", "B", "-"}},
		{"every nth", chaos.Plan{Spec: client, On: "entered", Client: "any", Every: 2}, entered("A", "B", "C", "D"), []string{"-", "B", "-", "D"}},
		{"a named client only", chaos.Plan{Spec: client, On: "entered", Client: "B", Every: 1}, entered("A", "B", "A"), []string{"-", "B", "-"}},
		{"a named client counts its own events", chaos.Plan{Spec: client, On: "entered", Client: "B", Nth: 2}, entered("B", "A", "B"), []string{"-", "-", "B"}},
		{"all", chaos.Plan{Spec: client, On: "entered", Client: "all"}, entered("B"), []string{"all"}},
		{"another kind", chaos.Plan{Spec: client, On: "left", Client: "any"}, entered("A"), []string{"-"}},
		{"the server", chaos.Plan{Spec: server, On: "entered"}, entered("A"), []string{"A"}},
		{
			"an expired key's owner", chaos.Plan{Spec: client, On: "expired", Client: "any"},
			[]history.Event{{Kind: history.Expired, Owner: "C"}}, []string{"C"},
		},
		{
			"nobody to hit", chaos.Plan{Spec: client, On: "end", Client: "any"},
			[]history.Event{{Kind: history.End}}, []string{"-"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &armedFault{plan: tt.plan}
			var got []string
			for _, e := range tt.events {
				target, ok := f.hit(&e)
				if !ok {
					target = "-"
				}
				got = append(got, target)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("hit %v, want %v", got, tt.want)
			}
		})
	}
}

// needy is a fault that needs something of the world.
type needy struct{ refused error }

func (n needy) Prepare(chaos.World) error { return n.refused }

func (n needy) Inject(_ chaos.World, _ string, fired func(string)) (func(), error) {
	fired("done")
	return nil, nil
}

// A fault is prepared before anything else happens; if that fails, the history says
// why.
func TestFaultIsPrepared(t *testing.T) {
	var got []history.Event
	emit := func(e history.Event) { got = append(got, e) }
	spec := &chaos.Spec{Name: "needy", Target: true} // a fault of the server would fire a moment later
	n := NewNemesis(NewClock(1), nil, []string{"A"}, 1, []chaos.Plan{
		{ID: "1:needy", Spec: spec, Fault: needy{}, On: "entered", Client: "any"},
		{ID: "2:needy", Spec: spec, Fault: needy{errors.New("no such thing here")}, On: "left", Client: "any"},
	}, emit)
	n.Begin()
	n.Observe(&history.Event{Kind: history.Entered, Client: "A"})
	want := []history.Event{
		{Kind: history.Unfired, Fault: "2:needy", Detail: "no such thing here"},
		{Kind: history.Fired, Client: "A", Fault: "1:needy", Detail: "done"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
