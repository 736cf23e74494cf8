package runner

import (
	"maps"
	"math/bits"
	"slices"
)

// histogram counts durations in fixed buckets, 64 to each power of two, so that
// the order of adding does not matter. A value read back is at most 1/128 (0.8 %)
// off; the smallest and the largest are exact.
type histogram struct {
	counts   map[int]int64 // by bucket
	total    int64
	min, max int64
}

const subBits = 6 // 64 buckets to a power of two

func bucketOf(v int64) int {
	if v < 1<<subBits {
		return int(v)
	}
	exp := bits.Len64(uint64(v)) - 1 - subBits
	return (exp+1)<<subBits + int(v>>exp) - 1<<subBits
}

// middle is the middle of a bucket: what its values are read back as.
func middle(bucket int) int64 {
	if bucket < 1<<subBits {
		return int64(bucket)
	}
	exp := bucket>>subBits - 1
	low := int64(bucket&(1<<subBits-1)+1<<subBits) << exp
	return low + int64(1)<<exp/2
}

// add counts durations in nanoseconds; a negative one counts as 0.
func (h *histogram) add(durations ...int64) {
	for _, v := range durations {
		v = max(v, 0)
		if h.counts == nil {
			h.counts, h.min = make(map[int]int64), v
		}
		h.min, h.max = min(h.min, v), max(h.max, v)
		h.counts[bucketOf(v)]++
		h.total++
	}
}

// quantiles reads the values at the given fractions, which must ascend in
// [0, 1]. It returns nil for an empty histogram.
func (h *histogram) quantiles(fractions ...float64) []int64 {
	if h.total == 0 {
		return nil
	}
	buckets := slices.Sorted(maps.Keys(h.counts))
	out := make([]int64, 0, len(fractions))
	seen, at := h.counts[buckets[0]], 0
	for _, f := range fractions {
		rank := int64(f * float64(h.total-1))
		for seen <= rank && at < len(buckets)-1 {
			at++
			seen += h.counts[buckets[at]]
		}
		out = append(out, min(max(middle(buckets[at]), h.min), h.max))
	}
	if fractions[len(fractions)-1] == 1 {
		out[len(out)-1] = h.max
	}
	if fractions[0] == 0 {
		out[0] = h.min
	}
	return out
}
