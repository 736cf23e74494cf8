package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
)

// A viewer drops slices of one track that overlap without one being in the other.
func TestSlicesOfATraceNest(t *testing.T) {
	dir := t.TempDir()
	Main([]string{"-scenario", "expiry,gc-pause,standby,partition,redis-restart,slow-replies,failover", "-seeds", "1", "-out", dir, "-q"}, io.Discard, io.Discard)
	Main([]string{"-scenario", overlappingFaults(t), "-strategy", "naive,guarded", "-seeds", "1", "-out", filepath.Join(dir, "faults"), "-q"}, io.Discard, io.Discard)
	traces, _ := filepath.Glob(filepath.Join(dir, "*", "*", "trace.json"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*", "trace.json"))
	further := 0
	for _, path := range append(traces, more...) {
		tracks, arrows, err := readTrace(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, slices := range tracks {
			if name[1] > 10 {
				further++
			}
			var open []int64 // the ends of the slices around
			for _, s := range slices {
				for len(open) > 0 && open[len(open)-1] <= s[0] {
					open = open[:len(open)-1]
				}
				if len(open) > 0 && s[1] > open[len(open)-1] {
					t.Errorf("%s: process %d, track %d: the slice from %d to %d ns goes beyond the one around it, which ends at %d", path, name[0], name[1], s[0], s[1], open[len(open)-1])
				}
				open = append(open, s[1])
			}
		}
		want := arrowsOf(t, filepath.Join(filepath.Dir(path), "history.jsonl"))
		if arrows != want {
			t.Errorf("%s: %d arrows, want one for each of %d violations", path, arrows, want)
		}
	}
	if len(traces) < 30 || len(more) != 2 || further == 0 {
		t.Errorf("%d and %d traces, %d further tracks: that tests little", len(traces), len(more), further)
	}
}

// readTrace returns the slices of each track, by process and thread, in nanoseconds as
// a viewer reads them, in the order of the file; and how many arrows there are.
func readTrace(path string) (tracks map[[2]int][][2]int64, arrows int, err error) {
	b, err := os.ReadFile(path)
	var file struct {
		Events []struct {
			Phase    string `json:"ph"`
			TS, Dur  float64
			PID, TID int
		} `json:"traceEvents"`
	}
	if err = errors.Join(err, json.Unmarshal(b, &file)); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	tracks = map[[2]int][][2]int64{}
	for _, e := range file.Events {
		track := [2]int{e.PID, e.TID}
		switch e.Phase {
		case "X":
			from := int64(e.TS * 1000)
			tracks[track] = append(tracks[track], [2]int64{from, from + int64(e.Dur*1000)})
		case "s":
			arrows++
		}
	}
	return tracks, arrows, nil
}

// arrowsOf counts the violations that more than one event proves.
func arrowsOf(t *testing.T, path string) (n int) {
	h, events, err := history.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	j := check.NewJudge(h)
	for i := range events {
		j.Event(&events[i])
	}
	for _, v := range j.Report().Violations {
		if len(v.Events) > 1 {
			n++
		}
	}
	return n
}

func overlappingFaults(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "overlapping.yaml")
	err := os.WriteFile(path, []byte(`name: overlapping
summary: Two faults of the same client overlap.
work: 20s
faults:
  - partition: {at: 10s, for: 30s, client: A}
  - pause: {at: 20s, for: 60s, client: A}
  - partition: {at: 30s, for: 60s, client: A}
expect:
  naive: {leak: none}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
