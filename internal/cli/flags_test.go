package cli

import (
	"slices"
	"testing"
)

func TestFlagsMayStandAnywhere(t *testing.T) {
	for _, args := range [][]string{
		{"-v", "check", "a.jsonl"},
		{"check", "-v", "a.jsonl"},
		{"check", "a.jsonl", "--v"},
		{"check", "a.jsonl", "-v=true"},
	} {
		f, rest, err := parseFlags(args)
		if err != nil || !f.verbose || !slices.Equal(rest, []string{"check", "a.jsonl"}) || len(f.values) != 1 || !f.given("v") {
			t.Errorf("%q: %+v, %q, %v", args, f, rest, err)
		}
	}
}

func TestWithoutSeedsThereAreAHundred(t *testing.T) {
	f, _, err := parseFlags([]string{"-scenario", "expiry"})
	if err != nil || f.seeds != 100 || f.given("seeds") || f.given("seed") {
		t.Errorf("%+v, %v", f, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-scenario\x00expiry\x00-seeds\x003")
	f.Add("check\x00-v\x00--\x00x")
	f.Add("-seed=\x00-h")
	f.Fuzz(func(t *testing.T, line string) {
		args := splitNul(line)
		fl, _, err := parseFlags(args)
		if err == nil && (fl.seeds < 1 || fl.given("seed") && fl.seed == 0) {
			t.Errorf("%q is taken for %+v", args, fl)
		}
	})
}

func splitNul(s string) []string {
	var out []string
	start := 0
	for i := range len(s) {
		if s[i] == 0 {
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}
