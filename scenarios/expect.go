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

// boundedProperties are those whose breach is a matter of time.
func boundedProperties() []string {
	var names []string
	for _, p := range check.Properties {
		if p.Bounded() {
			names = append(names, p.Name)
		}
	}
	return names
}

func (r *reader) bounds(s *Scenario, all pair) error {
	pairs, err := r.mapping("bounds", all.value, "{stuck: 5s}")
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if err := r.known("bounded property", p.key.text, p.key.place, boundedProperties()); err != nil {
			return err
		}
		if s.Bounds[p.key.text], err = r.durationFrom(p.key.text, p.value, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) expect(s *Scenario, all pair) error {
	strategies, err := r.mapping("expect", all.value, "naive: {overlap: some}")
	if err != nil {
		return err
	}
	s.strategyPlaces = map[string]place{}
	for _, strategy := range strategies {
		name := strategy.key.text
		pairs, err := r.mapping("what is expected of "+shown(name), strategy.value, "{overlap: some}")
		if err != nil {
			return err
		}
		s.strategyPlaces[name] = strategy.key.place
		s.Expect[name] = map[string]Expectation{}
		for _, p := range pairs {
			if err := r.known("property", p.key.text, p.key.place, Properties()); err != nil {
				return err
			}
			word, err := r.word("expectation", p.value, []string{string(Some), string(None), string(Every)})
			if err != nil {
				return err
			}
			s.Expect[name][p.key.text] = Expectation(word)
		}
	}
	return nil
}

// CheckStrategies fails with an [*Error] at the first strategy under `expect`
// that is none of the known ones.
func (s *Scenario) CheckStrategies(known []string) error {
	file := s.File
	if file == "" {
		file = s.Name + ".yaml"
	}
	r := &reader{file}
	for _, name := range s.Strategies() {
		if err := r.known("strategy", name, s.strategyPlaces[name], known); err != nil {
			return err
		}
	}
	return nil
}

// Strategies lists those of which something is expected, in the order of the
// file.
func (s *Scenario) Strategies() []string {
	return slices.SortedFunc(maps.Keys(s.Expect), func(a, b string) int {
		p, q := s.strategyPlaces[a], s.strategyPlaces[b]
		return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col), cmp.Compare(a, b))
	})
}
