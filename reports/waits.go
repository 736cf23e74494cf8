package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
		waits = append(waits, s.WaitCDF...)
	}
	waits = slices.DeleteFunc(waits, func(w float64) bool { return !(w > 0) || math.IsInf(w, 0) })
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
	step := math.Pow(10, math.Floor(math.Log10(a.max)))
	for _, f := range []float64{0.1, 0.2, 0.5} {
		if a.max/(step*f) <= 8 {
			step *= f
			break
		}
	}
	var out []float64
	for t := a.min; t <= a.max*1.0001; {
		out = append(out, t)
		if a.log {
			t *= 10
		} else {
			t += step
		}
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

// waitsView is the chart of waiting times, in the units of its view box.
type waitsView struct {
	Width, Height, Left, Right, Top, Bottom int // Left to Bottom bound the plane
	XTicks, YTicks                          []waitTick
	Lines                                   []waitLine
}

type waitTick struct{ At, Text string }

type waitLine struct {
	Name  string
	Class int // colour, by the strategy's place
	Path  string
}

// newWaitsView returns nil where nothing was measured.
func newWaitsView(strategies []results.Strategy) *waitsView {
	v := &waitsView{Width: 440, Height: 250, Left: 42, Right: 406, Top: 10, Bottom: 216}
	ax := newWaitAxis(strategies)
	x := func(part float64) float64 { return float64(v.Left) + part*float64(v.Right-v.Left) }
	y := func(part float64) float64 { return float64(v.Bottom) - part*float64(v.Bottom-v.Top) }
	for i, s := range strategies {
		curve := ax.curve(s)
		if len(curve) == 0 {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "M%.1f %.1f", x(curve[0].X), y(0))
		for _, p := range curve {
			fmt.Fprintf(&b, "L%.1f %.1f", x(p.X), y(p.Y))
		}
		v.Lines = append(v.Lines, waitLine{s.Name, i % 8, b.String()})
	}
	if len(v.Lines) == 0 {
		return nil
	}
	for _, t := range ax.ticks() {
		v.XTicks = append(v.XTicks, waitTick{fmt.Sprintf("%.1f", x(ax.place(t))), exactMillis(t)})
	}
	for _, p := range []float64{0, 0.25, 0.5, 0.75, 1} {
		v.YTicks = append(v.YTicks, waitTick{fmt.Sprintf("%.1f", y(p)), fmt.Sprintf("%.0f %%", 100*p)})
	}
	return v
}
