package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/reports"
)

// outDir is a result folder that exists and can be written to.
type outDir struct {
	path   string
	latest bool // results/latest should point to it
}

// resultsDir holds the result folders for which -out was not given.
const resultsDir = "results"

// openDir makes the result folder and tries to write in it, so that a run does
// not end without a place for its results. The files, paths with slashes in the
// folder, are those that the run will write.
func openDir(out, scenario string, files []string) (outDir, error) {
	d := outDir{path: out, latest: out == ""}
	if d.latest {
		path, err := freshDir(scenario)
		if err != nil {
			return d, usagef("cannot make a result folder: %v; name another with -out", err)
		}
		d.path = path
	} else if err := os.MkdirAll(out, 0o777); err != nil {
		return d, usagef("-out: cannot make the folder: %v", err)
	}
	if err := roomFor(d.path, files); err != nil {
		return d, err
	}
	probe, err := os.MkdirTemp(d.path, ".simrun-*")
	if err == nil {
		err = os.Remove(probe)
	}
	if err != nil {
		return d, usagef("-out: cannot write in the folder: %v", err)
	}
	return d, nil
}

// roomFor rejects a folder that holds something where a file, or a folder of files,
// must go.
func roomFor(dir string, files []string) error {
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if f, err := os.Stat(path); err == nil && f.IsDir() {
			return usagef("-out: %s is a folder, but a file of that name must be written", path)
		}
		for up := filepath.Dir(path); len(up) > len(filepath.Clean(dir)); up = filepath.Dir(up) {
			if f, err := os.Stat(up); err == nil && !f.IsDir() {
				return usagef("-out: %s is a file, but a folder of that name must be made", up)
			}
		}
	}
	return nil
}

// written lists the files that a run of p writes into its result folder, or may
// write.
func written(p runner.Plan, mode string) []string {
	histories := p.Histories()
	files := slices.Concat(histories, reports.Files(outline(histories)))
	if mode != modeBoth {
		return files
	}
	both := []string{reports.AgreementFile, reports.AgreementPage}
	for _, folder := range []string{virtualFolder, liveFolder, againFolder} {
		for _, f := range files {
			both = append(both, path.Join(folder, f))
		}
	}
	return both
}

// outline makes results without content from the paths of histories,
// scenario/strategy/file, with those of one scenario next to each other.
func outline(histories []string) (r reports.Results) {
	for _, h := range histories {
		dir, strategy := path.Split(path.Dir(h))
		if n := len(r.Scenarios); n == 0 || r.Scenarios[n-1].Name != dir {
			r.Scenarios = append(r.Scenarios, results.Scenario{Name: dir})
		}
		sc := &r.Scenarios[len(r.Scenarios)-1]
		sc.Strategies = append(sc.Strategies, results.Strategy{Name: strategy, History: h})
	}
	return r
}

var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// freshDir makes results/<time>-<scenario>, with a number after it where two
// runs start within a second.
func freshDir(scenario string) (string, error) {
	if err := os.MkdirAll(resultsDir, 0o777); err != nil {
		return "", err
	}
	name := odd.ReplaceAllString(filepath.Base(scenario), "-")
	base := filepath.Join(resultsDir, time.Now().Format("20060102-150405")+"-"+name[:min(len(name), 40)])
	path := base
	for n := 2; ; n++ {
		err := os.Mkdir(path, 0o777)
		if !errors.Is(err, os.ErrExist) {
			return path, err
		}
		path = fmt.Sprintf("%s-%d", base, n)
	}
}

// link makes results/latest point to the folder, where the system has symbolic
// links. It replaces nothing but a link.
func (d outDir) link() error {
	if !d.latest {
		return nil
	}
	link := filepath.Join(resultsDir, "latest")
	if f, err := os.Lstat(link); err == nil && f.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s exists and is not a link: move it away", link)
	}
	fresh := link + ".new"
	_ = os.Remove(fresh)
	if err := os.Symlink(filepath.Base(d.path), fresh); err != nil {
		return nil
	}
	if err := os.Rename(fresh, link); err != nil {
		_ = os.Remove(fresh)
		return err
	}
	return nil
}

// linkOrWarn warns if there can be no link: the results are there all the same.
func (d outDir) linkOrWarn(w io.Writer) {
	if err := d.link(); err != nil {
		fmt.Fprintf(w, "simrun: no link to the latest results: %v\n", err)
	}
}

// The folders of -mode both in its result folder.
const (
	virtualFolder = "sim"
	liveFolder    = "live"
	againFolder   = "live-again" // only where a cell did not agree at once
)
