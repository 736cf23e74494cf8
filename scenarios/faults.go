package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/text"
)

// sharedKeys are those that every fault has beside its own parameters.
var sharedKeys = []string{"client", "at", "on", "after", "nth", "every", "for"}

// faults reads the list of faults. Whether the clients that they name exist is
// only known once the whole file is read, see targets.
func (r *reader) faults(s *Scenario, all pair) error {
	n := all.value
	if n.kind != sequenceNode {
		return r.fail(n.place, ErrValue, fmt.Sprintf("faults must be a list, not %s", n.kind), "write - pause: {for: 40s, on: entered}")
	}
	if len(n.items) > maxFaults {
		return r.fail(n.items[maxFaults].place, ErrTooBig, fmt.Sprintf("more than %d faults", maxFaults), "")
	}
	for i, item := range n.items {
		plan, err := r.fault(i+1, item)
		if err != nil {
			return err
		}
		s.Faults = append(s.Faults, plan.Plan)
		s.clientPlaces = append(s.clientPlaces, plan.clientPlace)
	}
	return nil
}

// plan is a fault being read.
type plan struct {
	chaos.Plan
	args        chaos.Args
	seen        map[string]*node // the keys that the file sets
	clientPlace place
}

func (r *reader) fault(number int, item *node) (*plan, error) {
	const example = "pause: {for: 40s, on: entered}"
	pairs, err := r.mapping("a fault", item, example)
	if err != nil {
		return nil, err
	}
	if len(pairs) > 1 {
		hint := "start " + shown(pairs[1].key.text) + " with its own -"
		if _, isFault := chaos.Lookup(pairs[1].key.text); !isFault {
			hint = "indent " + shown(pairs[1].key.text) + " below " + shown(pairs[0].key.text)
		}
		return nil, r.fail(pairs[1].key.place, ErrValue, "a fault is one name with its parameters", hint)
	}
	if len(pairs) == 0 {
		return nil, r.fail(item.place, ErrMissing, "a fault without a name", "write it as "+example)
	}
	name, body := pairs[0].key, pairs[0].value
	var names []string
	for _, s := range chaos.Specs() {
		names = append(names, s.Name)
	}
	if err := r.known("fault", name.text, name.place, names); err != nil {
		return nil, err
	}
	spec, _ := chaos.Lookup(name.text)
	p := &plan{seen: map[string]*node{}}
	p.Spec, p.ID = spec, fmt.Sprintf("%d:%s", number, spec.Name)
	if body.kind == nullNode {
		return nil, r.fail(name.place, ErrMissing, "fault "+spec.Name+" without its parameters", needs(spec))
	}
	if err := r.parameters(p, body); err != nil {
		return nil, err
	}
	if err := r.complete(p, name.place); err != nil {
		return nil, err
	}
	p.Text = chaos.Describe(p.Plan, p.args)
	return p, nil
}

// needs says what a fault cannot do without.
func needs(spec *chaos.Spec) string {
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

func (r *reader) parameters(p *plan, body *node) error {
	if body.kind != mappingNode {
		return r.fail(body.place, ErrValue, fmt.Sprintf("fault %s takes a mapping, not %s", p.Spec.Name, body.kind), needs(p.Spec))
	}
	own := map[string]chaos.Param{}
	var valid []string
	for _, param := range p.Spec.Params {
		own[param.Name] = param
		valid = append(valid, param.Name)
	}
	valid = append(valid, sharedKeys...)
	for _, kv := range body.pairs {
		err := r.known("parameter of "+p.Spec.Name, kv.key.text, kv.key.place, valid)
		if err != nil {
			return err
		}
		p.seen[kv.key.text] = kv.value
		if param, isOwn := own[kv.key.text]; isOwn {
			err = r.argument(&p.args, param, kv.value)
		} else {
			err = r.schedule(p, kv.key, kv.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// argument reads one of the fault's own parameters.
func (r *reader) argument(a *chaos.Args, param chaos.Param, n *node) error {
	switch param.Kind {
	case chaos.Duration:
		d, err := r.duration(param.Name, n)
		if err == nil && d < 0 && !param.Signed {
			err = r.fail(n.place, ErrValue, fmt.Sprintf("%s must not be %s", param.Name, d), leastHint(1))
		}
		set(&a.Durations, param.Name, d)
		return err
	case chaos.Number:
		v, err := r.number(param.Name, n)
		set(&a.Numbers, param.Name, v)
		return err
	case chaos.Word:
		w, err := r.word(param.Name, n, param.OneOf)
		set(&a.Words, param.Name, w)
		return err
	case chaos.Attributes:
		pairs, err := r.mapping(param.Name, n, "{latency: 100}")
		if err != nil {
			return err
		}
		for _, kv := range pairs {
			v, err := r.integer(kv.key.text, kv.value, 0, math.MaxInt64)
			if err != nil {
				return err
			}
			set(&a.Attributes, kv.key.text, v)
		}
		return nil
	default:
		panic(fmt.Sprintf("scenarios: parameter %s is of an unknown kind", param.Name))
	}
}

func set[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// schedule reads one of the keys that every fault has.
func (r *reader) schedule(p *plan, key, n *node) (err error) {
	switch key.text {
	case "client":
		if !p.Spec.Target {
			return r.fail(key.place, ErrValue, "fault "+p.Spec.Name+" hits Redis, not a client", "remove client")
		}
		p.clientPlace = n.place
		p.Client, err = r.scalar("client", n, "any, all or A")
	case "at":
		var at chaos.Range
		at, err = r.rangeFrom("at", n, 0)
		p.At = &at
	case "on":
		p.On, err = r.word("event", n, chaos.Triggers())
	case "after":
		p.After, err = r.rangeFrom("after", n, 0)
	case "for":
		if !p.Spec.Lasts {
			return r.fail(key.place, ErrValue, "fault "+p.Spec.Name+" is over at once", "remove for")
		}
		p.For, err = r.rangeFrom("for", n, 1)
	case "nth", "every":
		var v int64
		v, err = r.integer(key.text, n, 1, math.MaxInt32)
		if key.text == "nth" {
			p.Nth = int(v)
		} else {
			p.Every = int(v)
		}
	}
	return err
}

// complete checks the fault as a whole and makes it.
func (r *reader) complete(p *plan, name place) (err error) {
	for _, param := range p.Spec.Params {
		if param.Required && p.seen[param.Name] == nil {
			return r.fail(name, ErrMissing, "fault "+p.Spec.Name+" without "+param.Name, needs(p.Spec))
		}
	}
	if p.Spec.Lasts && p.seen["for"] == nil {
		return r.fail(name, ErrMissing, "fault "+p.Spec.Name+" without for", "say how long it lasts, as for: 40s")
	}
	if p.Spec.Target && p.Client == "" {
		p.Client = "any"
	}
	if err := r.timing(p, name); err != nil {
		return err
	}
	p.Fault, err = p.Spec.New(p.args)
	if err != nil {
		return r.refusal(p, err, name)
	}
	return nil
}

// timing checks that the fault's time is given once.
func (r *reader) timing(p *plan, name place) error {
	at, on := p.seen["at"], p.seen["on"]
	switch {
	case at == nil && on == nil:
		return r.fail(name, ErrMissing, "fault "+p.Spec.Name+" without a time", "add at: 5s, or on: entered")
	case at != nil && on != nil:
		return r.fail(at.place, ErrValue, "a fault has a time (at) or an event (on), not both", "remove one of them")
	}
	for _, key := range []string{"after", "nth", "every"} {
		if n := p.seen[key]; n != nil && on == nil {
			return r.fail(n.place, ErrValue, key+" counts from an event", "add on: entered, or remove "+key)
		}
	}
	if n := p.seen["every"]; n != nil && p.seen["nth"] != nil {
		return r.fail(n.place, ErrValue, "a fault fires at the nth event or at every so many, not both", "remove nth or every")
	}
	return nil
}

// refusal gives a fault's own error the place of the parameter it is about.
func (r *reader) refusal(p *plan, err error, name place) error {
	var bad *chaos.ParamError
	if !errors.As(err, &bad) {
		return r.fail(name, ErrValue, err.Error(), "")
	}
	at := name
	if n := p.seen[bad.Param]; n != nil {
		at = n.place
		for _, kv := range n.pairs {
			if kv.key.text == bad.Key {
				at = kv.value.place
				if len(bad.Valid) > 0 {
					at = kv.key.place
				}
			}
		}
	}
	if len(bad.Valid) > 0 {
		return r.fail(at, ErrUnknown, bad.Msg, text.Suggest(bad.Got, bad.Valid))
	}
	return r.fail(at, ErrValue, bad.Error(), "")
}

// targets checks that the clients that faults name exist.
func (r *reader) targets(s *Scenario) error {
	valid := append([]string{"any", "all"}, s.ClientNames()...)
	for i, p := range s.Faults {
		if p.Client == "" || slices.Contains(valid, p.Client) {
			continue
		}
		return r.fail(s.clientPlaces[i], ErrUnknown, "unknown client "+shown(p.Client),
			fmt.Sprintf("use any, all or one of %s to %s", valid[2], valid[len(valid)-1]))
	}
	return nil
}
