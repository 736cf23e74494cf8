package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

type chartsView struct {
	Bars  []barGroup // violations, one group a property
	Times []timeBar  // time inside, and of it time lost
	CDF   *cdfView
}

type barGroup struct {
	Property string
	Bars     []bar
}

type bar struct {
	Name, Text string
	Percent    string // of the longest bar
}

type timeBar struct {
	Name, Text   string
	Inside, Lost string // percent of the longest bar
}

func viewCharts(sc results.Scenario) chartsView {
	var c chartsView
	most := 0
	for _, s := range sc.Strategies {
		for _, b := range s.Violations {
			most = max(most, b.Count)
		}
	}
	for _, p := range properties(sc.Strategies) {
		g := barGroup{Property: p}
		total := 0
		for _, s := range sc.Strategies {
			n := s.Violations[p].Count
			total += n
			g.Bars = append(g.Bars, bar{s.Name, thousands(n), share(float64(n), float64(most))})
		}
		if total > 0 {
			c.Bars = append(c.Bars, g)
		}
	}
	longest := 0.0
	for _, s := range sc.Strategies {
		longest = max(longest, s.InsideMS)
	}
	for _, s := range sc.Strategies {
		text := seconds(s.InsideMS/1000) + " inside"
		if s.LostMS > 0 {
			text += ", " + seconds(s.LostMS/1000) + " lost"
		}
		c.Times = append(c.Times, timeBar{s.Name, text, share(s.InsideMS-s.LostMS, longest), share(s.LostMS, longest)})
	}
	c.CDF = viewCDF(sc.Strategies)
	return c
}

func share(part, whole float64) string {
	if whole <= 0 || part <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", 100*part/whole)
}

// The plane of the chart of waiting times, in the units of its view box.
const (
	cdfWidth, cdfHeight = 440, 250
	cdfLeft, cdfRight   = 42, 34
	cdfTop, cdfBottom   = 10, 34
)

// cdfView is the share of acquisitions that waited no longer than x.
type cdfView struct {
	Width, Height int
	Left, Right   int // of the plane
	Top, Bottom   int
	XTicks        []tick
	YTicks        []tick
	Lines         []cdfLine
}

type tick struct {
	At   string
	Text string
}

type cdfLine struct {
	Name  string
	Class int // colour, by the strategy's place
	Path  string
}

func viewCDF(strategies []results.Strategy) *cdfView {
	v := &cdfView{
		Width: cdfWidth, Height: cdfHeight, Left: cdfLeft, Right: cdfWidth - cdfRight,
		Top: cdfTop, Bottom: cdfHeight - cdfBottom,
	}
	ax := waitAxis(strategies)
	x := func(ms float64) float64 {
		return float64(v.Left) + ax.place(ms)*float64(v.Right-v.Left)
	}
	y := func(share float64) float64 { return float64(v.Bottom) - share*float64(v.Bottom-v.Top) }
	for i, s := range strategies {
		if len(s.WaitCDF) < 2 {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "M%.1f %.1f", x(s.WaitCDF[0]), y(0))
		for j, w := range s.WaitCDF {
			fmt.Fprintf(&b, "L%.1f %.1f", x(w), y(float64(j)/float64(len(s.WaitCDF)-1)))
		}
		v.Lines = append(v.Lines, cdfLine{s.Name, i % 8, b.String()})
	}
	if len(v.Lines) == 0 {
		return nil
	}
	for _, t := range ax.ticks() {
		v.XTicks = append(v.XTicks, tick{fmt.Sprintf("%.1f", x(t)), lease(t)})
	}
	for _, p := range []float64{0, 0.25, 0.5, 0.75, 1} {
		v.YTicks = append(v.YTicks, tick{fmt.Sprintf("%.1f", y(p)), fmt.Sprintf("%.0f %%", 100*p)})
	}
	return v
}

// axis is a scale of waiting times in milliseconds: even, or by powers of ten
// where the times are too far apart to be seen on an even one.
type axis struct {
	log      bool
	min, max float64
}

func waitAxis(strategies []results.Strategy) axis {
	var waits []float64
	for _, s := range strategies {
		for _, w := range s.WaitCDF {
			if w > 0 && !math.IsInf(w, 0) {
				waits = append(waits, w)
			}
		}
	}
	if len(waits) == 0 {
		return axis{max: 1}
	}
	slices.Sort(waits)
	low, high := max(waits[0], 0.1), waits[len(waits)-1]
	if high/max(waits[len(waits)/2], 0.1) < 30 {
		return axis{max: high}
	}
	return axis{true, math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)-1e-9))}
}

// place is where a time lies on the axis, from 0 to 1.
func (a axis) place(ms float64) float64 {
	if !a.log {
		return min(max(ms/a.max, 0), 1)
	}
	p := math.Log10(max(ms, a.min)/a.min) / math.Log10(a.max/a.min)
	return min(max(p, 0), 1)
}

// ticks are round times on the axis.
func (a axis) ticks() []float64 {
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
