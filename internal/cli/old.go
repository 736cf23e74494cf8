package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/reports"
)

// readResults reads the results of an earlier run: its folder, or results.json under
// any name.
func readResults(path string) (results.Results, error) {
	f, err := os.Stat(path)
	switch {
	case path == "":
		return results.Results{}, errors.New("the name is empty; name a result folder, such as results/latest")
	case err == nil && !f.IsDir():
		return reports.ReadFile(path)
	case err != nil:
		return results.Results{}, fmt.Errorf("%w; name a result folder, such as results/latest, or its %s", err, reports.ResultsFile)
	}
	r, err := reports.Read(path)
	if !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	if exists(filepath.Join(path, virtualFolder, reports.ResultsFile)) {
		return r, fmt.Errorf("%s holds the results of both modes; name one: %s or %s", path,
			filepath.Join(path, virtualFolder), filepath.Join(path, liveFolder))
	}
	return r, fmt.Errorf("%s is no result folder: it has no %s", path, reports.ResultsFile)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// diffResults prints what changed from one result folder to another.
func diffResults(e *env) (int, error) {
	if len(e.args) != 2 {
		return 0, usagef("diff needs two result folders, the older first, such as %s diff main-report results/latest", program())
	}
	var both [2]results.Results
	for i, path := range e.args {
		r, err := readResults(path)
		if err != nil {
			return 0, usagef("diff: %w", err)
		}
		both[i] = r
	}
	d := results.Compare(both[0], both[1])
	if err := reports.DiffMarkdown(e.out, d); err != nil {
		return 0, err
	}
	if d.Count(results.Worse) > 0 {
		return ExitFail, nil
	}
	return ExitPass, nil
}
