package runner

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
)

// liveRun is a live run in which seed 2 overlaps.
func liveRun(j engine.Job) engine.Outcome {
	r := check.Report{Counters: check.Counters{Sections: 9}}
	if j.Seed == 2 {
		r.Violations = []check.Violation{{Property: "overlap", Text: "two were inside"}}
	}
	return engine.Outcome{Header: j.Header("sim"), Report: r, Events: []history.Event{{Seq: 1, Kind: history.End}}}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path, err = filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// Of a cell's histories, the one that the report refers to is kept, whether all
// seeds ran or the run was interrupted.
func TestALiveCellKeepsTheHistoryOfTheReport(t *testing.T) {
	for _, tt := range []struct {
		name string
		ends uint64 // the seed that is interrupted
		runs int
		seed uint64 // whose history is kept
		kept []string
	}{
		{"all seeds", 0, 5, 2, []string{"expiry/steady/history.jsonl"}},
		{"interrupted after the violation", 4, 3, 2, []string{"expiry/steady/history.jsonl"}},
		{"interrupted before the violation", 2, 1, 1, []string{"expiry/steady/history.jsonl"}},
		{"interrupted before anything", 1, 0, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			dir := t.TempDir()
			r, err := Run(ctx, planOf(t, 5, nil, "steady"), Options{Procs: 1, Dir: dir, Live: func(ctx context.Context, j engine.Job) (engine.Outcome, error) {
				if j.Seed == tt.ends {
					interrupt()
					return engine.Outcome{}, ctx.Err()
				}
				return liveRun(j), nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.kept, filesIn(t, dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if r.Interrupted != (tt.ends != 0) {
				t.Errorf("interrupted: %v", r.Interrupted)
			}
			if lacks := len(r.NotRun) == 1 && r.NotRun[0].Runs == tt.runs && r.NotRun[0].PlannedRuns == 5; lacks != r.Interrupted {
				t.Errorf("not run: %+v", r.NotRun)
			}
			if tt.runs == 0 {
				return
			}
			st := r.Scenarios[0].Strategies[0]
			if st.Runs != tt.runs || st.History != tt.kept[0] {
				t.Errorf("%d runs, history %q", st.Runs, st.History)
			}
			h, _, err := history.ReadFile(filepath.Join(dir, st.History))
			if err != nil || h.Seed != tt.seed {
				t.Errorf("history of seed %d, want %d: %v", h.Seed, tt.seed, err)
			}
		})
	}
}

func TestAFaultOfTheHarnessEndsAllLiveRuns(t *testing.T) {
	broken := errors.New("no more ports")
	_, err := Run(t.Context(), planOf(t, 3, nil, "steady"), Options{Live: func(context.Context, engine.Job) (engine.Outcome, error) {
		return engine.Outcome{}, broken
	}})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestLiveRunsThatAreDoneSurviveAFaultOfTheHarness(t *testing.T) {
	gone := errors.New("redis is gone")
	dir := t.TempDir()
	r, err := Run(t.Context(), planOf(t, 5, nil, "steady"), Options{Procs: 1, Dir: dir, Live: func(_ context.Context, j engine.Job) (engine.Outcome, error) {
		if j.Seed == 4 {
			return engine.Outcome{}, gone
		}
		return liveRun(j), nil
	}})
	if !errors.Is(err, gone) {
		t.Errorf("error %v, want %v", err, gone)
	}
	if !r.Interrupted || len(r.Scenarios) != 1 || r.Scenarios[0].Strategies[0].Runs != 3 {
		t.Errorf("%+v: want 3 runs, marked as interrupted", r)
	}
	if diff := cmp.Diff([]string{"expiry/steady/history.jsonl"}, filesIn(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
