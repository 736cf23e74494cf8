package chaos

import (
	"time"

	"github.com/lockchaos/simrun/internal/text"
)

// delayedWriteSpec keeps a write to the resource in the network, as a switch kept
// GitHub's packets for 90 seconds in 2012 (reported in Kleppmann 2016).
var delayedWriteSpec = Spec{
	Name:   "delayed-write",
	Doc:    "keeps a client's next write to the resource in the network",
	Target: true,
	Params: []Param{
		{Name: "by", Kind: KindDuration, Required: true, Doc: "how long the write is on its way, such as 40s"},
	},
	New: func(a Args) (Fault, error) {
		by := a.Durations["by"]
		return delayedWrite{by}, positive("by", by)
	},
	Text: func(a Args) string {
		return "keeps the next write of {client} in the network for " + text.Duration(a.Durations["by"])
	},
}

type delayedWrite struct{ by time.Duration }

func (f delayedWrite) Inject(w World, client string, fired func(string)) (func(), error) {
	return nil, w.DelayWrite(client, f.by, fired)
}
