package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/reports"
)

// The number of processes shows in the wall clock alone, in no other byte.
func TestResultsDoNotDependOnTheNumberOfCores(t *testing.T) {
	root := t.TempDir()
	load := func(procs string) (results.Results, []byte) {
		dir := filepath.Join(root, procs)
		Main([]string{"-scenario", "expiry,gc-pause", "-strategy", "naive,fenced", "-seeds", "4", "-procs", procs, "-out", dir, "-q"}, io.Discard, io.Discard)
		r, err := reports.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		h, err := os.ReadFile(filepath.Join(dir, "gc-pause", "naive", "history.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return r, h
	}
	one, history := load("1")
	for _, procs := range []string{"2", "4"} {
		many, again := load(procs)
		if diff := cmp.Diff(one, many, cmpopts.IgnoreFields(results.Results{}, "WallSeconds", "Made"), cmpopts.IgnoreFields(results.Strategy{}, "WallSeconds")); diff != "" {
			t.Errorf("%s processes against one:\n%s", procs, diff)
		}
		if string(history) != string(again) {
			t.Errorf("%s processes record another history than one", procs)
		}
	}
}
