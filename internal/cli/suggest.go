package cli

import (
	"fmt"
	"strings"
)

// suggest names the valid word that is nearest to what was typed, or all of
// them where none is near.
func suggest(got string, valid []string) string {
	best, least := "", len(got)/2+1
	for _, word := range valid {
		d := distance(got, word)
		if len(got) > 1 && strings.HasPrefix(word, got) {
			d = 0
		}
		if d < least {
			best, least = word, d
		}
	}
	if best == "" {
		return "use one of " + strings.Join(valid, ", ")
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// distance is the number of single letters to insert, delete or replace to make
// b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
