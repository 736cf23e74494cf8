package reports

import (
	"regexp"
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
// fit beside each other, even without those that may be left out: the first fixed
// columns open every block.
type table struct {
	rows  [][]cell // of equal length; the first is the head
	fixed int
	right bool  // the columns that are not fixed are aligned to the right, as numbers are
	drop  []int // columns that may be left out, the least important first
}

const gap = "  "

// widths are those of the columns.
func (t table) widths() []int {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	return widths
}

// fit leaves out as few columns as the width demands: first those with a zero in every
// row, then those of drop. It returns the heads of both sorts.
func (t table) fit(width int) (out table, zero, others []string) {
	used := -len(gap)
	widths := t.widths()
	for _, w := range widths {
		used += w + len(gap)
	}
	gone := map[int]bool{}
	for _, wanted := range []func(int) bool{t.isZero, func(int) bool { return true }} {
		for _, col := range t.drop {
			if width > 0 && used > width && !gone[col] && wanted(col) {
				gone[col] = true
				used -= widths[col] + len(gap)
			}
		}
	}
	for _, col := range slices.Backward(t.drop) { // there may be room again for a narrow one
		if gone[col] && !t.isZero(col) && used+len(gap)+widths[col] <= width {
			delete(gone, col)
			used += len(gap) + widths[col]
		}
	}
	for col, c := range t.rows[0] {
		switch {
		case !gone[col]:
		case t.isZero(col):
			zero = append(zero, c.text)
		default:
			others = append(others, c.text)
		}
	}
	out = table{fixed: t.fixed, right: t.right}
	for _, row := range t.rows {
		var kept []cell
		for col, c := range row {
			if !gone[col] {
				kept = append(kept, c)
			}
		}
		out.rows = append(out.rows, kept)
	}
	return out, zero, others
}

func (t table) isZero(col int) bool {
	return !slices.ContainsFunc(t.rows[1:], func(row []cell) bool { return row[col].text != "0" })
}

// layout formats a table; a width of 0 has no limit.
func (t table) layout(width int, s style) string {
	widths := t.widths()
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

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// seen is how many columns a text takes up.
func seen(s string) int { return utf8.RuneCountInString(escapes.ReplaceAllString(s, "")) }

// wrap breaks a line at its spaces so that no part is wider than the width, where 0
// means no limit; what follows a break is indented. end stands before a break.
func wrap(line string, width int, end string) string {
	const indent = "    "
	if width <= 0 || seen(line) <= width {
		return line
	}
	words := strings.Split(line, " ")
	out, used := words[0], seen(words[0])
	for i, w := range words[1:] {
		more := 0
		if i < len(words)-2 {
			more = len(end)
		}
		switch {
		case used+1+seen(w)+more <= width:
			out, used = out+" "+w, used+1+seen(w)
		case w == "":
		default:
			out, used = strings.TrimRight(out, " ")+end+"\n"+indent+w, len(indent)+seen(w)
		}
	}
	return out
}
