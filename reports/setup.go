package reports

import (
	"fmt"

	"github.com/lockchaos/simrun/internal/results"
)

// setupFacts say what live runs were made of.
func setupFacts(s *results.Setup) []string {
	if s == nil {
		return nil
	}
	facts := []string{s.Redis, "Toxiproxy " + s.Toxiproxy, fmt.Sprintf("%g times faster than the scenario", s.Scale)}
	if s.Worker != "" {
		facts = append(facts, "workers: "+oneLine(s.Worker))
	}
	return facts
}
