// Package text writes for people what several packages have to write alike.
//
// Goals: one form for each kind of thing.
// Non-goals: sentences, which belong to whoever has something to say.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Number formats a whole number, from 10 000 on in groups of three: "12 345".
func Number(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	if len(s) > 4 {
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "\u00a0" + s[i:]
		}
	}
	return sign + s
}

// Count formats a number of things that a regular noun names: "1 run",
// "2 strategies".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y {
		noun = stem + "ie"
	}
	return Number(n) + " " + noun + "s"
}

// OneLine makes text safe for one line of a terminal: control characters and line
// separators, which an author or a lock under test may put into it, become spaces.
func OneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, s))
}

// Suggest proposes a remedy for a word that is not valid: the nearest valid one,
// or all of them where none is near.
func Suggest(got string, valid []string) string {
	if word := nearest(got, valid); word != "" {
		return fmt.Sprintf("did you mean %q?", word)
	}
	return "use one of " + strings.Join(valid, ", ")
}

// nearest returns the first valid word that got abbreviates, or else the one with
// the fewest edits from got, the first of equals; "" if more than half of the
// letters would change.
func nearest(got string, valid []string) string {
	const longest = 64 // a longer word is no misspelling, and would cost time
	if len(got) > longest {
		return ""
	}
	got = strings.ReplaceAll(strings.ToLower(got), "_", "-")
	best, least := "", len(got)/2+1
	for _, word := range valid {
		if len(got) > 1 && strings.HasPrefix(word, got) {
			return word
		}
		if edits := levenshtein.ComputeDistance(got, word); edits < least {
			best, least = word, edits
		}
	}
	return best
}
