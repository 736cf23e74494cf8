package runner

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/lockchaos/simrun/internal/history"
)

// maxFolder is the longest name of a folder, in bytes: a system may refuse more
// than 255, and people read it. The name of a valid scenario fits.
const maxFolder = 64

var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// Histories lists the files that hold the histories of a run, one for each cell,
// as slash-separated paths in the result folder.
func (p Plan) Histories() []string { return slices.Concat(p.histories()...) }

// histories lists them by scenario and strategy, in the order of the plan.
func (p Plan) histories() [][]string {
	var scenarios []string
	for _, in := range p.Scenarios {
		scenarios = append(scenarios, in.Scenario.Name)
	}
	all := make([][]string, len(p.Scenarios))
	for i, dir := range folders(scenarios) {
		for _, sub := range folders(p.Strategies(p.Scenarios[i].Scenario)) {
			all[i] = append(all[i], path.Join(dir, sub, "history.jsonl"))
		}
	}
	return all
}

// folders returns a distinct folder name for each name, safe whatever the name is.
// Names that differ only in case, as some file systems do not distinguish them,
// are told apart by a number.
func folders(names []string) []string {
	var out []string
	taken := make(map[string]bool)
	for _, name := range names {
		whole := cmp.Or(odd.ReplaceAllString(name, "-"), "-")
		dir := whole[:min(len(whole), maxFolder)]
		for n := 2; taken[strings.ToLower(dir)]; n++ {
			number := "-" + strconv.Itoa(n)
			dir = whole[:min(len(whole), maxFolder-len(number))] + number
		}
		taken[strings.ToLower(dir)] = true
		out = append(out, dir)
	}
	return out
}

// record writes a history whole or not at all.
func record(file string, h history.Header, events []history.Event) error {
	var b bytes.Buffer
	w := history.NewWriter(&b, h)
	for i := range events {
		w.Event(&events[i])
	}
	err := w.Close()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	if err == nil {
		err = maybe.WriteFile(file, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}
