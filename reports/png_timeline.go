package reports

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/timeline"
)

// timelinePNG draws the part of a run that shows its violation: what each client
// was doing, who owned the key, and the faults.
func timelinePNG(w io.Writer, e *evidence) (err error) {
	h, v := e.header, *e.violation
	defer undrawn(h.Scenario, &err)
	first := e.firstProof()
	margin := max((v.At-first)/10, int64(5e6))
	d := &laneDrawing{t: e.lanes, from: max(e.lanes.Start, first-margin), to: min(e.lanes.End, v.At+margin), v: v}

	title := fmt.Sprintf("%s under %s, seed %d: %s at %s", h.Scenario, h.Strategy, h.Seed, v.Property, timeline.Clock(v.At))
	p := newPlot(title, "time, s", "")
	p.Add(d)
	p.X.Min, p.X.Max = float64(d.from)/1e9, max(float64(d.to)/1e9, float64(d.from)/1e9+1e-6)
	p.Y.Min, p.Y.Max = 0, float64(d.count())
	p.Y.Tick.Marker = plot.ConstantTicks(d.names())
	p.Y.Tick.Length = 0
	p.Y.LineStyle.Width = 0
	p.Y.Tick.Label.Font = sans(13)

	legend := legendOf()
	for _, s := range []struct {
		name  string
		state timeline.State
	}{
		{"waiting", timeline.Waiting}, {"inside", timeline.Inside}, {"inside, lost", timeline.Lost},
		{"rolling back", timeline.Rollback}, {"crashed", timeline.Dead}, {"owns the key", timeline.Owned}, {"fault", timeline.Fault},
	} {
		legend.Add(s.name, square{stateColour(s.state)})
	}
	return savePNG(w, p, &legend)
}

func stateColour(s timeline.State) color.Color {
	switch s {
	case timeline.Inside:
		return held
	case timeline.Lost:
		return lost
	case timeline.Rollback:
		return rolling
	case timeline.Dead:
		return ink
	case timeline.Owned:
		return slate
	case timeline.Fault:
		return violet
	default:
		return idle
	}
}

// laneDrawing is a plotter. Lanes count from the top: faults if there are
// any, the clients, Redis.
type laneDrawing struct {
	t        timeline.Timeline
	from, to int64
	v        check.Violation
}

func (d *laneDrawing) faults() int {
	if len(d.t.Faults) > 0 {
		return 1
	}
	return 0
}

func (d *laneDrawing) count() int { return d.faults() + len(d.t.Clients) + 1 }

// middle is the height of a lane's middle.
func (d *laneDrawing) middle(lane int) float64 { return float64(d.count()-lane) - 0.5 }

func (d *laneDrawing) names() []plot.Tick {
	var out []plot.Tick
	add := func(name string) { out = append(out, plot.Tick{Value: d.middle(len(out)), Label: name}) }
	if d.faults() > 0 {
		add("faults")
	}
	for _, c := range d.t.Clients {
		add(c.Name)
	}
	add("key's owner")
	return out
}

// Plot draws the lanes.
func (d *laneDrawing) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	pen := lanePen{d: d, c: &c, x: x, y: y}
	for _, s := range d.t.Faults {
		pen.span(0, s, strings.TrimSpace(history.FaultName(s.Fault)+" "+s.Client), 0.18)
		pen.band(s)
	}
	for i, l := range d.t.Clients {
		for _, s := range l.Spans {
			half := 0.3
			if s.State == timeline.Waiting || s.State == timeline.Releasing {
				half = 0.12
			}
			pen.span(d.faults()+i, s, spanText(s), half)
		}
	}
	for _, s := range d.t.Redis.Spans {
		pen.span(d.count()-1, s, s.Owner, 0.3)
	}
	pen.moment(d.v.At, lost)
}

type lanePen struct {
	d    *laneDrawing
	c    *draw.Canvas
	x, y func(float64) vg.Length
}

func (p *lanePen) box(from, to int64, low, high float64) (vg.Rectangle, bool) {
	if to < p.d.from || from > p.d.to {
		return vg.Rectangle{}, false
	}
	from, to = max(from, p.d.from), min(to, p.d.to)
	r := vg.Rectangle{
		Min: vg.Point{X: p.x(float64(from) / 1e9), Y: p.y(low)},
		Max: vg.Point{X: p.x(float64(to) / 1e9), Y: p.y(high)},
	}
	r.Max.X = max(r.Max.X, r.Min.X+1.2)
	return r, true
}

func (p *lanePen) fill(r vg.Rectangle, col color.Color) {
	p.c.FillPolygon(col, []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}})
}

func (p *lanePen) span(lane int, s timeline.Span, text string, half float64) {
	mid := p.d.middle(lane)
	r, ok := p.box(s.From, s.To, mid-half, mid+half)
	if !ok {
		return
	}
	p.fill(r, stateColour(s.State))
	style := draw.TextStyle{Color: color.White, Font: sans(12), XAlign: draw.XCenter, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
	if s.State == timeline.Waiting || s.State == timeline.Releasing {
		style.Color = ink
	}
	if style.Width(text)+8 < r.Max.X-r.Min.X {
		p.c.FillText(style, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, text)
	}
}

// band shades the lanes that a fault hits.
func (p *lanePen) band(s timeline.Span) {
	low, high := 0.0, float64(p.d.count()-p.d.faults())
	for i, c := range p.d.t.Clients {
		if c.Name == s.Client {
			mid := p.d.middle(p.d.faults() + i)
			low, high = mid-0.5, mid+0.5
		}
	}
	if r, ok := p.box(s.From, s.To, low, high); ok {
		p.fill(r, color.NRGBA{violet.R, violet.G, violet.B, 0x2c})
	}
}

// moment draws a line through all lanes.
func (p *lanePen) moment(at int64, col color.Color) {
	if r, ok := p.box(at, at, 0, float64(p.d.count())); ok {
		p.c.StrokeLine2(draw.LineStyle{Color: col, Width: 1.6, Dashes: []vg.Length{5, 4}}, r.Min.X, r.Min.Y, r.Min.X, r.Max.Y)
	}
}
