package engine

import (
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/lockchaos/simrun/chaos"
)

// Generator makes the generator of one actor from the run's seed and the actor's
// name. Each actor and each direction of a connection has its own, so what one draws
// never depends on when another does.
func Generator(seed uint64, actor string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(actor))
	name := h.Sum64()
	return rand.New(rand.NewPCG(mix(seed^mix(name)), mix(name)))
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014): neighbouring
// seeds give unrelated generators.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Draw takes a duration from a range, to the nanosecond.
func Draw(r *rand.Rand, span chaos.Range) time.Duration {
	if span.Max <= span.Min {
		return span.Min
	}
	return span.Min + time.Duration(r.Int64N(int64(span.Max-span.Min)+1))
}
