package reports

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// timeRow is how long the clients of a lock were inside, and for which part of it
// without the lease.
type timeRow struct {
	Name       string
	Held, Lost float64 // parts of one
	Text       string
}

// timeRows leaves out locks that let nobody in. It returns none if no lock lost a
// lease: there is nothing to compare.
func timeRows(strategies []results.Strategy) (rows []timeRow) {
	if !slices.ContainsFunc(strategies, func(s results.Strategy) bool { return s.LostMS > 0 }) {
		return nil
	}
	for _, s := range strategies {
		if s.InsideMS <= 0 {
			continue
		}
		gone := min(max(s.LostMS/s.InsideMS, 0), 1)
		rows = append(rows, timeRow{s.Name, 1 - gone, gone, lostText(s) + " of " + millis(s.InsideMS)})
	}
	return rows
}

// timeChart draws which part of the time that clients spent in the critical section
// they spent without the lease; nil if none did.
func timeChart(sc results.Scenario) *picture {
	rows := timeRows(sc.Strategies)
	if len(rows) == 0 {
		return nil
	}
	h := heading{title: sc.Name + ": time in the critical section without the lease", note: "all clients and runs"}
	var names, texts vg.Length
	heldSome := false
	for _, r := range rows {
		names, texts = max(names, textWidth(r.Name, 13)), max(texts, textWidth(r.Text, 12))
		heldSome = heldSome || r.Held > 0
	}
	if heldSome {
		h.keys = append(h.keys, key{label: stateNames[check.Inside], fill: held})
	}
	h.keys = append(h.keys, key{label: stateNames[check.Lost], fill: lost, hatch: lostInk})
	const rowHigh = 34
	names = min(names, 220) + 12
	bar := plainWidth - names - texts - 10
	high := h.height(plainWidth) + rowHigh*vg.Length(len(rows)) + 20
	return &picture{chartWidth, high + 2*chartMargin, chartDPI, func(c draw.Canvas) {
		c = h.draw(c)
		x := c.Min.X + names
		for i, r := range rows {
			y := c.Max.Y - rowHigh*vg.Length(i) - rowHigh/2
			write(c, letterStyle(13, ink, draw.XLeft), c.Min.X, y, fit(r.Name, 13, names-12))
			fillBox(c, x, y+10, bar*vg.Length(r.Held), 20, held)
			if r.Lost > 0 {
				wide := max(bar*vg.Length(r.Lost), 1.5)
				hatch(c, fillBox(c, x+bar-wide, y+10, wide, 20, lost), lostInk)
			}
			write(c, letterStyle(12, ink, draw.XLeft), x+bar+8, y, r.Text)
		}
		for _, at := range []int{0, 25, 50, 75, 100} {
			write(c, letterStyle(11, quiet, draw.XCenter), x+bar*vg.Length(at)/100, c.Max.Y-rowHigh*vg.Length(len(rows))-10, fmt.Sprintf("%d %%", at))
		}
	}}
}
