package check

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/lockchaos/simrun/internal/history"
)

// Properties lists all properties, in the order in which they are shown. How to
// add one: README.md.
var Properties = []Property{
	overlapProperty,
	staleWriteProperty,
	lostUpdateProperty,
	foreignReleaseProperty,
	noLeaseProperty,
	lateNoticeProperty,
	stuckProperty,
	starvedProperty,
	orphanProperty,
	zombieProperty,
	oldFenceProperty,
	leakProperty,
}

// Lookup finds a property by its name.
func Lookup(name string) (Property, bool) {
	if i := place(name); i >= 0 {
		return Properties[i], true
	}
	return Property{}, false
}

func place(name string) int {
	return slices.IndexFunc(Properties, func(p Property) bool { return p.Name == name })
}

// Compare orders the names of properties by severity, then as in [Properties];
// unknown names come last, in alphabetical order.
func Compare(a, b string) int {
	rank := func(name string) Severity {
		if p, known := Lookup(name); known {
			return p.Severity
		}
		return Leftover + 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// Names lists what a scenario may expect of a strategy: the names of all
// properties, then those of all observations.
func Names() []string {
	var names []string
	for _, p := range Properties {
		names = append(names, p.Name)
	}
	for _, o := range Observations {
		names = append(names, o.Name)
	}
	return names
}

// WhatDecides says what decides, beside the lock, whether a run shows a breach of
// the property, or the observation, of that name.
func WhatDecides(name string) string {
	if p, ok := Lookup(name); ok {
		return p.DependsOn
	}
	if o, ok := Observed(name); ok {
		return o.DependsOn
	}
	return "in what order things happen"
}

// Judge watches a history event by event.
type Judge struct {
	st       *state
	tally    *tally
	props    []Property
	checkers []checker
}

// NewJudge makes a judge with every property of [Properties].
func NewJudge(h history.Header) *Judge { return newJudge(h, Properties...) }

func newJudge(h history.Header, props ...Property) *Judge {
	st := newState(h)
	j := &Judge{st: st, tally: newTally(st), props: props}
	for _, p := range props {
		j.checkers = append(j.checkers, p.watch(breaches{st: st, bound: p.bound(h)}))
	}
	return j
}

// Event takes the next event, which it does not keep. The shared state is updated
// first: every checker sees the world as the event left it.
func (j *Judge) Event(e *history.Event) {
	j.st.update(e)
	j.tally.event(e)
	for _, c := range j.checkers {
		c.event(e)
	}
}

// Report ends the history and returns what it shows. Call it once.
func (j *Judge) Report() Report {
	r := j.tally.r
	r.Unknown = strings.Join(j.tally.doubts(), "; ")
	if r.spoilt() {
		return r
	}
	for i, c := range j.checkers {
		for _, v := range c.end() {
			v.Property = j.props[i].Name
			r.Violations = append(r.Violations, v)
		}
	}
	sort.SliceStable(r.Violations, func(i, j int) bool {
		a, b := &r.Violations[i], &r.Violations[j]
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Property, b.Property)) < 0
	})
	return r
}
