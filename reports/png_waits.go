package reports

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/results"
)

// waitsChart draws for each strategy the distribution of waiting times, on a
// logarithmic scale where they are far apart; nil if nobody waited.
func waitsChart(sc results.Scenario) *picture {
	ax := newWaitAxis(sc.Strategies)
	groups := ax.groups(sc.Strategies)
	if len(groups) == 0 {
		return nil
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "waiting time", "acquisitions that waited at most this long, %"
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = rule, rule
	p.Add(grid)
	h := heading{title: sc.Name + ": waiting for the lock", note: waitsNote(groups)}
	for i, g := range groups {
		line := &plotter.Line{LineStyle: draw.LineStyle{Color: curveColours[i%len(curveColours)], Width: 2.4, Dashes: g.dashes()}}
		for _, at := range g.xy {
			line.XYs = append(line.XYs, plotter.XY{X: at.X, Y: at.Y * 100})
		}
		p.Add(line)
		h.keys = append(h.keys, key{label: g.Label, line: &line.LineStyle})
	}
	var times, parts plot.ConstantTicks
	for _, t := range ax.ticks() {
		times = append(times, plot.Tick{Value: ax.place(t), Label: exactMillis(t)})
	}
	for _, part := range []float64{0, 25, 50, 75, 100} {
		parts = append(parts, plot.Tick{Value: part, Label: fmt.Sprint(part)})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = times, parts
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 100
	return plotPicture(h, p)
}
