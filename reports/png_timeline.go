package reports

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/timeline"
)

var stateColours = map[timeline.State]color.RGBA{
	check.Waiting: idle, check.Inside: held, check.Lost: lost, check.Rollback: rolling,
	check.Releasing: idle, check.Dead: ink, timeline.Owned: slate, timeline.Fault: violet,
}

var stateNames = map[timeline.State]string{
	check.Waiting: "waiting", check.Inside: "inside, lease held", check.Lost: "inside, lease lost", check.Rollback: "rolling back",
	check.Releasing: "waiting", check.Dead: "crashed", timeline.Owned: "owns the key", timeline.Fault: "fault",
}

// timelineChart draws the part of a run that shows its violation: what each client
// was doing, who owned the key, and the faults.
func timelineChart(e *evidence) *picture {
	h, v := e.header, e.violation
	first := e.firstProof()
	margin := max((v.At-first)/10, int64(5e6))
	d := laneDrawing{newTimelineView(e.lanes, e), max(e.lanes.Start, first-margin), min(e.lanes.End, v.At+margin), v.At, v.Property}

	p := plot.New()
	p.X.Label.Text = "time, s"
	p.Add(d)
	p.X.Min, p.X.Max = seconds(d.from), max(seconds(d.to), seconds(d.from)+1e-6)
	p.X.Tick.Marker = timeTicks(p.X.Min, p.X.Max)
	p.Y.Min, p.Y.Max = 0, float64(len(d.Lanes))
	var names plot.ConstantTicks
	for i, name := range d.Lanes {
		if i == len(d.Lanes)-1 {
			name = "key's owner"
		}
		names = append(names, plot.Tick{Value: d.middle(i), Label: fit(name, 12, 160)})
	}
	p.Y.Tick.Marker = names
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	return plotPicture(heading{
		title: fmt.Sprintf("%s under %s, seed %d: %s at %s", h.Scenario, h.Strategy, h.Seed, v.Property, timeline.Clock(v.At)),
		keys:  d.keys(),
	}, p)
}

// keys explains the states that the window shows.
func (d laneDrawing) keys() (keys []key) {
	for _, state := range []timeline.State{
		check.Waiting, check.Inside, check.Lost, check.Rollback, check.Dead, timeline.Owned, timeline.Fault,
	} {
		shown := slices.ContainsFunc(d.Spans, func(s spanView) bool {
			return d.shows(s.Span) && stateNames[s.State] == stateNames[state]
		})
		if shown {
			keys = append(keys, key{label: stateNames[state], fill: stateColours[state], hatch: stateHatch(state)})
		}
	}
	return keys
}

// stateHatch tells a lost lease from a held one where colours do not.
func stateHatch(s timeline.State) color.Color {
	if s == check.Lost {
		return lostInk
	}
	return nil
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// laneDrawing is a plotter of a window of a timeline.
type laneDrawing struct {
	*timelineView
	from, to int64
	at       int64 // when the violation was complete
	name     string
}

func (d laneDrawing) shows(s timeline.Span) bool { return s.To >= d.from && s.From <= d.to }

// middle is the height of a lane's middle; the lowest lane is one high.
func (d laneDrawing) middle(lane int) float64 { return float64(len(d.Lanes)-lane) - 0.5 }

// Plot draws the lanes: below them the reach of the faults, above them the faults'
// names, so that neither hides another.
func (d laneDrawing) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	box := func(s timeline.Span, low, high float64, fill color.Color) vg.Rectangle {
		left := x(seconds(max(s.From, d.from)))
		wide := max(x(seconds(min(s.To, d.to)))-left, 1.2)
		return fillBox(c, left, y(high), wide, y(high)-y(low), fill)
	}
	var faults []spanView
	for _, s := range d.Spans {
		if s.State != timeline.Fault || !d.shows(s.Span) {
			continue
		}
		faults = append(faults, s)
		low, high := 0.0, d.middle(s.lane)-0.5
		if s.hits >= 0 {
			low, high = d.middle(s.hits)-0.5, d.middle(s.hits)+0.5
		}
		shade := color.NRGBA{violet.R, violet.G, violet.B, 0x2c}
		if s.From == s.To { // a line, which would be too faint
			shade.A = 0xa0
		}
		box(s.Span, low, high, shade)
	}
	type label struct {
		span  spanView
		box   vg.Rectangle
		paint color.Color
	}
	var labels []label
	for _, s := range d.Spans {
		if s.State == timeline.Fault || !d.shows(s.Span) {
			continue
		}
		half, ground := 0.3, color.Color(color.White)
		switch s.State {
		case check.Waiting, check.Releasing:
			half, ground = 0.12, ink
		case check.Inside, check.Rollback:
			ground = ink
		}
		mid := d.middle(s.lane)
		r := box(s.Span, mid-half, mid+half, stateColours[s.State])
		if h := stateHatch(s.State); h != nil {
			hatch(c, r, h)
		}
		labels = append(labels, label{s, r, ground})
	}
	if d.from <= d.at && d.at <= d.to {
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.6, Dashes: []vg.Length{5, 4}}, x(seconds(d.at)), y(0), x(seconds(d.at)), y(float64(len(d.Lanes))))
		write(c, letterStyle(12, ink, draw.XCenter), x(seconds(d.at)), y(float64(len(d.Lanes)))+9, d.name)
	}
	for _, l := range labels { // not hidden by the line
		wide := textWidth(l.span.label, 12)
		if wide+8 > l.box.Max.X-l.box.Min.X {
			continue
		}
		at := vg.Point{X: (l.box.Min.X + l.box.Max.X) / 2, Y: (l.box.Min.Y + l.box.Max.Y) / 2}
		fillBox(c, at.X-wide/2-3, at.Y+8, wide+6, 16, stateColours[l.span.State])
		write(c, letterStyle(12, l.paint, draw.XCenter), at.X, at.Y, l.span.label)
	}
	d.drawFaults(c, placeFaults(faults, d, x), y)
}

// drawFaults draws the lane of faults, in rows about its middle.
func (d laneDrawing) drawFaults(c draw.Canvas, faults []faultView, y func(float64) vg.Length) {
	for _, f := range faults {
		tall := min((y(0.9)-y(0))/vg.Length(f.rows), 26)
		top := y(d.middle(f.lane)) + tall*(vg.Length(f.rows)/2-vg.Length(f.row))
		fillBox(c, f.left, top-1, f.right-f.left, max(tall-2, 1), violet)
		if size := min(12, tall-2); size >= 7 {
			write(c, letterStyle(size, f.ground, draw.XLeft), f.textAt, top-tall/2, f.text)
		}
	}
}

// timeTicks marks whole seconds, or parts where the window is short.
func timeTicks(from, to float64) (ticks plot.ConstantTicks) {
	step, decimals := math.Pow(10, math.Floor(math.Log10(to-from))), 0
	for _, f := range []float64{0.1, 0.2, 0.5} {
		if (to-from)/(step*f) <= 10 {
			step *= f
			break
		}
	}
	for d := step; d < 0.999 && decimals < 6; d *= 10 {
		decimals++
	}
	for i := math.Ceil(from / step); i*step <= to; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'f', decimals, 64)})
	}
	return ticks
}
