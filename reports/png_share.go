package reports

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// share is a part of some runs.
type share struct {
	Of      float64 // from 0 to 1
	Text    string  // in percent, or why there is no number
	Runs    string  // "3 of 20 runs"
	missing bool    // nothing is known
}

// shareOf is the share of a lock's runs; with too little evidence, none is no share.
func shareOf(s results.Strategy, n int) share {
	out := share{Text: percentText(n, s.Runs), Runs: fmt.Sprintf("%s of %s", text.Number(n), text.Count(s.Runs, "run"))}
	if n == 0 && (s.Guarantee == results.Unclear || s.Runs == 0) {
		return share{Text: "?", Runs: "too little evidence", missing: true}
	}
	if s.Runs > 0 {
		out.Of = min(float64(n)/float64(s.Runs), 1)
	}
	return out
}

// percentText rounds to whole percent, but neither to none nor to all.
func percentText(n, of int) string {
	switch p := 100 * float64(n) / float64(max(of, 1)); {
	case n > 0 && p < 1:
		return "< 1 %"
	case n < of && p > 99:
		return "> 99 %"
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}

// shareRow is a row of bars, one for each strategy.
type shareRow struct {
	Name   string
	Shares []share
}

// violationRows returns the violated properties of a scenario, each with the share
// of runs that violated it for each strategy.
func violationRows(strategies []results.Strategy) (rows []shareRow) {
	for _, p := range properties(strategies...) {
		row, most := shareRow{Name: p}, 0
		for _, s := range strategies {
			n := s.Violations[p].Runs
			row.Shares, most = append(row.Shares, shareOf(s, n)), max(most, n)
		}
		if most > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// violationsChart draws in how many of its runs each strategy violated each
// property; nil if none did.
func violationsChart(sc results.Scenario) *picture {
	rows := violationRows(sc.Strategies)
	if len(rows) == 0 {
		return nil
	}
	names := strategyNames(Results{Scenarios: []results.Scenario{sc}})
	note := runsPerCell(Results{Scenarios: []results.Scenario{sc}})
	return sharePicture(heading{title: sc.Name + ": share of each lock's runs with a violation", note: note}, names, rows, chartDPI)
}

// brokenChart draws in how many of its runs each lock broke in each scenario, in any
// way; nil if none did.
func brokenChart(r Results) *picture {
	names := strategyNames(r)
	var rows []shareRow
	broke := false
	for _, sc := range r.Scenarios {
		row := shareRow{Name: sc.Name}
		for _, name := range names {
			s := findStrategy(sc, name)
			if s == nil {
				row.Shares = append(row.Shares, share{Text: "not run", missing: true})
				continue
			}
			n := s.Broke()
			part := shareOf(*s, n)
			if s.BrokenRuns == 0 && n > 0 && n < s.Runs {
				part.Text = "≥ " + part.Text // of an older file, only the least is known
			}
			row.Shares = append(row.Shares, part)
			broke = broke || n > 0
		}
		rows = append(rows, row)
	}
	if !broke {
		return nil
	}
	return sharePicture(heading{title: "Share of runs in which each lock broke, in any way", note: provenance(r)}, names, rows, sharpDPI)
}

const (
	shareHigh  = vg.Length(24)
	numberWide = vg.Length(46)
	panelGap   = vg.Length(14)
)

// sharePicture draws one panel of bars for each column, side by side: neither needs
// a colour to be told from another.
func sharePicture(h heading, columns []string, rows []shareRow, dpi int) *picture {
	if anyShare(rows, "?") {
		h.note += "; ?: too little evidence"
	}
	var names vg.Length
	for _, r := range rows {
		names = max(names, textWidth(r.Name, 13))
	}
	names = min(names, 220) + 12
	n := vg.Length(max(len(columns), 1))
	panel := max((plainWidth-names)/n, numberWide+panelGap+30)
	width := max(names+panel*n, plainWidth)
	top := h.height(width)
	high := top + 22 + shareHigh*vg.Length(len(rows)) + 22
	return &picture{width + 2*chartMargin, high + 2*chartMargin, dpi, func(c draw.Canvas) {
		c = h.draw(c)
		bar := panel - numberWide - panelGap
		for i, name := range columns {
			x := c.Min.X + names + panel*vg.Length(i)
			write(c, letterStyle(13, ink, draw.XLeft), x, c.Max.Y-8, fit(name, 13, panel-panelGap))
			foot := c.Max.Y - 22 - shareHigh*vg.Length(len(rows))
			for _, at := range []vg.Length{0, 0.5, 1} {
				c.StrokeLine2(draw.LineStyle{Color: rule, Width: 1}, x+bar*at, c.Max.Y-20, x+bar*at, foot-4)
			}
			write(c, letterStyle(10, quiet, draw.XLeft), x, foot-12, "0")
			write(c, letterStyle(10, quiet, draw.XCenter), x+bar, foot-12, "100 %")
		}
		for i, r := range rows {
			y := c.Max.Y - 22 - shareHigh*vg.Length(i)
			mid := y - shareHigh/2
			write(c, letterStyle(13, ink, draw.XLeft), c.Min.X, mid, fit(r.Name, 13, names-12))
			for j, s := range r.Shares {
				s.draw(c, c.Min.X+names+panel*vg.Length(j), mid, bar)
			}
		}
	}}
}

func (s share) draw(c draw.Canvas, x, y, bar vg.Length) {
	text := quiet
	if s.Of > 0 {
		text = ink
	}
	if !s.missing {
		fillBox(c, x, y+6, bar, 12, track)
	}
	if s.Of > 0 {
		fillBox(c, x, y+6, max(bar*vg.Length(s.Of), 1.5), 12, lost)
	}
	write(c, letterStyle(12, text, draw.XLeft), x+bar+5, y, s.Text)
}

func anyShare(rows []shareRow, text string) bool {
	for _, r := range rows {
		for _, s := range r.Shares {
			if s.Text == text {
				return true
			}
		}
	}
	return false
}
