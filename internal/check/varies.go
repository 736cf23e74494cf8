package check

// varies says of a property what decides, beside the lock, whether a run shows
// a breach of it. In virtual time the seed decides; on a real machine nobody does.
var varies = map[string]string{
	"overlap":         "whether the next client enters before the last holder has learnt of its loss and left",
	"stale-write":     "whether the next holder has read before the last one's write arrives",
	"lost-update":     "whether two holders read the same version before either writes",
	"foreign-release": "whether the last holder releases before the next one has the key",
	"late-notice":     "how soon the holder next hears of Redis; live, the bound is longer by what a machine may dawdle",
	"stuck":           "whether a client comes and asks while those who wait sleep; live, the bound is longer by what a machine may dawdle",
	"starved":         "how long the others have waited already",
	"orphan":          "whether a command that its client gave up still takes effect; live, the bound is longer by what a machine may dawdle",
	"zombie":          "whether a renewal is under way when the release comes",
	"leak":            "what is still under way when the run ends",
	"aborted":         "whether a holder hears of its loss before its work is done",
	"rejected":        "whether a write with an old fencing token arrives after a newer one",
	"sold-out":        "how many sections fit into the run",
}

// Varies says what decides, beside the lock, whether a run shows a breach of the
// property, or an observation of that name.
func Varies(name string) string {
	if v := varies[name]; v != "" {
		return v
	}
	return "in what order things happen"
}
