package reports

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockchaos/simrun/internal/text"
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

// row makes cells of one tone, each safe for a terminal.
func row(t tone, texts ...string) []cell {
	var out []cell
	for _, s := range texts {
		out = append(out, cell{text.OneLine(s), t})
	}
	return out
}

// table is written in blocks of columns, one below the other, where they do not all
// fit beside each other: the first fixed columns open every block.
type table struct {
	rows  [][]cell // of equal length; the first is the head
	fixed int
	right bool // the columns that are not fixed are aligned to the right, as numbers are
}

const gap = "  "

// layout formats a table; a width of 0 has no limit.
func (t table) layout(width int, s style) string {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	var out strings.Builder
	for i, block := range t.blocks(widths, width) {
		if i > 0 {
			out.WriteByte('\n')
		}
		for _, row := range t.rows {
			var line strings.Builder
			for _, col := range block {
				c := row[col]
				text, pad := s.paint(c.tone, c.text), strings.Repeat(" ", widths[col]-utf8.RuneCountInString(c.text))
				if t.right && col >= t.fixed {
					text, pad = pad, text
				}
				line.WriteString(text + pad + gap)
			}
			out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
	}
	return out.String()
}

// blocks splits the columns, given by their index.
func (t table) blocks(widths []int, width int) (all [][]int) {
	var block []int
	used := 0
	for col, w := range widths {
		if width > 0 && used+w > width && len(block) > t.fixed {
			all = append(all, block)
			used = 0
			for i := range t.fixed {
				used += widths[i] + len(gap)
			}
			block = slices.Clone(block[:t.fixed])
		}
		block, used = append(block, col), used+w+len(gap)
	}
	return append(all, block)
}
