package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/results"
)

// A comment of CI: worse first, texts of others as code, and what else may be a reason.
func TestDiffMarkdown(t *testing.T) {
	older, newer := fixture(t, t.TempDir(), "expiry", "gc-pause"), withMisfits(t, t.TempDir(), "expiry", "gc-pause")
	older.Made = &results.Made{Simrun: "v1.0.0"}
	sc := &newer.Scenarios[1]
	sc.Strategies[0].Violations = map[string]results.Breach{}
	sc.Strategies[0].JudgeGuarantee(true)
	sc.Strategies[1].Name = "a|b`@all"
	var out bytes.Buffer
	if err := DiffMarkdown(&out, results.Compare(older, newer)); err != nil {
		t.Fatal(err)
	}
	golden(t, "diff.md", out.Bytes())
}

func TestDiffSentence(t *testing.T) {
	r := fixture(t, t.TempDir(), "expiry")
	if got, want := diffSentence(results.Compare(r, r)), "6 cells are unchanged."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := diffSentence(results.Diff{}); !strings.Contains(got, "nothing to compare") {
		t.Errorf("nothing to compare: %q", got)
	}
}
