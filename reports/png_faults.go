package reports

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// faultView is where a fault, or several of a name at the same time, is drawn.
type faultView struct {
	spanView
	clients     []string
	left, right vg.Length
	text        string
	textAt      vg.Length // where it begins
	ground      color.Color
	row, rows   int // of the lane of faults
}

// placeFaults names each fault, in its box or beside it, and puts those that would
// hide one another in rows of their own.
func placeFaults(spans []spanView, d laneDrawing, x func(float64) vg.Length) []faultView {
	var all []faultView
	for _, s := range spans {
		left := x(seconds(max(s.From, d.from)))
		right := max(x(seconds(min(s.To, d.to))), left+2)
		i := slices.IndexFunc(all, func(f faultView) bool { return f.label == s.label && near(f.left, left) && near(f.right, right) })
		if i < 0 {
			i, all = len(all), append(all, faultView{spanView: s, left: left, right: right})
		}
		if s.Client != "" {
			all[i].clients = append(all[i].clients, s.Client)
		}
	}
	edge := x(seconds(d.to))
	var ends []vg.Length // of each row
	for i := range all {
		f := &all[i]
		f.text = strings.TrimSpace(f.label + " " + strings.Join(f.clients, ", "))
		wide := textWidth(f.text, 12)
		from, to := f.left, f.right
		switch {
		case wide+8 < f.right-f.left:
			f.ground, f.textAt = color.White, (f.left+f.right-wide)/2
		case f.right+4+wide < edge:
			f.ground, f.textAt, to = ink, f.right+4, f.right+4+wide
		default:
			f.ground, f.textAt, from = ink, f.left-4-wide, f.left-4-wide
		}
		f.row = slices.IndexFunc(ends, func(end vg.Length) bool { return end+6 < from })
		if f.row < 0 {
			f.row, ends = len(ends), append(ends, 0)
		}
		ends[f.row] = to
	}
	for i := range all {
		all[i].rows = len(ends)
	}
	return all
}

// near is too close for an eye.
func near(a, b vg.Length) bool { return a-b < 1.5 && b-a < 1.5 }
