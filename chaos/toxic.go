package chaos

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// The directions of a connection, by Toxiproxy's names.
const (
	upstream   = "upstream"   // from the client to Redis
	downstream = "downstream" // from Redis to the client
)

// maxAttribute bounds a toxic's attribute, so that no unit of Toxiproxy
// overflows.
const maxAttribute = math.MaxInt32

// toxicAttributes holds Toxiproxy's toxics with the names of their attributes,
// and the least value of each. Source: Toxiproxy 2.12, README, "Toxics". A
// bandwidth of 0 and a slice of 0 bytes send Toxiproxy into an endless loop.
var toxicAttributes = map[string]map[string]int64{
	"latency":    {"latency": 0, "jitter": 0},                          // ms
	"timeout":    {"timeout": 0},                                       // ms
	"bandwidth":  {"rate": 1},                                          // KB/s
	"slow_close": {"delay": 0},                                         // ms
	"slicer":     {"average_size": 1, "size_variation": 0, "delay": 0}, // bytes, bytes, µs
	"limit_data": {"bytes": 0},                                         // bytes
	"reset_peer": {"timeout": 0},                                       // ms
}

var toxicSpec = Spec{
	Name:        "toxic",
	Doc:         "puts a toxic of Toxiproxy on a client's connections to Redis",
	Target:      true,
	Lasts:       true,
	NeedsToxics: true,
	Params: []Param{
		{Name: "type", Kind: KindWord, Required: true, OneOf: slices.Sorted(maps.Keys(toxicAttributes)),
			Doc: "the toxic's own name"},
		{Name: "stream", Kind: KindWord, OneOf: []string{upstream, downstream},
			Doc: "downstream (if absent, as in Toxiproxy) or upstream"},
		{Name: "toxicity", Kind: KindNumber, Doc: "probability that a connection is hit, above 0 to 1; 1 if absent"},
		{Name: "attributes", Kind: KindAttributes, Doc: "the toxic's own attributes, in Toxiproxy's units"},
	},
	New:  newToxic,
	Text: toxicText,
}

type toxic struct{ toxic Toxic }

func newToxic(a Args) (Fault, error) {
	t := Toxic{Type: a.Words["type"], Stream: a.Words["stream"], Toxicity: 1, Attributes: maps.Clone(a.Attributes)}
	if t.Stream == "" {
		t.Stream = downstream
	}
	if p, set := a.Numbers["toxicity"]; set {
		if !(p > 0 && p <= 1) { // a NaN fails both
			return nil, &ParamError{Param: "toxicity", Msg: "must be above 0 and at most 1"}
		}
		t.Toxicity = p
	}
	return toxic{t}, checkAttributes(t)
}

func checkAttributes(t Toxic) error {
	least, known := toxicAttributes[t.Type]
	if !known {
		return &ParamError{Param: "type", Got: t.Type, Valid: slices.Sorted(maps.Keys(toxicAttributes)),
			Msg: fmt.Sprintf("unknown toxic %q", t.Type)}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Attributes)) {
		low, known := least[name]
		value := t.Attributes[name]
		switch {
		case !known:
			return &ParamError{Param: "attributes", Key: name, Got: name, Valid: slices.Sorted(maps.Keys(least)),
				Msg: fmt.Sprintf("toxic %s has no attribute %q", t.Type, name)}
		case value < low || value > maxAttribute:
			return &ParamError{Param: "attributes", Key: name,
				Msg: fmt.Sprintf("must be from %d to %d", low, maxAttribute)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(least)) {
		if _, set := t.Attributes[name]; least[name] > 0 && !set {
			return &ParamError{Param: "attributes", Msg: fmt.Sprintf("toxic %s needs the attribute %q", t.Type, name)}
		}
	}
	if t.Type == "slicer" && t.Attributes["size_variation"] >= t.Attributes["average_size"] {
		return &ParamError{Param: "attributes", Key: "size_variation", Msg: "must be less than average_size"}
	}
	return nil
}

func toxicText(a Args) string {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(a.Attributes)) {
		set = append(set, fmt.Sprintf("%s %d", name, a.Attributes[name]))
	}
	text := "puts the toxic " + a.Words["type"]
	if len(set) > 0 {
		text += " (" + strings.Join(set, ", ") + ")"
	}
	if a.Words["stream"] == upstream {
		return text + " on what {client} sends to Redis"
	}
	return text + " on what Redis sends to {client}"
}

func (f toxic) Inject(w World, client string, fired func(string)) (func(), error) {
	return addToxics(w, client, []Toxic{f.toxic}, fired)
}

// addToxics adds all of the toxics or, where the world refuses one, none.
func addToxics(w World, client string, toxics []Toxic, fired func(string)) (func(), error) {
	var removes []func()
	var proofs []string
	removeAll := func() {
		for _, remove := range slices.Backward(removes) {
			remove()
		}
	}
	for _, t := range toxics {
		remove, proof, err := w.AddToxic(client, t)
		if err != nil {
			removeAll()
			return nil, err
		}
		removes, proofs = append(removes, remove), append(proofs, proof)
	}
	fired(strings.Join(proofs, "; "))
	return removeAll, nil
}
