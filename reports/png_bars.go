package reports

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// violationsChart draws how often each strategy violated each property.
func violationsChart(sc results.Scenario) *plot.Plot {
	groups, most := violationCounts(sc.Strategies)
	p := newPlot(sc.Name+": violations by strategy", "", "violations, all runs")
	if len(groups) == 0 {
		p.Title.Text = sc.Name + ": no violations"
	}
	p.Add(grid())
	wide := barWidth(len(sc.Strategies), len(groups))
	face := font.DefaultCache.Lookup(sans(labelSize), labelSize)
	upright := most > 0 && face.Width(text.Number(int(most))) > wide*0.95
	for i, g := range groups {
		labels := make([]string, len(g.Counts))
		for j, n := range g.Counts {
			if n > 0 {
				labels[j] = text.Number(int(n))
			}
		}
		b := &plotter.BarChart{
			Values: g.Counts, Width: wide * 0.88, Color: propertyColour(g.Property),
			Offset: wide * vg.Length(float64(i)-float64(len(groups)-1)/2),
		}
		p.Add(b, barLabels(g.Counts, labels, b.Offset, upright))
		p.Legend.Add(g.Property, b)
	}
	room := 1.12
	if upright {
		room = 1.16
	}
	setBarAxes(p, sc.Strategies, max(1, most*room))
	return p
}

// timeChart draws the time that clients spent in the critical section, and how
// much of it after they had lost the lease.
func timeChart(sc results.Scenario) *plot.Plot {
	scale, unit := 1000.0, "seconds"
	most := 0.0
	for _, s := range sc.Strategies {
		most = max(most, s.InsideMS)
	}
	switch {
	case most > 4*3600e3:
		scale, unit = 3600e3, "hours"
	case most > 600e3:
		scale, unit = 60e3, "minutes"
	}
	var good, bad, sums plotter.Values
	labels := make([]string, len(sc.Strategies))
	for i, s := range sc.Strategies {
		good, bad = append(good, max(0, s.InsideMS-s.LostMS)/scale), append(bad, s.LostMS/scale)
		sums = append(sums, good[i]+bad[i])
		if s.LostMS > 0 {
			labels[i] = lostText(s) + " lost"
		}
	}
	wide := min(barWidth(len(sc.Strategies), 1), 64)
	lower := &plotter.BarChart{Values: good, Width: wide, Color: held}
	upper := &plotter.BarChart{Values: bad, Width: wide, Color: lost}
	upper.StackOn(lower)
	p := newPlot(sc.Name+": time in the critical section, with and without the lease", "", unit+", all clients and runs")
	p.Add(grid(), lower, upper, barLabels(sums, labels, 0, false))
	p.Legend.Add("lease held", lower)
	p.Legend.Add("lease lost", upper)
	setBarAxes(p, sc.Strategies, max(most/scale*1.12, 1e-3))
	return p
}

// setBarAxes gives each strategy its place, and bounds the values; it comes after
// the bars, which would widen the axes.
func setBarAxes(p *plot.Plot, strategies []results.Strategy, most float64) {
	names := make([]string, len(strategies))
	for i, s := range strategies {
		names[i] = s.Name
	}
	p.NominalX(names...)
	p.X.Tick.Label.Font = sans(13)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5, 0, most
}

// barWidth fits bars groups beside each other.
func barWidth(groups, bars int) vg.Length {
	return vg.Length(620) / vg.Length(max(groups, 1)) / vg.Length(max(bars, 1)) * 0.8
}

const labelSize = vg.Length(11)

// barLabels writes a text above each bar; upright where it is wider than a bar.
func barLabels(v plotter.Values, texts []string, offset vg.Length, upright bool) *plotter.Labels {
	style := draw.TextStyle{Font: sans(labelSize), Color: ink, XAlign: draw.XCenter, Handler: plot.DefaultTextHandler}
	l := &plotter.Labels{Labels: texts, Offset: vg.Point{X: offset, Y: 4}}
	if upright {
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, draw.XLeft, draw.YCenter
		l.Offset.X -= 1.5 // digits have no descent, but YCenter allows for one
	}
	for i, y := range v {
		l.XYs = append(l.XYs, plotter.XY{X: float64(i), Y: y})
	}
	l.TextStyle = slices.Repeat([]draw.TextStyle{style}, len(v))
	return l
}
