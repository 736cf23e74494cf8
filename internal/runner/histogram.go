package runner

import (
	"maps"
	"math/bits"
	"slices"
)

// histogram counts durations, of which it keeps the leading bits, so that it
// stays small and the order of adding does not matter. A value read back is at
// most 1/128 (0.8 %) off; the smallest and the largest are exact.
type histogram struct {
	counts   map[int64]int64 // by rounded duration
	total    int64
	min, max int64
}

const leadingBits = 7

// rounded returns the middle of the values that share v's leading bits.
func rounded(v int64) int64 {
	rest := max(bits.Len64(uint64(v))-leadingBits, 0)
	return v>>rest<<rest + 1<<rest/2
}

// add counts durations in nanoseconds; a negative one counts as 0.
func (h *histogram) add(durations ...int64) {
	for _, v := range durations {
		v = max(v, 0)
		if h.counts == nil {
			h.counts, h.min = make(map[int64]int64), v
		}
		h.min, h.max = min(h.min, v), max(h.max, v)
		h.counts[rounded(v)]++
		h.total++
	}
}

// quantiles returns the values at the given fractions, which must ascend in
// [0, 1]. It returns nil if the histogram is empty.
func (h *histogram) quantiles(fractions ...float64) []int64 {
	if h.total == 0 {
		return nil
	}
	values := slices.Sorted(maps.Keys(h.counts))
	var out []int64
	seen, at := h.counts[values[0]], 0
	for _, f := range fractions {
		rank := int64(f * float64(h.total-1))
		for seen <= rank && at < len(values)-1 {
			at++
			seen += h.counts[values[at]]
		}
		switch f {
		case 0:
			out = append(out, h.min)
		case 1:
			out = append(out, h.max)
		default:
			out = append(out, min(max(values[at], h.min), h.max))
		}
	}
	return out
}
