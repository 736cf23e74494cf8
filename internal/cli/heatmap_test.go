package cli_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockchaos/simrun/internal/modversion"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/reports"
	"github.com/lockchaos/simrun/scenarios"
)

// The picture in README.md is the heat map of a run of all scenarios. It is drawn
// here from what is known of the reference locks, which other tests hold the runs to.
func TestPictureOfTheReadme(t *testing.T) {
	const path = "../../docs/heatmap.png"
	r := results.Results{Mode: "sim", Made: &results.Made{Simrun: modversion.Main()}}
	for _, s := range scenarios.Builtin() {
		sc := results.Scenario{Name: s.Name, LeaseMS: float64(s.Lease) / 1e6}
		for _, st := range strategy.All() {
			cell := results.Strategy{Name: st.Name, Runs: 100, Violations: map[string]results.Breach{}}
			breached, _ := strategy.KnownBreaches(s.Name, st.Name)
			for property := range breached {
				cell.Violations[property] = results.Breach{Runs: 1}
			}
			cell.JudgeGuarantee(true)
			sc.Strategies = append(sc.Strategies, cell)
		}
		r.Scenarios = append(r.Scenarios, sc)
	}
	dir := t.TempDir()
	if _, err := reports.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, reports.HeatMapFile))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if *update {
		got, err = want, os.WriteFile(path, want, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := differing(t, got, want); n > 300 { // processors round the edges of letters in their own ways
		t.Fatalf("%s is out of date, in %d pixels: go test ./internal/cli -run TestPictureOfTheReadme -update", path, n)
	}
}

// differing counts the pixels that are not alike.
func differing(t *testing.T, a, b []byte) (n int) {
	t.Helper()
	var pics [2]image.Image
	for i, encoded := range [][]byte{a, b} {
		var err error
		if pics[i], err = png.Decode(bytes.NewReader(encoded)); err != nil {
			t.Fatal(err)
		}
	}
	box := pics[0].Bounds()
	if box != pics[1].Bounds() {
		return max(box.Dx()*box.Dy(), 1<<20)
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := pics[0].At(x, y).RGBA()
			s, h, c, _ := pics[1].At(x, y).RGBA()
			if far(r, s) || far(g, h) || far(b, c) {
				n++
			}
		}
	}
	return n
}

func far(a, b uint32) bool { return max(a, b)-min(a, b) > 0x2000 }
