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
	switch {
	case d.Verdict() == results.Fail:
		return ExitFail, nil
	case d.New.Interrupted || !d.Comparable():
		return ExitUnknown, nil
	default:
		return ExitPass, nil
	}
}

// drawAgain draws the reports of an old result folder anew, from its results and
// histories alone. Those of both modes have a folder each, and a page that compares them.
func drawAgain(e *env) (int, error) {
	if len(e.args) != 1 {
		return 0, usagef("report needs one result folder, such as %s report results/latest", program())
	}
	dir := e.args[0]
	if !exists(filepath.Join(dir, reports.AgreementFile)) {
		return ExitPass, drawFolder(e, dir)
	}
	a, err := reports.ReadAgreement(dir)
	if err != nil {
		return 0, usagef("report: %w", err)
	}
	var folders []string
	for _, folder := range []string{virtualFolder, liveFolder, againFolder} {
		if !exists(filepath.Join(dir, folder, reports.ResultsFile)) {
			continue
		}
		if err := drawFolder(e, filepath.Join(dir, folder)); err != nil {
			return 0, err
		}
		folders = append(folders, folder)
		fmt.Fprintln(e.out)
	}
	return ExitPass, concludeBoth(e, dir, a, folders)
}

func drawFolder(e *env, dir string) error {
	if f, err := os.Stat(dir); err == nil && !f.IsDir() {
		return usagef("report: %s is a file; name the folder that it is in", dir)
	}
	r, err := readResults(dir)
	if err != nil {
		return usagef("report: %w", err)
	}
	files, err := reports.Write(dir, r)
	if err != nil {
		return usagef("report: not everything can be drawn: %w", err)
	}
	return show(e, dir, r, files)
}
