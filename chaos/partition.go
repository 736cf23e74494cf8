package chaos

import "time"

// holdLatency outlasts any partition: what is sent during it arrives, in order, when
// the toxic is removed, as on a link that comes back.
const holdLatency = time.Hour

// partitionSpec is sugar over Toxiproxy's latency and timeout toxics.
var partitionSpec = Spec{
	Name:        "partition",
	Doc:         "cuts a client off from Redis, and from nothing else",
	Target:      true,
	Lasts:       true,
	NeedsToxics: true,
	Params: []Param{
		{Name: "direction", Kind: KindWord, OneOf: []string{"both", upstream, downstream},
			Doc: "which bytes are held up: both (if absent), upstream (towards Redis) or downstream"},
		{Name: "mode", Kind: KindWord, OneOf: []string{"hold", "drop"},
			Doc: "hold (if absent): bytes arrive when it heals; drop: they are lost, and the connection closes when it heals"},
	},
	New: func(a Args) (Fault, error) {
		var p partition
		for _, s := range []string{upstream, downstream} {
			if d := a.Words["direction"]; d == s || d == "" || d == "both" {
				p.toxics = append(p.toxics, partitionToxic(s, a.Words["mode"]))
			}
		}
		return p, nil
	},
	Text: partitionText,
}

type partition struct{ toxics []Toxic }

func partitionToxic(stream, mode string) Toxic {
	t := Toxic{Type: "latency", Stream: stream, Toxicity: 1,
		Attributes: map[string]int64{"latency": holdLatency.Milliseconds()}}
	if mode == "drop" {
		t.Type, t.Attributes = "timeout", map[string]int64{"timeout": 0}
	}
	return t
}

func partitionText(a Args) string {
	text := "cuts {client} off from Redis"
	switch a.Words["direction"] {
	case upstream:
		text = "cuts the way from {client} to Redis"
	case downstream:
		text = "cuts the way from Redis to {client}"
	}
	if a.Words["mode"] == "drop" {
		text += ", losing what was sent,"
	}
	return text
}

func (p partition) Inject(w World, client string, fired func(string)) (func(), error) {
	return addToxics(w, client, p.toxics, fired)
}
