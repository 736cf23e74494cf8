package engine

import (
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// Job is one run.
type Job struct {
	Scenario *scenarios.Scenario
	Strategy strategy.Strategy
	Seed     uint64
	Record   bool // keep the events in Outcome.Events
}

// Outcome is what one run gave.
type Outcome struct {
	Header history.Header
	Report check.Report
	Events []history.Event // if Record
}

// Header is what a judge has to know about the run. Mode is "sim" or "live".
func (j Job) Header(mode string) history.Header {
	s := j.Scenario
	h := history.Header{
		Version:     history.FormatVersion,
		Mode:        mode,
		Scenario:    s.Name,
		Strategy:    j.Strategy.Name,
		Seed:        j.Seed,
		Clients:     s.ClientNames(),
		Sections:    s.Sections,
		MinSections: s.MinSections,
		Lease:       int64(s.Lease),
		Stock:       s.Stock,
		Bounds:      map[string]int64{},
	}
	for _, f := range s.Faults {
		h.Faults = append(h.Faults, f.ID)
	}
	for property, bound := range s.Bounds {
		h.Bounds[property] = int64(bound)
	}
	return h
}
