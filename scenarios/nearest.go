package scenarios

import "strings"

// suggest names the valid word that is nearest to what was written, or lists
// them all where none is near.
func suggest(got string, valid []string) string {
	if word := nearest(got, valid); word != "" {
		return `did you mean "` + word + `"?`
	}
	return "use one of " + strings.Join(valid, ", ")
}

// nearest is the valid word with the fewest edits from got, the first of equals;
// it is empty if more than a third of the letters would change.
func nearest(got string, valid []string) string {
	const longest = 64 // a longer word is no misspelling, and would cost time
	if len(got) > longest {
		return ""
	}
	got = strings.ReplaceAll(strings.ToLower(got), "_", "-")
	best, fewest := "", 0
	for _, word := range valid {
		edits := distance(got, word)
		if edits <= max(len(got), len(word), 3)/3 && (best == "" || edits < fewest) {
			best, fewest = word, edits
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour that lead from a to b (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(replace, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
