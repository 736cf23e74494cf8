package testneeds_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
)

// witness is a test that goes on.
type witness struct{ said string }

func (*witness) Helper()          {}
func (w *witness) Skip(a ...any)  { w.said = "skip: " + fmt.Sprint(a...) }
func (w *witness) Fatal(a ...any) { w.said = "fatal: " + fmt.Sprint(a...) }

func TestAMissingProgramSkipsOnALaptopAndFailsInCI(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, tt := range []struct {
		ci    string
		names []string
		path  string
		said  string
	}{
		{"", []string{"there"}, there, ""},
		{"1", []string{"there"}, there, ""},
		{"1", []string{"gone", "there"}, there, ""},
		{"", []string{"gone"}, "", "skip: there is no gone in $PATH"},
		{"1", []string{"gone"}, "", "fatal: there is no gone in $PATH, and SIMRUN_CI is set"},
		{"", []string{"gone", "lost"}, "", "skip: there is no gone and no lost in $PATH"},
	} {
		t.Setenv(testneeds.CI, tt.ci)
		var w witness
		if path := testneeds.Program(&w, tt.names...); path != tt.path || w.said != tt.said {
			t.Errorf("%q, %s=%q: %q and %q, want %q and %q", tt.names, testneeds.CI, tt.ci, path, w.said, tt.path, tt.said)
		}
	}
}
