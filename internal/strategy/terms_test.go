package strategy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/scenarios"
)

// A strategy that a scenario does not name is held to a rung of the ladder, by what
// must not happen alone: that the rung shows a flaw binds nobody else.
func TestTerms(t *testing.T) {
	type expectations = map[string]scenarios.Expectation
	in := &scenarios.Scenario{Name: "mine", File: "mine.yaml", Expect: map[string]expectations{
		"own":     {"overlap": scenarios.Every},
		"guarded": {"overlap": scenarios.None, "stuck": scenarios.Every, "aborted": scenarios.Some},
		"fenced":  {"stale-write": scenarios.None},
	}}
	for _, tt := range []struct {
		name   string
		s      Strategy
		fences bool
		want   expectations
		heldTo string
		asked  bool
	}{
		{"named", Strategy{Name: "own", Like: "guarded"}, false, in.Expect["own"], "", true},
		{"held to guarded", Strategy{Name: "x"}, false, expectations{"overlap": scenarios.None}, "guarded", true},
		{"held to fenced, as it gives tokens", Strategy{Name: "x"}, true, in.Expect["fenced"], "fenced", true},
		{"held to a rung of its choice", Strategy{Name: "x", Like: "guarded"}, true, expectations{"overlap": scenarios.None}, "guarded", true},
		{"held to a rung that the scenario does not name", Strategy{Name: "x", Like: "token"}, false, nil, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.s.Terms(in, tt.fences)
			if diff := cmp.Diff(tt.want, got.Expected); diff != "" || got.HeldTo != tt.heldTo || got.Asked() != tt.asked {
				t.Errorf("held to %q, want %q; asked %t, want %t; expected (-want +got):\n%s", got.HeldTo, tt.heldTo, got.Asked(), tt.asked, diff)
			}
			if !got.Tolerate("zombie") {
				t.Error("does not tolerate what nothing is known of")
			}
		})
	}
}

// What a rung is known not to breach in a built-in scenario is not tolerated,
// whether the scenario names it or not.
func TestTermsOfABuiltInScenario(t *testing.T) {
	in, err := scenarios.Load("gc-pause")
	if err != nil {
		t.Fatal(err)
	}
	terms := Strategy{Name: "x"}.Terms(in, false)
	for property, want := range map[string]bool{"late-notice": true, "zombie": false, "stuck": false} {
		if got := terms.Tolerate(property); got != want {
			t.Errorf("tolerates %s: %t, want %t", property, got, want)
		}
	}
}

func TestWhatIsKnownOfTheLadder(t *testing.T) {
	for _, s := range scenarios.Builtin() {
		for _, rung := range Ladder() {
			breached, ok := KnownBreaches(s.Name, rung)
			if !ok {
				t.Errorf("nothing is known of %s in %s", rung, s.Name)
			}
			for property, seed := range breached {
				if seed == 0 {
					t.Errorf("%s in %s: no seed shows %s", rung, s.Name, property)
				}
			}
		}
	}
	if _, ok := KnownBreaches("expiry", "mine"); ok {
		t.Error("something is known of a lock that is not of the ladder")
	}
}
