package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

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

// waitGroup is a curve of one or more strategies whose waits look the same.
type waitGroup struct {
	Names     []string
	Label     string
	guarantee results.Guarantee
	xy        plotter.XYs
	place     int // among those that hold, or the others
}

// hair is how far apart curves may be, as a part of the plane, and still be drawn as
// one: about two widths of a line.
const hair = 0.01

// groups joins the strategies whose curves would hide one another and whose
// guarantees are alike. It returns none where nobody waited.
func (a waitAxis) groups(strategies []results.Strategy) (groups []waitGroup) {
	if !slices.ContainsFunc(strategies, func(s results.Strategy) bool {
		return slices.ContainsFunc(s.WaitCDF, func(ms float64) bool { return ms > 0 && !math.IsInf(ms, 0) })
	}) {
		return nil
	}
	count := map[bool]int{}
	for _, s := range strategies {
		xy := a.curve(s)
		if len(xy) == 0 {
			continue
		}
		i := slices.IndexFunc(groups, func(g waitGroup) bool { return g.guarantee == s.Guarantee && sameCurve(g.xy, xy) })
		if i < 0 {
			sound := s.Guarantee == results.Holds
			i, groups = len(groups), append(groups, waitGroup{guarantee: s.Guarantee, xy: xy, place: count[sound]})
			count[sound]++
		}
		if g := &groups[i]; g.Label == "" {
			g.Label = s.Name
		} else if slices.Equal(g.xy, xy) {
			g.Label += " = " + s.Name
		} else {
			g.Label += " ≈ " + s.Name
		}
	}
	for i := range groups {
		if g := groups[i].guarantee; g != results.Holds {
			groups[i].Label += " (" + string(g) + ")"
		}
	}
	return groups
}

// sameCurve reports whether no point of either curve is far from the other.
func sameCurve(a, b plotter.XYs) bool {
	far := func(line plotter.XYs) func(plotter.XY) bool {
		return func(p plotter.XY) bool {
			for i := 1; i < len(line); i++ {
				if distance(p, line[i-1], line[i]) <= hair {
					return false
				}
			}
			return true
		}
	}
	return !slices.ContainsFunc(a, far(b)) && !slices.ContainsFunc(b, far(a))
}

// distance is that of a point from the line between two others.
func distance(p, from, to plotter.XY) float64 {
	dx, dy := to.X-from.X, to.Y-from.Y
	along := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		along = min(max(((p.X-from.X)*dx+(p.Y-from.Y)*dy)/square, 0), 1)
	}
	return math.Hypot(p.X-from.X-along*dx, p.Y-from.Y-along*dy)
}

// dashes are none or long for a lock that holds.
func (g waitGroup) dashes() []vg.Length {
	if g.guarantee == results.Holds {
		return soundDashes[g.place%len(soundDashes)]
	}
	return brokenDashes[g.place%len(brokenDashes)]
}

// waitsNote keeps a reader from praising a lock for letting everybody in.
func waitsNote(groups []waitGroup) string {
	if !slices.ContainsFunc(groups, func(g waitGroup) bool { return g.guarantee == results.Broken }) {
		return ""
	}
	return "A broken lock that waits less is no gain: its clients may get in too early."
}

// waitsView is the chart of waiting times, in the units of its view box.
type waitsView struct {
	Width, Height, Left, Right, Top, Bottom int // Left to Bottom bound the plane
	XTicks, YTicks                          []waitTick
	Lines                                   []waitLine
	Note                                    string
}

type waitTick struct{ At, Text string }

type waitLine struct {
	Name   string
	Class  int // colour
	Dashes string
	Path   string
}

// newWaitsView returns nil where nobody waited.
func newWaitsView(strategies []results.Strategy) *waitsView {
	v := &waitsView{Width: 440, Height: 250, Left: 42, Right: 406, Top: 10, Bottom: 216}
	ax := newWaitAxis(strategies)
	groups := ax.groups(strategies)
	if len(groups) == 0 {
		return nil
	}
	x := func(part float64) float64 { return float64(v.Left) + part*float64(v.Right-v.Left) }
	y := func(part float64) float64 { return float64(v.Bottom) - part*float64(v.Bottom-v.Top) }
	for i, g := range groups {
		var b strings.Builder
		fmt.Fprintf(&b, "M%.1f %.1f", x(g.xy[0].X), y(0))
		for _, p := range g.xy {
			fmt.Fprintf(&b, "L%.1f %.1f", x(p.X), y(p.Y))
		}
		dashes := strings.Trim(fmt.Sprint(g.dashes()), "[]")
		v.Lines = append(v.Lines, waitLine{g.Label, i % len(curveColours), dashes, b.String()})
	}
	v.Note = waitsNote(groups)
	for _, t := range ax.ticks() {
		v.XTicks = append(v.XTicks, waitTick{fmt.Sprintf("%.1f", x(ax.place(t))), exactMillis(t)})
	}
	for _, p := range []float64{0, 0.25, 0.5, 0.75, 1} {
		v.YTicks = append(v.YTicks, waitTick{fmt.Sprintf("%.1f", y(p)), fmt.Sprintf("%.0f %%", 100*p)})
	}
	return v
}
