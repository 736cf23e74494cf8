package virtual_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/scenarios"
)

// A scenario may name every property that is checked and no other, and lists them in
// the same order. Package scenarios keeps its own list, since it cannot import check.
func TestScenariosKnowEveryProperty(t *testing.T) {
	var checked []string
	for _, p := range check.Properties {
		checked = append(checked, p.Name)
	}
	words := scenarios.Properties()
	if len(words) < len(checked) || !slices.Equal(words[:len(checked)], checked) {
		t.Fatalf("scenarios.Properties (scenarios/expect.go) begins with\n\t%v\nwant the names of check.Properties (internal/check/check.go), in their order:\n\t%v",
			words[:min(len(words), len(checked))], checked)
	}
	if got, want := words[len(checked):], []string{"aborted", "rejected", "sold-out"}; !slices.Equal(got, want) {
		t.Errorf("scenarios.Properties (scenarios/expect.go) ends with %v, want the observations %v and no property that is not checked", got, want)
	}
}

// A scenario may set a bound for the properties that have one, and for no other.
func TestScenariosKnowEveryBound(t *testing.T) {
	for _, p := range check.Properties {
		_, bounded := check.Bounds[p.Name]
		bounded = bounded || p.Name == "starved" // in leases, see check.StarvedLeases
		src := fmt.Sprintf("name: x\nsummary: y\nwork: 1s\nbounds: {%s: 5s}\n", p.Name)
		if _, err := scenarios.Parse("x.yaml", []byte(src)); (err == nil) != bounded {
			t.Errorf("%s has a bound in check.Bounds: %t; a scenario may set one: %t (boundedProperties in scenarios/expect.go)",
				p.Name, bounded, err == nil)
		}
	}
}
