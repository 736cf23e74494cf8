package reports

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// picture is a chart that is yet to be drawn.
type picture struct {
	width, height vg.Length
	dpi           int
	draw          func(draw.Canvas) // within the margin
}

const (
	chartDPI    = 96
	sharpDPI    = 144 // of the pictures that are shown larger than one scenario's
	chartWidth  = 1200 * vg.Inch / chartDPI
	chartHeight = 700 * vg.Inch / chartDPI
	chartMargin = vg.Length(18)
	plainWidth  = chartWidth - 2*chartMargin
)

// writePNG draws a picture. A panic of the plot library, which panics where it
// cannot draw, becomes an error: a report must not die of a chart.
func writePNG(w io.Writer, pic *picture) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("drawing a chart: %v", r)
		}
	}()
	img := vgimg.NewWith(vgimg.UseWH(pic.width, pic.height), vgimg.UseDPI(pic.dpi), vgimg.UseBackgroundColor(color.White))
	pic.draw(draw.Crop(draw.New(img), chartMargin, -chartMargin, chartMargin, -chartMargin))
	_, err = vgimg.PngCanvas{Canvas: img}.WriteTo(w)
	return err
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// letterStyle is that of a text whose vertical middle is at its point.
func letterStyle(size vg.Length, c color.Color, x draw.XAlignment) draw.TextStyle {
	return draw.TextStyle{Font: sans(size), Color: c, XAlign: x, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
}

func textWidth(s string, size vg.Length) vg.Length {
	return letterStyle(size, ink, draw.XLeft).Width(s)
}

// fit shortens a text to a width.
func fit(s string, size, width vg.Length) string {
	if textWidth(s, size) <= width {
		return s
	}
	letters := []rune(s)
	for len(letters) > 0 && textWidth(string(letters)+"…", size) > width {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}

// write writes a text at x, with the middle of its small letters at y.
func write(c draw.Canvas, style draw.TextStyle, x, y vg.Length, s string) {
	c.FillText(style, vg.Point{X: x, Y: y + style.Font.Size/9}, s) // YCenter allows for descents
}

// fillBox fills the rectangle whose top left corner is x, y.
func fillBox(c draw.Canvas, x, y, width, height vg.Length, fill color.Color) vg.Rectangle {
	r := vg.Rectangle{Min: vg.Point{X: x, Y: y - height}, Max: vg.Point{X: x + width, Y: y}}
	c.SetColor(fill)
	c.Fill(r.Path())
	return r
}

// hatch draws slanted lines on a rectangle.
func hatch(c draw.Canvas, r vg.Rectangle, stroke color.Color) {
	part := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	const step = 7
	high := r.Max.Y - r.Min.Y
	// From a multiple of the step, so that the lines of neighbours meet.
	for x := vg.Length(int((r.Min.X-high)/step)) * step; x < r.Max.X; x += step {
		line := []vg.Point{{X: x, Y: r.Min.Y}, {X: x + high, Y: r.Max.Y}}
		part.StrokeLines(draw.LineStyle{Color: stroke, Width: 1.6}, part.ClipLinesXY(line)...)
	}
}

// key is an entry of a legend: a swatch, or a line, and what it stands for.
type key struct {
	label string
	fill  color.Color
	hatch color.Color     // nil: plain
	line  *draw.LineStyle // instead of a swatch
}

const (
	keySize   = vg.Length(12)
	keyHigh   = vg.Length(18)
	keySwatch = vg.Length(34)
	titleSize = vg.Length(17)
)

// keyRows breaks a legend into rows.
func keyRows(keys []key, width vg.Length) (rows [][]key) {
	var used vg.Length
	for _, k := range keys {
		wide := k.width(width)
		if len(rows) == 0 || used+wide > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		used += wide
	}
	return rows
}

func (k key) width(most vg.Length) vg.Length {
	return min(keySwatch+6+textWidth(k.label, keySize)+20, most)
}

// heading is what stands above a chart.
type heading struct {
	title, note string
	keys        []key
}

func (h heading) height(width vg.Length) vg.Length {
	high := titleSize + 14
	if h.note != "" {
		high += keyHigh
	}
	return high + keyHigh*vg.Length(len(keyRows(h.keys, width))) + 6
}

// draw draws the heading and returns what is left of the canvas.
func (h heading) draw(c draw.Canvas) draw.Canvas {
	x, width := c.Min.X, c.Max.X-c.Min.X
	y := c.Max.Y - titleSize/2
	write(c, letterStyle(titleSize, ink, draw.XLeft), x, y, fit(h.title, titleSize, width))
	y -= titleSize/2 + 14
	if h.note != "" {
		write(c, letterStyle(keySize, quiet, draw.XLeft), x, y, fit(h.note, keySize, width))
		y -= keyHigh
	}
	for _, row := range keyRows(h.keys, width) {
		at := x
		for _, k := range row {
			k.draw(c, at, y, width)
			at += k.width(width)
		}
		y -= keyHigh
	}
	return draw.Crop(c, 0, 0, 0, -h.height(width))
}

func (k key) draw(c draw.Canvas, x, y, most vg.Length) {
	if k.line != nil {
		c.StrokeLine2(*k.line, x, y, x+keySwatch, y)
	} else {
		r := fillBox(c, x, y+5, keySwatch, 10, k.fill)
		if k.hatch != nil {
			hatch(c, r, k.hatch)
		}
	}
	write(c, letterStyle(keySize, ink, draw.XLeft), x+keySwatch+6, y, fit(k.label, keySize, most-keySwatch-26))
}

// plotPicture draws a plot, in the style of all charts, below a heading.
func plotPicture(h heading, p *plot.Plot) *picture {
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(13)
		a.Label.TextStyle.Color = quiet
		a.Label.Padding = 6
		a.Tick.Label.Font = sans(12)
		a.Tick.Label.Color = ink
		a.LineStyle.Color = quiet
		a.Tick.LineStyle.Color = quiet
	}
	return &picture{chartWidth, chartHeight, chartDPI, func(c draw.Canvas) { p.Draw(h.draw(c)) }}
}
