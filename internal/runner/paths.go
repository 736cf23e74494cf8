package runner

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// longestFolder is the length in bytes of a folder's name at most: a system may
// refuse more than 255, and people read it. A valid scenario's name fits.
const longestFolder = 64

var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// Histories lists where the histories of a run go, one a cell, as paths with
// slashes in the result folder.
func (p Plan) Histories() []string { return slices.Concat(p.histories()...) }

// histories are those of each scenario's strategies, in the order of the plan.
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

// folders gives each name a folder that is safe whatever the name is, and its
// own, also where capitals are small letters: a number tells two of a kind apart.
func folders(names []string) []string {
	var out []string
	taken := make(map[string]bool)
	for _, name := range names {
		whole := cmp.Or(odd.ReplaceAllString(name, "-"), "-")
		dir := whole[:min(len(whole), longestFolder)]
		for n := 2; taken[strings.ToLower(dir)]; n++ {
			number := "-" + strconv.Itoa(n)
			dir = whole[:min(len(whole), longestFolder-len(number))] + number
		}
		taken[strings.ToLower(dir)] = true
		out = append(out, dir)
	}
	return out
}
