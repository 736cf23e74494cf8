package reports

import (
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/lockchaos/simrun/internal/results"
)

// waitAxis is a scale of waiting times in milliseconds: linear, or logarithmic
// where the times are too far apart for a linear one.
type waitAxis struct {
	log      bool
	min, max float64
}

func newWaitAxis(strategies []results.Strategy) waitAxis {
	var waits []float64
	for _, s := range strategies {
		for _, w := range s.WaitCDF {
			if w > 0 && !math.IsInf(w, 0) {
				waits = append(waits, w)
			}
		}
	}
	if len(waits) == 0 {
		return waitAxis{max: 1}
	}
	slices.Sort(waits)
	low, high := max(waits[0], 0.1), waits[len(waits)-1]
	if high/max(waits[len(waits)/2], 0.1) < 30 {
		return waitAxis{max: high}
	}
	return waitAxis{true, math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)-1e-9))}
}

// place returns where a time lies on the axis, from 0 to 1.
func (a waitAxis) place(ms float64) float64 {
	p := ms / a.max
	if a.log {
		p = math.Log10(max(ms, a.min)/a.min) / math.Log10(a.max/a.min)
	}
	return min(max(p, 0), 1)
}

// ticks returns round times on the axis.
func (a waitAxis) ticks() []float64 {
	var out []float64
	if a.log {
		for t := a.min; t <= a.max*1.0001; t *= 10 {
			out = append(out, t)
		}
		return out
	}
	step := math.Pow(10, math.Floor(math.Log10(a.max)))
	for _, f := range []float64{0.1, 0.2, 0.5} {
		if a.max/(step*f) <= 8 {
			step *= f
			break
		}
	}
	for t := 0.0; t <= a.max*1.0001; t += step {
		out = append(out, t)
	}
	return out
}

// curve is a strategy's distribution: X is a place on the axis, Y the share of
// acquisitions that waited at most as long, both from 0 to 1. It is empty without
// waits.
func (a waitAxis) curve(s results.Strategy) plotter.XYs {
	if len(s.WaitCDF) < 2 {
		return nil
	}
	var out plotter.XYs
	for i, ms := range s.WaitCDF {
		if !math.IsNaN(ms) && !math.IsInf(ms, 0) {
			out = append(out, plotter.XY{X: a.place(ms), Y: float64(i) / float64(len(s.WaitCDF)-1)})
		}
	}
	return out
}
