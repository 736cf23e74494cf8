package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/history"
)

// TestNarrate narrates the first violation of the property that each case of
// testdata/tell.txt names after "tell ".
func TestNarrate(t *testing.T) {
	path := filepath.Join("testdata", "tell.txt")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	told := map[string]bool{}
	for _, c := range splitCases(t, string(b)) {
		head, text, _ := strings.Cut(c.history, "\n")
		name := strings.TrimPrefix(head, "tell ")
		told[name] = true
		h, events := script(t, text)
		got := story(t, h, events, name)
		out.WriteString("# " + c.name + "\n" + c.history + got + "\n")
		if d := cmp.Diff(c.want, got); d != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	for _, p := range Properties {
		if !told[p.Name] {
			t.Errorf("no case tells %s", p.Name)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.TrimSuffix(out.String(), "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func story(t *testing.T, h history.Header, events []history.Event, property string) string {
	t.Helper()
	for _, v := range All(h, events).Violations {
		if v.Property != property {
			continue
		}
		var out string
		for i, s := range Narrate(h, events, v) {
			mark := ""
			if s.Key {
				mark = " *"
			}
			out += fmt.Sprintf("=> %d. %.3f s  %s%s\n", i+1, float64(s.At)/1e9, s.Text, mark)
		}
		return out
	}
	t.Errorf("no violation of %s", property)
	return ""
}

// TestStoriesHoldTheirProofs: whatever the history, each proof is told once, in
// order, and a story is no longer than it may be.
func TestStoriesHoldTheirProofs(t *testing.T) {
	for seed := range uint64(20) {
		h, events := wild(seed, 400)
		for _, v := range All(h, events).Violations {
			steps := Narrate(h, events, v)
			var proofs []int
			for _, s := range steps {
				if s.Key {
					proofs = append(proofs, s.Seq)
				}
			}
			if !slices.Equal(proofs, v.Events) {
				t.Errorf("seed %d: %+v is told with the proofs %v", seed, v, proofs)
			}
			if len(steps) > max(maxSteps, len(v.Events)) {
				t.Errorf("seed %d: %d steps", seed, len(steps))
			}
			if !slices.IsSortedFunc(steps, func(a, b Step) int { return a.Seq - b.Seq }) {
				t.Errorf("seed %d: steps out of order: %v", seed, steps)
			}
		}
	}
}

func TestNarrateWithoutProofsIsEmpty(t *testing.T) {
	h, events := wild(1, 50)
	if steps := Narrate(h, events, Violation{Property: "overlap"}); len(steps) != 0 {
		t.Errorf("got %v", steps)
	}
}
