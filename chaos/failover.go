package chaos

import (
	"time"

	"github.com/lockchaos/simrun/internal/text"
)

// failoverSpec kills the Redis server and puts its replica in its place, as
// Sentinel, a cluster or a cloud's hosted Redis does. Replication is
// asynchronous: writes that the dead server had acknowledged but not yet replicated
// are lost (Redis documentation, "Distributed locks", "Why failover-based
// implementations are not enough"; redisson#5256).
var failoverSpec = Spec{
	Name: "failover",
	Doc:  "kills Redis and promotes its replica, which lags behind",
	Params: []Param{
		{Name: "lag", Kind: KindDuration, Required: true, Doc: "how far behind the replica is, such as 500ms; the same for all failovers of a scenario"},
	},
	New: func(a Args) (Fault, error) {
		lag := a.Durations["lag"]
		return failover{lag}, positive("lag", lag)
	},
	Text: func(a Args) string {
		return "kills Redis and promotes its replica, which is " + text.Duration(a.Durations["lag"]) + " behind"
	},
}

type failover struct{ lag time.Duration }

// Prepare gives Redis its replica from the start of the run.
func (f failover) Prepare(w World) error { return w.Replicate(f.lag) }

func (f failover) Inject(w World, _ string, fired func(string)) (func(), error) {
	return once(fired)(w.Promote())
}
