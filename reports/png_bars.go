package reports

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// violationsPNG draws how often each strategy violated each property.
func violationsPNG(w io.Writer, sc results.Scenario) (err error) {
	defer undrawn(sc.Name, &err)
	p := newPlot(sc.Name+": violations by strategy", "", "violations, all runs")
	legend := legendOf()
	groups, most := violationCounts(sc.Strategies)
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
		offset := wide * vg.Length(float64(i)-float64(len(groups)-1)/2)
		b, err := newBars(g.Counts, wide*0.88, propertyColour(g.Property))
		if err != nil {
			return err
		}
		b.Offset = offset
		p.Add(b)
		if err := addLabels(p, g.Counts, labels, offset, upright); err != nil {
			return err
		}
		legend.Add(g.Property, square{propertyColour(g.Property)})
	}
	if len(groups) == 0 {
		p.Title.Text = sc.Name + ": no violations"
	}
	nominal(p, sc.Strategies)
	p.Y.Min, p.Y.Max = 0, max(1, most*1.12)
	if upright {
		p.Y.Max = most * 1.16
	}
	return savePNG(w, p, &legend)
}

// timePNG draws the time that clients spent in the critical section, and how
// much of it after they had lost the lease.
func timePNG(w io.Writer, sc results.Scenario) (err error) {
	defer undrawn(sc.Name, &err)
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
	p := newPlot(sc.Name+": time in the critical section, with and without the lease", "", unit+", all clients and runs")
	legend := legendOf()
	n := len(sc.Strategies)
	good, bad, sums := make(plotter.Values, n), make(plotter.Values, n), make(plotter.Values, n)
	labels := make([]string, n)
	for i, s := range sc.Strategies {
		good[i], bad[i] = max(0, s.InsideMS-s.LostMS)/scale, s.LostMS/scale
		sums[i] = good[i] + bad[i]
		if s.LostMS > 0 {
			labels[i] = lostText(s) + " lost"
		}
	}
	wide := min(barWidth(n, 1), 64)
	lower, err := newBars(good, wide, held)
	if err != nil {
		return err
	}
	upper, err := newBars(bad, wide, lost)
	if err != nil {
		return err
	}
	upper.StackOn(lower)
	p.Add(grid(), lower, upper)
	if err := addLabels(p, sums, labels, 0, false); err != nil {
		return err
	}
	legend.Add("lease held", square{held})
	legend.Add("lease lost", square{lost})
	nominal(p, sc.Strategies)
	p.Y.Min, p.Y.Max = 0, max(most/scale*1.12, 1e-3)
	return savePNG(w, p, &legend)
}

// barWidth fits bars groups beside each other.
func barWidth(groups, bars int) vg.Length {
	return vg.Length(620) / vg.Length(max(groups, 1)) / vg.Length(max(bars, 1)) * 0.8
}

func newBars(v plotter.Values, wide vg.Length, fill color.Color) (*plotter.BarChart, error) {
	b, err := plotter.NewBarChart(v, wide)
	if err != nil {
		return nil, err
	}
	b.Color, b.LineStyle.Width = fill, 0
	return b, nil
}

const labelSize = vg.Length(11)

// addLabels writes a text above each bar; upright where it is wider than a bar.
func addLabels(p *plot.Plot, v plotter.Values, texts []string, offset vg.Length, upright bool) error {
	xy := make(plotter.XYs, len(v))
	for i := range v {
		xy[i] = plotter.XY{X: float64(i), Y: v[i]}
	}
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: xy, Labels: texts})
	if err != nil {
		return err
	}
	for i := range l.TextStyle {
		l.TextStyle[i].Font = sans(labelSize)
		l.TextStyle[i].Color = ink
		l.TextStyle[i].XAlign = draw.XCenter
		if upright {
			l.TextStyle[i].Rotation = math.Pi / 2
			l.TextStyle[i].XAlign, l.TextStyle[i].YAlign = draw.XLeft, draw.YCenter
		}
	}
	l.Offset = vg.Point{X: offset, Y: 4}
	if upright {
		l.Offset.X -= 1.5 // digits have no descent, of which the middle takes account
	}
	p.Add(l)
	return nil
}

func nominal(p *plot.Plot, strategies []results.Strategy) {
	names := make([]string, len(strategies))
	for i, s := range strategies {
		names[i] = s.Name
	}
	p.NominalX(names...)
	p.X.Tick.Label.Font = sans(13)
	p.X.Min, p.X.Max = -0.5, max(0.5, float64(len(names))-0.5)
}

// waitsPNG draws for each strategy the distribution of waiting times, on a
// logarithmic scale where they are far apart.
func waitsPNG(w io.Writer, sc results.Scenario) (err error) {
	defer undrawn(sc.Name, &err)
	p := newPlot(sc.Name+": waiting for the lock", "waiting time", "share of acquisitions that waited at most this long, %")
	legend := legendOf()
	ax := newWaitAxis(sc.Strategies)
	g := grid()
	g.Vertical.Width, g.Vertical.Color = g.Horizontal.Width, rule
	p.Add(g)
	for i, s := range sc.Strategies {
		var xy plotter.XYs
		for _, pt := range ax.curve(s) {
			xy = append(xy, plotter.XY{X: pt.X, Y: 100 * pt.Y})
		}
		if len(xy) == 0 {
			continue
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return err
		}
		line.Color = palette[i%len(palette)]
		// The first lines are the widest: those that lie on them do not hide them.
		line.Width = 1.6 + 0.45*vg.Length(len(sc.Strategies)-1-i)
		line.Dashes = dashes[i%len(dashes)]
		p.Add(line)
		legend.Add(s.Name, line)
	}
	var ticks []plot.Tick
	for _, t := range ax.ticks() {
		ticks = append(ticks, plot.Tick{Value: ax.place(t), Label: exactMillis(t)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 100
	return savePNG(w, p, &legend)
}
