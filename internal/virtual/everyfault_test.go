package virtual_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/scenarios"
)

// Every fault of the vocabulary, with the first value that each of its parameters
// may have, takes effect in virtual time.
func TestEveryFaultFires(t *testing.T) {
	for _, spec := range chaos.Specs() {
		t.Run(spec.Name, func(t *testing.T) {
			file := fmt.Sprintf("name: one-fault\nsummary: one fault\nwork: 5s\nfaults:\n  - %s: {on: entered, after: 1s%s}\n", spec.Name, example(spec))
			s, err := scenarios.Parse("one-fault.yaml", []byte(file))
			if err != nil {
				t.Fatalf("%v\n%s", err, file)
			}
			st, _ := strategy.Lookup("watchdog")
			for _, e := range virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: 1, Record: true}).Events {
				switch e.Kind {
				case history.Fired:
					return
				case history.Unfired:
					remedy := ""
					if strings.Contains(e.Detail, chaos.ErrUnsupported.Error()) {
						remedy = ": give world (faultworld.go) the method that its Inject asks for, with the same name and signature"
					}
					t.Fatalf("%s did not fire: %s%s\n%s", spec.Name, e.Detail, remedy, file)
				}
			}
			t.Fatalf("%s did not fire: does its Inject call fired?\n%s", spec.Name, file)
		})
	}
}

// example sets the parameters of a fault that need a value.
func example(spec *chaos.Spec) string {
	var b strings.Builder
	if spec.Lasts {
		b.WriteString(", for: 2s")
	}
	for _, p := range spec.Params {
		if !p.Required && p.Kind != chaos.KindAttributes {
			continue
		}
		value := "2s"
		switch p.Kind {
		case chaos.KindNumber:
			value = "1.5"
		case chaos.KindWord:
			value = p.OneOf[0]
		case chaos.KindAttributes:
			value = "{rate: 1}" // of a bandwidth, the first toxic
		}
		fmt.Fprintf(&b, ", %s: %s", p.Name, value)
	}
	return b.String()
}
