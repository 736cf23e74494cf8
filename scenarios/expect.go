package scenarios

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/check"
)

// Properties lists what a scenario may expect of a strategy: the properties of
// package check, by name, and after them the observations of a run.
func Properties() []string { return check.Names() }

// boundedProperties lists the properties that are breached by lasting too long.
func boundedProperties() []string {
	var names []string
	for _, p := range check.Properties {
		if p.Bounded() {
			names = append(names, p.Name)
		}
	}
	return names
}

func (r *reader) bounds(s *Scenario, e entry) {
	for _, kv := range r.mapping("bounds", e.value, "{stuck: 5s}") {
		property := r.known("bounded property", kv.key.text, kv.key.place, boundedProperties())
		s.Bounds[property] = r.duration(kv, time.Millisecond)
	}
}

func (r *reader) expect(s *Scenario, e entry) {
	s.strategyPlaces = map[string]place{}
	for _, strategy := range r.mapping("expect", e.value, "naive: {overlap: some}") {
		name := strategy.key.text
		s.strategyPlaces[name] = strategy.key.place
		s.Expect[name] = map[string]Expectation{}
		for _, kv := range r.mapping("what is expected of "+shown(name), strategy.value, "{overlap: some}") {
			property := r.known("property", kv.key.text, kv.key.place, Properties())
			s.Expect[name][property] = Expectation(r.word("expectation", kv.value, []string{string(Some), string(None), string(Every)}))
		}
	}
}

// CheckStrategies fails with an [*Error] at the first strategy under `expect` that
// is not known.
func (s *Scenario) CheckStrategies(known []string) (err error) {
	defer catch(&err)
	r := &reader{s.File}
	if r.file == "" {
		r.file = s.Name + ".yaml"
	}
	for _, name := range s.Strategies() {
		r.known("strategy", name, s.strategyPlaces[name], known)
	}
	return nil
}

// Strategies lists the strategies under `expect`, in the order of the file.
func (s *Scenario) Strategies() []string {
	return slices.SortedFunc(maps.Keys(s.Expect), func(a, b string) int {
		e, q := s.strategyPlaces[a], s.strategyPlaces[b]
		return cmp.Or(cmp.Compare(e.line, q.line), cmp.Compare(e.col, q.col), cmp.Compare(a, b))
	})
}
