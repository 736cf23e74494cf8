package reports

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/timeline"
)

var stateColours = map[timeline.State]color.RGBA{
	check.Waiting: idle, check.Inside: held, check.Lost: lost, check.Rollback: rolling,
	check.Releasing: idle, check.Dead: ink, timeline.Owned: slate, timeline.Fault: violet,
}

// timelineChart draws the part of a run that shows its violation: what each client
// was doing, who owned the key, and the faults.
func timelineChart(e *evidence) *plot.Plot {
	h, v := e.header, e.violation
	first := e.firstProof()
	margin := max((v.At-first)/10, int64(5e6))
	d := laneDrawing{newTimelineView(e.lanes, e), max(e.lanes.Start, first-margin), min(e.lanes.End, v.At+margin), v.At}

	title := fmt.Sprintf("%s under %s, seed %d: %s at %s", h.Scenario, h.Strategy, h.Seed, v.Property, timeline.Clock(v.At))
	p := newPlot(title, "time, s", "")
	p.Add(d)
	p.X.Min, p.X.Max = seconds(d.from), max(seconds(d.to), seconds(d.from)+1e-6)
	p.Y.Min, p.Y.Max = 0, float64(len(d.Lanes))
	var names plot.ConstantTicks
	for i, name := range d.Lanes {
		if i == len(d.Lanes)-1 {
			name = "key's owner"
		}
		names = append(names, plot.Tick{Value: d.middle(i), Label: name})
	}
	p.Y.Tick.Marker = names
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	p.Y.Tick.Label.Font = sans(13)
	for _, s := range []struct {
		name  string
		state timeline.State
	}{
		{"waiting", check.Waiting}, {"inside", check.Inside}, {"inside, lost", check.Lost},
		{"rolling back", check.Rollback}, {"crashed", check.Dead}, {"owns the key", timeline.Owned}, {"fault", timeline.Fault},
	} {
		p.Legend.Add(s.name, &plotter.Polygon{Color: stateColours[s.state]})
	}
	return p
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// laneDrawing is a plotter of a window of a timeline.
type laneDrawing struct {
	*timelineView
	from, to int64
	at       int64 // when the violation was complete
}

// middle is the height of a lane's middle; the lowest lane is one high.
func (d laneDrawing) middle(lane int) float64 { return float64(len(d.Lanes)-lane) - 0.5 }

// Plot draws the lanes.
func (d laneDrawing) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	box := func(s timeline.Span, low, high float64, fill color.Color) vg.Rectangle {
		r := vg.Rectangle{
			Min: vg.Point{X: x(seconds(max(s.From, d.from))), Y: y(low)},
			Max: vg.Point{X: x(seconds(min(s.To, d.to))), Y: y(high)},
		}
		r.Max.X = max(r.Max.X, r.Min.X+1.2)
		c.SetColor(fill)
		c.Fill(r.Path())
		return r
	}
	for _, s := range d.Spans {
		if s.To < d.from || s.From > d.to {
			continue
		}
		half, text := 0.3, s.label
		style := draw.TextStyle{Color: color.White, Font: sans(12), XAlign: draw.XCenter, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
		switch s.State {
		case check.Waiting, check.Releasing:
			half, style.Color = 0.12, ink
		case timeline.Fault:
			half, text = 0.18, strings.TrimSpace(s.label+" "+s.Client)
		}
		mid := d.middle(s.lane)
		r := box(s.Span, mid-half, mid+half, stateColours[s.State])
		if style.Width(text)+8 < r.Max.X-r.Min.X {
			c.FillText(style, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, text)
		}
		if s.State == timeline.Fault { // shade the lanes that it hits
			low, high := 0.0, mid-0.5
			if s.hits >= 0 {
				low, high = d.middle(s.hits)-0.5, d.middle(s.hits)+0.5
			}
			box(s.Span, low, high, color.NRGBA{violet.R, violet.G, violet.B, 0x2c})
		}
	}
	if d.from <= d.at && d.at <= d.to {
		c.StrokeLine2(draw.LineStyle{Color: lost, Width: 1.6, Dashes: []vg.Length{5, 4}}, x(seconds(d.at)), y(0), x(seconds(d.at)), y(float64(len(d.Lanes))))
	}
}
