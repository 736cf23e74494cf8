package virtual_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/scenarios"
)

var update = flag.Bool("update", false, "write the hashes of the histories anew: what a seed means has changed, which CHANGELOG.md must say")

const pinned = "testdata/histories.txt" // scenario, strategy, hash of the history of seed 1

// A seed gives the same history, to the byte, in each replay and in each version.
func TestSameSeedSameBytes(t *testing.T) {
	text, err := os.ReadFile(pinned)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cell, hash, _ := cutLast(strings.TrimSpace(line))
		want[cell] = hash
	}
	var out strings.Builder
	for _, s := range scenarios.Builtin() {
		for _, st := range strategy.All() {
			cell := s.Name + " " + st.Name
			t.Run(s.Name+"/"+st.Name, func(t *testing.T) {
				seen := map[string]int{}
				var hash string
				for range replays {
					run := virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: 1, Record: true})
					hash = history.Hash(run.Header, run.Events)
					seen[hash]++
				}
				if len(seen) != 1 {
					t.Errorf("%d replays gave %d histories: %v", replays, len(seen), seen)
				}
				if !*update && hash != want[cell] {
					t.Errorf("the history of seed 1 is not what it was (%s, was %q); if that is wanted, -update writes %s anew", hash, want[cell], pinned)
				}
				if *update {
					want[cell] = hash
				}
			})
			fmt.Fprintln(&out, cell, want[cell])
		}
	}
	if *update {
		if err := os.WriteFile(pinned, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func cutLast(line string) (before, after string, found bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

// Different seeds must differ, or the hash above proves nothing.
func TestOtherSeedOtherBytes(t *testing.T) {
	for _, s := range scenarios.Builtin() {
		st, _ := strategy.Lookup("naive")
		seen := map[string]bool{}
		for seed := range uint64(3) {
			out := virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: seed + 1, Record: true})
			seen[history.Hash(history.Header{}, out.Events)] = true
		}
		if len(seen) != 3 {
			t.Errorf("%s: 3 seeds gave %d histories", s.Name, len(seen))
		}
	}
}
