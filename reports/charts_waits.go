package reports

import (
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/lockchaos/simrun/internal/results"
)

// WaitsPNG draws for each strategy the share of acquisitions that waited no
// longer than x, on a logarithmic scale where the waits are far apart.
func WaitsPNG(w io.Writer, sc results.Scenario) (err error) {
	defer undrawn(sc.Name, &err)
	p := newPlot(sc.Name+": waiting for the lock", "waiting time", "share of acquisitions that waited no longer, %")
	legend := legendOf()
	ax := waitAxis(sc.Strategies)
	g := grid()
	g.Vertical.Width, g.Vertical.Color = g.Horizontal.Width, rule
	p.Add(g)
	for i, s := range sc.Strategies {
		if len(s.WaitCDF) < 2 {
			continue
		}
		xy := make(plotter.XYs, 0, len(s.WaitCDF))
		for j, ms := range s.WaitCDF {
			if math.IsNaN(ms) || math.IsInf(ms, 0) {
				continue
			}
			xy = append(xy, plotter.XY{X: ax.place(ms), Y: 100 * float64(j) / float64(len(s.WaitCDF)-1)})
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
		ticks = append(ticks, plot.Tick{Value: ax.place(t), Label: lease(t)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 100
	return savePNG(w, p, &legend)
}
