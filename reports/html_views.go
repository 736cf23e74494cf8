package reports

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

type verdictView struct{ Word, Sign, Text string }

func viewVerdict(v results.Verdict) verdictView {
	return verdictView{v.String(), sign(v).text, strings.ToLower(headline(v))}
}

// anchor makes an id for a fragment of an address.
func anchor(parts ...string) string {
	for i := range parts {
		parts[i] = strings.Trim(notWord.ReplaceAllString(strings.ToLower(parts[i]), "-"), "-")
	}
	return strings.Join(parts, "--")
}

var notWord = regexp.MustCompile(`[^a-z0-9.]+`)

func headline(v results.Verdict) string {
	switch v {
	case results.Pass:
		return "As expected"
	case results.Fail:
		return "Not as expected"
	default:
		return "Too little evidence"
	}
}
