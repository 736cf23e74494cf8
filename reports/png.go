package reports

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// Colours, after Okabe and Ito, which people with any sort of colour vision
// can tell apart.
var (
	ink     = color.RGBA{0x1b, 0x22, 0x26, 0xff}
	quiet   = color.RGBA{0x5d, 0x69, 0x70, 0xff}
	rule    = color.RGBA{0xdf, 0xe4, 0xe6, 0xff}
	held    = color.RGBA{0x2a, 0x9d, 0x8f, 0xff}
	lost    = color.RGBA{0xe2, 0x60, 0x2f, 0xff}
	rolling = color.RGBA{0xe0, 0xa9, 0x3b, 0xff}
	idle    = color.RGBA{0xd3, 0xda, 0xde, 0xff}
	slate   = color.RGBA{0x53, 0x62, 0x6b, 0xff}
	violet  = color.RGBA{0x6d, 0x5f, 0xa8, 0xff}

	palette = []color.RGBA{
		{0xd5, 0x5e, 0x00, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
		{0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0x88, 0x88, 0x88, 0xff}, {0x44, 0x44, 0x44, 0xff},
		{0x8c, 0x56, 0x4b, 0xff}, {0xb5, 0xa8, 0x1e, 0xff},
	}
	dashes = [][]vg.Length{nil, {9, 3}, {2, 3}, {12, 4, 2, 4}, {5, 5}, {1, 2}, {14, 6}, {3, 6}}
)

// propertyColour is the same in every chart, whatever else is in it.
func propertyColour(name string) color.Color {
	if i := propertyRank(name); i < len(check.Properties) {
		return palette[i%len(palette)]
	}
	return quiet
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// newPlot makes a plot in the style of all charts.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = sans(17)
	p.Title.TextStyle.Color = ink
	p.Title.Padding = 12
	for a, label := range map[*plot.Axis]string{&p.X: x, &p.Y: y} {
		a.Label.Text = label
		a.Label.TextStyle.Font = sans(13)
		a.Label.TextStyle.Color = quiet
		a.Label.Padding = 6
		a.Tick.Label.Font = sans(12)
		a.Tick.Label.Color = ink
		a.LineStyle.Color = quiet
		a.Tick.LineStyle.Color = quiet
	}
	p.Legend.TextStyle.Font = sans(12)
	p.Legend.TextStyle.Color = ink
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = 5
	p.Legend.ThumbnailWidth = 24
	return p
}

// writePNG draws a chart with its legend at the right, where it hides nothing. A
// panic of the plot library, which panics where it cannot draw, becomes an error: a
// report must not die of a chart.
func writePNG(w io.Writer, draws func() *plot.Plot) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("drawing a chart: %v", r)
		}
	}()
	p := draws()
	legend := p.Legend
	p.Legend = plot.NewLegend()
	img := vgimg.NewWith(vgimg.UseWH(chartWidth, chartHeight), vgimg.UseDPI(chartDPI), vgimg.UseBackgroundColor(color.White))
	c := draw.Crop(draw.New(img), chartMargin, -chartMargin, chartMargin, -chartMargin)
	p.Draw(draw.Crop(c, 0, -legendWidth-12, 0, 0))
	legend.Draw(draw.Crop(c, c.Max.X-c.Min.X-legendWidth, 0, 0, -40))
	_, err = vgimg.PngCanvas{Canvas: img}.WriteTo(w)
	return err
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Width = 0
	g.Horizontal.Color = rule
	return g
}

// waitsChart draws for each strategy the distribution of waiting times, on a
// logarithmic scale where they are far apart.
func waitsChart(sc results.Scenario) *plot.Plot {
	p := newPlot(sc.Name+": waiting for the lock", "waiting time", "share of acquisitions that waited at most this long, %")
	ax := newWaitAxis(sc.Strategies)
	g := grid()
	g.Vertical = g.Horizontal
	p.Add(g)
	for i, s := range sc.Strategies {
		xy := ax.curve(s)
		if len(xy) == 0 {
			continue
		}
		for i := range xy {
			xy[i].Y *= 100
		}
		line := &plotter.Line{XYs: xy}
		line.Color = palette[i%len(palette)]
		// The first lines are the widest: those that lie on them do not hide them.
		line.Width = 1.6 + 0.45*vg.Length(len(sc.Strategies)-1-i)
		line.Dashes = dashes[i%len(dashes)]
		p.Add(line)
		p.Legend.Add(s.Name, line)
	}
	var ticks plot.ConstantTicks
	for _, t := range ax.ticks() {
		ticks = append(ticks, plot.Tick{Value: ax.place(t), Label: exactMillis(t)})
	}
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 100
	return p
}

// The size of a chart: 1200 by 700 pixels at 96 to the inch.
const (
	chartDPI    = 96
	chartWidth  = 1200 * vg.Inch / chartDPI
	chartHeight = 700 * vg.Inch / chartDPI
	chartMargin = vg.Length(18)
	legendWidth = vg.Length(132)
)
