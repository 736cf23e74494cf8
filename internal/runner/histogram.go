package runner

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
)

// histogram counts durations in fixed buckets, 64 to each power of two, so that
// merging in any order gives the same counts. A value read back is at most
// 1/128 (0.8 %) off; the smallest and the largest are exact.
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

// add counts one duration in nanoseconds; a negative one counts as 0.
func (h *histogram) add(v int64) {
	v = max(v, 0)
	h.merge(histogram{counts: map[int]int64{bucketOf(v): 1}, total: 1, min: v, max: v})
}

func (h *histogram) merge(o histogram) {
	if o.total == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make(map[int]int64)
	}
	if h.total == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.total += o.total
	for b, n := range o.counts {
		h.counts[b] += n
	}
}

// quantiles reads the values at the given fractions, which must ascend in
// [0, 1]. It returns nil for an empty histogram.
func (h *histogram) quantiles(fractions ...float64) []int64 {
	if h.total == 0 {
		return nil
	}
	buckets := h.buckets()
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

func (h *histogram) buckets() []int {
	keys := make([]int, 0, len(h.counts))
	for b := range h.counts {
		keys = append(keys, b)
	}
	slices.Sort(keys)
	return keys
}

// MarshalJSON writes [min, max, bucket, count, bucket, count, ...].
func (h histogram) MarshalJSON() ([]byte, error) {
	if h.total == 0 {
		return []byte("[]"), nil
	}
	flat := []int64{h.min, h.max}
	for _, b := range h.buckets() {
		flat = append(flat, int64(b), h.counts[b])
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (h *histogram) UnmarshalJSON(data []byte) error {
	var flat []int64
	if err := json.Unmarshal(data, &flat); err != nil {
		return err
	}
	*h = histogram{}
	if len(flat) == 0 {
		return nil
	}
	if len(flat) < 4 || len(flat)%2 != 0 {
		return fmt.Errorf("histogram of %d numbers", len(flat))
	}
	h.min, h.max = flat[0], flat[1]
	h.counts = make(map[int]int64, len(flat)/2-1)
	for i := 2; i < len(flat); i += 2 {
		h.counts[int(flat[i])] += flat[i+1]
		h.total += flat[i+1]
	}
	return nil
}
