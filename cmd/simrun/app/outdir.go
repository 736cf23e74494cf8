package app

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// outDir is a result folder that exists and can be written to.
type outDir struct {
	path   string
	latest bool // results/latest shall point to it
}

// resultsDir holds the result folders that nobody named.
const resultsDir = "results"

// openDir makes the result folder and tries to write in it, so that a run does
// not end without a place for its results.
func openDir(out, scenario string) (outDir, error) {
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
	f, err := os.CreateTemp(d.path, ".simrun-*")
	if err != nil {
		return d, usagef("-out: cannot write in the folder: %v", err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return d, usagef("-out: cannot remove a file in the folder: %v", err)
	}
	return d, nil
}

var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// freshDir makes results/<time>-<scenario>, with a number after it where two
// runs start within a second.
func freshDir(scenario string) (string, error) {
	if err := os.MkdirAll(resultsDir, 0o777); err != nil {
		return "", err
	}
	name := odd.ReplaceAllString(filepath.Base(scenario), "-")
	if len(name) > 40 {
		name = name[:40]
	}
	base := filepath.Join(resultsDir, time.Now().Format("20060102-150405")+"-"+name)
	for i := 1; ; i++ {
		path := base
		if i > 1 {
			path = fmt.Sprintf("%s-%d", base, i)
		}
		err := os.Mkdir(path, 0o777)
		if err == nil || !os.IsExist(err) {
			return path, err
		}
	}
}

// link lets results/latest point to the folder. Where the system has no
// symbolic links there is no such link.
func (d outDir) link() error {
	if !d.latest {
		return nil
	}
	link := filepath.Join(resultsDir, "latest")
	fresh := link + ".new"
	_ = os.Remove(fresh)
	if err := os.Symlink(filepath.Base(d.path), fresh); err != nil {
		return nil
	}
	return os.Rename(fresh, link)
}
