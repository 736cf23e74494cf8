package main

import "testing"

// Every line that is to be broken stands where it should.
func TestMutantsFitTheCode(t *testing.T) {
	mutants, err := allMutants()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range mutants {
		if _, err := m.broken("../../.."); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if seen[m.Name] || len(m.Tests) == 0 || m.Old == m.New {
			t.Errorf("%s: its name is taken, or no test is to catch it, or it breaks nothing", m.Name)
		}
		seen[m.Name] = true
	}
}
