package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/text"
)

const exampleFault = "pause: {for: 40s, on: entered}"

// sharedKeys are those that every fault has beside its own parameters.
var sharedKeys = []string{"client", "at", "on", "after", "nth", "every", "for"}

func (r *reader) faults(s *Scenario, e entry) {
	r.mustBe(sequenceNode, "faults", e.value, "- "+exampleFault)
	if items := e.value.items; len(items) > maxFaults {
		r.fail(items[maxFaults].place, ErrTooBig, fmt.Sprintf("more than %d faults", maxFaults), "")
	}
	for i, item := range e.value.items {
		s.Faults = append(s.Faults, r.fault(s, i+1, item))
	}
}

// faultReader reads one fault.
type faultReader struct {
	*reader
	plan  chaos.Plan
	args  chaos.Args
	place place            // of the fault's name
	set   map[string]entry // the keys that the file sets
}

func (r *reader) fault(s *Scenario, number int, item *node) chaos.Plan {
	name, body := r.named(item)
	var names []string
	for _, spec := range chaos.Specs() {
		names = append(names, spec.Name)
	}
	spec, _ := chaos.Lookup(r.known("fault", name.text, name.place, names))
	if body.kind == nullNode {
		r.fail(name.place, ErrMissing, "fault "+spec.Name+" without its parameters", requirements(spec))
	}
	if body.kind != mappingNode {
		r.fail(body.place, ErrValue, fmt.Sprintf("fault %s takes a mapping, not %s", spec.Name, body.kind), requirements(spec))
	}
	f := &faultReader{
		reader: r,
		plan:   chaos.Plan{Spec: spec, ID: fmt.Sprintf("%d:%s", number, spec.Name)},
		args: chaos.Args{Durations: map[string]time.Duration{}, Numbers: map[string]float64{},
			Words: map[string]string{}, Attributes: map[string]int64{}},
		place: name.place,
		set:   map[string]entry{},
	}
	f.parameters(body, append([]string{"any", "all"}, s.ClientNames()...))
	f.checkComplete()
	f.checkTiming()
	var err error
	if f.plan.Fault, err = spec.New(f.args); err != nil {
		f.reject(err)
	}
	f.plan.Text = chaos.Describe(f.plan, f.args)
	return f.plan
}

// named splits an item of the list into the fault's name and its parameters.
func (r *reader) named(item *node) (name, body *node) {
	entries := r.mapping("a fault", item, exampleFault)
	if len(entries) == 0 {
		r.fail(item.place, ErrMissing, "a fault without a name", "write it as "+exampleFault)
	}
	if len(entries) > 1 {
		first, second := entries[0].key, entries[1].key
		hint := "indent " + shown(second.text) + " below " + shown(first.text)
		if _, isFault := chaos.Lookup(second.text); isFault {
			hint = "start " + shown(second.text) + " with its own -"
		}
		r.fail(second.place, ErrValue, "a fault is one name with its parameters", hint)
	}
	return entries[0].key, entries[0].value
}

// requirements lists what a fault cannot do without.
func requirements(spec *chaos.Spec) string {
	var all []string
	for _, p := range spec.Params {
		if p.Required {
			all = append(all, p.Name)
		}
	}
	if spec.Lasts {
		all = append(all, "for")
	}
	if len(all) == 0 {
		return "it needs one of at, on"
	}
	return "it needs " + strings.Join(all, ", ") + " and one of at, on"
}

func (f *faultReader) parameters(body *node, clients []string) {
	spec := f.plan.Spec
	var valid []string
	for _, param := range spec.Params {
		valid = append(valid, param.Name)
	}
	valid = append(valid, sharedKeys...)
	for _, e := range body.entries {
		key := f.known("parameter of "+spec.Name, e.key.text, e.key.place, valid)
		f.set[key] = e
		if i := slices.Index(valid, key); i < len(spec.Params) {
			f.argument(spec.Params[i], e)
		} else {
			f.schedule(e, clients)
		}
	}
}

// argument reads one of the fault's own parameters.
func (f *faultReader) argument(param chaos.Param, e entry) {
	switch param.Kind {
	case chaos.KindDuration:
		least := time.Duration(1)
		if param.Signed {
			least = math.MinInt64
		}
		f.args.Durations[param.Name] = f.duration(e, least)
	case chaos.KindNumber:
		f.args.Numbers[param.Name] = f.number(e)
	case chaos.KindWord:
		f.args.Words[param.Name] = f.word(param.Name, e.value, param.OneOf)
	case chaos.KindAttributes:
		for _, kv := range f.mapping(param.Name, e.value, "{latency: 100}") {
			f.args.Attributes[kv.key.text] = f.integer(kv, 0, math.MaxInt64)
		}
	default:
		panic(fmt.Sprintf("scenarios: parameter %s is of an unknown kind", param.Name))
	}
}

// schedule reads one of the keys that every fault has.
func (f *faultReader) schedule(e entry, clients []string) {
	spec := f.plan.Spec
	switch e.key.text {
	case "client":
		if !spec.Target {
			f.fail(e.key.place, ErrValue, "fault "+spec.Name+" hits Redis, not a client", "remove client")
		}
		f.plan.Client = f.scalar(e, "any, all or A")
		if !slices.Contains(clients, f.plan.Client) {
			f.fail(e.value.place, ErrUnknown, "unknown client "+shown(f.plan.Client),
				fmt.Sprintf("use any, all or one of %s to %s", clients[2], clients[len(clients)-1]))
		}
	case "at":
		at := f.durations(e, 0)
		f.plan.At = &at
	case "on":
		f.plan.On = f.word("event", e.value, chaos.Triggers())
	case "after":
		f.plan.After = f.durations(e, 0)
	case "for":
		if !spec.Lasts {
			f.fail(e.key.place, ErrValue, "fault "+spec.Name+" is over at once", "remove for")
		}
		f.plan.For = f.durations(e, 1)
	case "nth":
		f.plan.Nth = int(f.integer(e, 1, math.MaxInt32))
	case "every":
		f.plan.Every = int(f.integer(e, 1, math.MaxInt32))
	}
}

// checkComplete checks that nothing required is absent.
func (f *faultReader) checkComplete() {
	spec := f.plan.Spec
	for _, param := range spec.Params {
		if _, set := f.set[param.Name]; param.Required && !set {
			f.fail(f.place, ErrMissing, "fault "+spec.Name+" without "+param.Name, requirements(spec))
		}
	}
	if _, set := f.set["for"]; spec.Lasts && !set {
		f.fail(f.place, ErrMissing, "fault "+spec.Name+" without for", "say how long it lasts, as for: 40s")
	}
	if spec.Target && f.plan.Client == "" {
		f.plan.Client = "any"
	}
}

// checkTiming checks that the fault's time is given once.
func (f *faultReader) checkTiming() {
	at, hasTime := f.set["at"]
	_, hasEvent := f.set["on"]
	switch {
	case !hasTime && !hasEvent:
		f.fail(f.place, ErrMissing, "fault "+f.plan.Spec.Name+" without a time", "add at: 5s, or on: entered")
	case hasTime && hasEvent:
		f.fail(at.value.place, ErrValue, "a fault has a time (at) or an event (on), not both", "remove one of them")
	}
	for _, key := range []string{"after", "nth", "every"} {
		if e, set := f.set[key]; set && !hasEvent {
			f.fail(e.value.place, ErrValue, key+" counts from an event", "add on: entered, or remove "+key)
		}
	}
	if every, set := f.set["every"]; set && f.plan.Nth > 0 {
		f.fail(every.value.place, ErrValue, "a fault fires at the nth event or at every so many, not both", "remove nth or every")
	}
}

// reject gives the fault's own error the place of the parameter it is about.
func (f *faultReader) reject(err error) {
	var bad *chaos.ParamError
	if !errors.As(err, &bad) {
		f.fail(f.place, ErrValue, err.Error(), "")
	}
	at := f.place
	if e, set := f.set[bad.Param]; set {
		at = e.value.place
		for _, kv := range e.value.entries {
			if kv.key.text == bad.Key {
				at = kv.value.place
				if len(bad.Valid) > 0 {
					at = kv.key.place
				}
			}
		}
	}
	if len(bad.Valid) > 0 {
		f.fail(at, ErrUnknown, bad.Msg, text.Suggest(bad.Got, bad.Valid))
	}
	f.fail(at, ErrValue, bad.Error(), "")
}
