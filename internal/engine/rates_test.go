package engine_test

import (
	"slices"
	"testing"

	"github.com/lockchaos/simrun/internal/engine"
)

// Whichever of several rates ends first, the clock runs at the most recent of
// those that are left.
func TestRates(t *testing.T) {
	for _, tt := range []struct {
		name string
		ends []int // which of the rates 2, 3 and 5 end, in this order
		want []float64
	}{
		{"the first set ends first", []int{0, 1, 2}, []float64{2, 3, 5, 5, 5, 1}},
		{"the last set ends first", []int{2, 1, 0}, []float64{2, 3, 5, 3, 2, 1}},
		{"the second ends twice", []int{1, 1, 2, 0}, []float64{2, 3, 5, 5, 2, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rates engine.Rates
			var applied []float64
			apply := func(rate float64) { applied = append(applied, rate) }
			ends := []func(){rates.Set(2, apply), rates.Set(3, apply), rates.Set(5, apply)}
			for _, i := range tt.ends {
				ends[i]()
			}
			if !slices.Equal(applied, tt.want) {
				t.Errorf("the clock ran at %v, want %v", applied, tt.want)
			}
		})
	}
}
