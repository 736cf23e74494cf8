package reports

import (
	"fmt"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// waitsView is the chart of waiting times, in the units of its view box.
type waitsView struct {
	Width, Height, Left, Right, Top, Bottom int // Left to Bottom bound the plane
	XTicks, YTicks                          []waitTick
	Lines                                   []waitLine
}

type waitTick struct{ At, Text string }

type waitLine struct {
	Name  string
	Class int // colour, by the strategy's place
	Path  string
}

// newWaitsView returns nil where nothing was measured.
func newWaitsView(strategies []results.Strategy) *waitsView {
	v := &waitsView{Width: 440, Height: 250, Left: 42, Right: 406, Top: 10, Bottom: 216}
	ax := newWaitAxis(strategies)
	x := func(part float64) float64 { return float64(v.Left) + part*float64(v.Right-v.Left) }
	y := func(part float64) float64 { return float64(v.Bottom) - part*float64(v.Bottom-v.Top) }
	for i, s := range strategies {
		curve := ax.curve(s)
		if len(curve) == 0 {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "M%.1f %.1f", x(curve[0].X), y(0))
		for _, p := range curve {
			fmt.Fprintf(&b, "L%.1f %.1f", x(p.X), y(p.Y))
		}
		v.Lines = append(v.Lines, waitLine{s.Name, i % 8, b.String()})
	}
	if len(v.Lines) == 0 {
		return nil
	}
	for _, t := range ax.ticks() {
		v.XTicks = append(v.XTicks, waitTick{fmt.Sprintf("%.1f", x(ax.place(t))), exactMillis(t)})
	}
	for _, p := range []float64{0, 0.25, 0.5, 0.75, 1} {
		v.YTicks = append(v.YTicks, waitTick{fmt.Sprintf("%.1f", y(p)), fmt.Sprintf("%.0f %%", 100*p)})
	}
	return v
}
