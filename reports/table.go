package reports

import (
	"strings"
	"unicode/utf8"
)

// tone is what a piece of terminal text means; style turns it into colour.
type tone uint8

const (
	plain tone = iota
	dim
	good
	harm
	warn
	strong
)

// style writes tones as ANSI colours, or not at all.
type style struct{ colour bool }

var ansi = map[tone]string{dim: "\x1b[2m", good: "\x1b[32m", harm: "\x1b[31m", warn: "\x1b[33m", strong: "\x1b[1m"}

func (s style) paint(t tone, text string) string {
	code, ok := ansi[t]
	if !ok || !s.colour || text == "" {
		return text
	}
	return code + text + "\x1b[0m"
}

type cell struct {
	text string
	tone tone
}

// column is one column of a table; its cells are of equal number.
type column struct {
	head  string
	right bool // aligned to the right, as numbers are
	cells []cell
}

func (c column) width() int {
	w := utf8.RuneCountInString(c.head)
	for _, x := range c.cells {
		w = max(w, utf8.RuneCountInString(x.text))
	}
	return w
}

const gap = "  "

// layout writes columns below each other where they do not fit beside each
// other: the first fixed ones open every block. A width of 0 has no limit.
func layout(cols []column, fixed, width int, s style) string {
	var out strings.Builder
	for i, block := range blocks(cols, fixed, width) {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeBlock(&out, block, s)
	}
	return out.String()
}

func blocks(cols []column, fixed, width int) [][]column {
	base := 0
	for _, c := range cols[:fixed] {
		base += c.width() + len(gap)
	}
	var all [][]column
	block, used := cols[:fixed:fixed], base
	for _, c := range cols[fixed:] {
		w := c.width() + len(gap)
		if width > 0 && used+w-len(gap) > width && len(block) > fixed {
			all = append(all, block)
			block, used = cols[:fixed:fixed], base
		}
		block, used = append(block, c), used+w
	}
	return append(all, block)
}

func writeBlock(out *strings.Builder, cols []column, s style) {
	rows := 0
	for _, c := range cols {
		rows = max(rows, len(c.cells))
	}
	for row := -1; row < rows; row++ {
		var line strings.Builder
		for i, c := range cols {
			x := cell{c.head, dim}
			if row >= 0 {
				x = c.cells[row]
			}
			pad := strings.Repeat(" ", c.width()-utf8.RuneCountInString(x.text))
			last := i == len(cols)-1
			switch {
			case c.right:
				line.WriteString(pad + s.paint(x.tone, x.text))
			case last:
				line.WriteString(s.paint(x.tone, x.text))
			default:
				line.WriteString(s.paint(x.tone, x.text) + pad)
			}
			if !last {
				line.WriteString(gap)
			}
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
