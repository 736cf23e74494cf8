package miniserver

import (
	"slices"
	"testing"
)

// Whichever of several rates ends first, the clock runs at the last that was set
// and has not ended.
func TestRates(t *testing.T) {
	for _, tt := range []struct {
		name string
		ends []int // which of the rates 2, 3 and 5 end, in this order
		want []float64
	}{
		{"the first set ends first", []int{0, 1, 2}, []float64{2, 3, 5, 5, 5, 1}},
		{"the last set ends first", []int{2, 1, 0}, []float64{2, 3, 5, 3, 2, 1}},
		{"the second ends twice", []int{1, 1, 2, 0}, []float64{2, 3, 5, 5, 5, 2, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Mini.Close()
			var ran []float64
			var restore []func()
			for _, rate := range []float64{2, 3, 5} {
				restore = append(restore, s.SetRate(rate))
				ran = append(ran, s.clock.rate)
			}
			for _, i := range tt.ends {
				restore[i]()
				ran = append(ran, s.clock.rate)
			}
			if !slices.Equal(ran, tt.want) {
				t.Errorf("the clock ran at %v, want %v", ran, tt.want)
			}
		})
	}
}
