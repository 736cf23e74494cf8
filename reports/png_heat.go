package reports

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// runRange is the least and the most runs of a cell.
func runRange(r Results) (least, most int) {
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			if most == 0 || s.Runs < least {
				least = s.Runs
			}
			most = max(most, s.Runs)
		}
	}
	return least, most
}

func runsPerCell(r Results) string {
	least, most := runRange(r)
	if least != most {
		return fmt.Sprintf("%s to %s per cell", text.Number(least), text.Count(most, "run"))
	}
	return text.Count(most, "run") + " per cell"
}

// provenance says of a picture what it rests on.
func provenance(r Results) string {
	facts := []string{runsPerCell(r), "virtual time"}
	if r.Mode == "live" {
		facts[1] = "live"
	}
	if r.Made != nil {
		facts = append(facts, "simrun "+r.Made.Simrun)
	}
	if r.Interrupted {
		facts = append(facts, "interrupted: not complete")
	}
	return strings.Join(facts, " · ")
}

const heatHigh = vg.Length(26)

// heatMap draws the worst that each lock lets happen in each scenario, as a word on
// its colour.
func heatMap(r Results) *picture {
	names := strategyNames(r)
	if len(names) == 0 {
		return nil
	}
	h := heading{title: "The worst that each lock let happen", note: provenance(r)}
	for _, v := range levelViews {
		if occurs(r, v.level) {
			h.keys = append(h.keys, key{label: v.level + ": " + v.means, fill: v.fill, hatch: v.hatch})
		}
	}
	label, lease := textWidth("scenario", 13), textWidth("lease", 13)
	for _, sc := range r.Scenarios {
		label, lease = max(label, textWidth(sc.Name, 13)), max(lease, textWidth(leaseText(sc), 12))
	}
	label = min(label, 220) + 14
	left := label + lease + 14
	n := vg.Length(len(names))
	column := max((plainWidth-left)/n, 92)
	width := left + column*n
	high := h.height(width) + heatHigh*vg.Length(len(r.Scenarios)+1)
	return &picture{width + 2*chartMargin, high + 2*chartMargin, sharpDPI, func(c draw.Canvas) {
		c = h.draw(c)
		_, most := runRange(r)
		head := letterStyle(13, quiet, draw.XLeft)
		y := c.Max.Y - heatHigh/2
		write(c, head, c.Min.X, y, "scenario")
		write(c, head, c.Min.X+label, y, "lease")
		for i, name := range names {
			x := c.Min.X + left + column*(vg.Length(i)+0.5)
			write(c, letterStyle(13, ink, draw.XCenter), x, y, fit(name, 13, column-6))
		}
		for row, sc := range r.Scenarios {
			y := c.Max.Y - heatHigh*vg.Length(row+1)
			write(c, letterStyle(13, ink, draw.XLeft), c.Min.X, y-heatHigh/2, fit(sc.Name, 13, label-14))
			write(c, letterStyle(12, quiet, draw.XLeft), c.Min.X+label, y-heatHigh/2, leaseText(sc))
			for i, name := range names {
				drawHeat(c, vg.Rectangle{
					Min: vg.Point{X: c.Min.X + left + column*vg.Length(i), Y: y - heatHigh},
					Max: vg.Point{X: c.Min.X + left + column*vg.Length(i+1), Y: y},
				}, findStrategy(sc, name), most)
			}
		}
	}}
}

// drawHeat draws a cell; one of fewer runs than others says so.
func drawHeat(c draw.Canvas, r vg.Rectangle, s *results.Strategy, most int) {
	middle := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
	if s == nil {
		write(c, letterStyle(12, quiet, draw.XCenter), middle.X, middle.Y, "not run")
		return
	}
	v := viewOf(level(*s))
	box := fillBox(c, r.Min.X+1, r.Max.Y-1, r.Max.X-r.Min.X-2, r.Max.Y-r.Min.Y-2, v.fill)
	if v.hatch != nil {
		hatch(c, box, v.hatch)
	}
	word := v.level
	if s.Runs < most {
		word += fmt.Sprintf(" (%s)", text.Count(s.Runs, "run"))
	}
	write(c, letterStyle(12, v.text, draw.XCenter), middle.X, middle.Y, fit(word, 12, box.Max.X-box.Min.X-4))
}

func viewOf(level string) levelView {
	i := slices.IndexFunc(levelViews, func(v levelView) bool { return v.level == level })
	if i < 0 {
		i = len(levelViews) - 1 // as little is known of it
	}
	return levelViews[i]
}

func occurs(r Results, want string) bool {
	return slices.ContainsFunc(r.Scenarios, func(sc results.Scenario) bool {
		return slices.ContainsFunc(sc.Strategies, func(s results.Strategy) bool { return viewOf(level(s)).level == want })
	})
}

func leaseText(sc results.Scenario) string {
	if sc.LeaseMS <= 0 {
		return ""
	}
	return exactMillis(sc.LeaseMS)
}
