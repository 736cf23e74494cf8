package runner

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistogramReadsBackWithinOnePercent(t *testing.T) {
	for _, v := range []int64{0, 1, 63, 64, 65, 127, 128, 129, 1e3, 999_999, 30e9, math.MaxInt64 - 1, math.MaxInt64} {
		got := rounded(v)
		if diff := math.Abs(float64(got)-float64(v)) / max(float64(v), 1); diff > 1.0/128 {
			t.Errorf("%d is read back as %d, %.2f %% off", v, got, 100*diff)
		}
	}
}

func TestHistogramRoundsAscending(t *testing.T) {
	for v := int64(0); v < 1<<14; v++ {
		if a, b := rounded(v), rounded(v+1); b < a {
			t.Fatalf("%d is rounded to %d, %d to %d", v, a, v+1, b)
		}
	}
}

func TestHistogramQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h histogram
	all := make([]int64, 0, 1000)
	for range cap(all) {
		v := int64(rng.ExpFloat64() * 1e9)
		all = append(all, v)
		h.add(v)
	}
	slices.Sort(all)
	fractions := []float64{0, 0.01, 0.5, 0.99, 1}
	for i, got := range h.quantiles(fractions...) {
		want := all[int(fractions[i]*float64(len(all)-1))]
		if math.Abs(float64(got-want)) > float64(want)/100 {
			t.Errorf("quantile %v is %d, want %d", fractions[i], got, want)
		}
	}
	if q := h.quantiles(0, 1); q[0] != all[0] || q[1] != all[len(all)-1] {
		t.Errorf("the ends %v are not exact", q)
	}
	if q := (&histogram{}).quantiles(0.5); q != nil {
		t.Errorf("an empty histogram has quantiles %v", q)
	}
}

func TestHistogramTakesAnyOrder(t *testing.T) {
	var ab, ba histogram
	ab.add(5, 100, 7e9)
	ab.add(1, 100)
	ba.add(100, 1)
	ba.add(7e9, 5, 100)
	if diff := cmp.Diff(ab, ba, cmp.AllowUnexported(histogram{})); diff != "" {
		t.Error(diff)
	}
	if ab.min != 1 || ab.max != 7e9 || ab.total != 5 {
		t.Errorf("%+v", ab)
	}
}
