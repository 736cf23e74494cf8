package main

import "testing"

// Every line that is to be broken stands where it should.
func TestMutantsFitTheCode(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants {
		if _, err := m.broken("../../.."); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		if seen[m.name] || len(m.tests) == 0 || m.old == m.new {
			t.Errorf("%s: its name is taken, or no test is to catch it, or it breaks nothing", m.name)
		}
		seen[m.name] = true
	}
}
