package reports

import (
	"io"
	"testing"
)

func BenchmarkViolationsPNG(b *testing.B) {
	sc := fixture(b, b.TempDir(), "expiry").Scenarios[0]
	for b.Loop() {
		if err := writePNG(io.Discard, violationsChart(sc)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	dir := b.TempDir()
	r := fixture(b, dir, "expiry", "gc-pause")
	for b.Loop() {
		if err := HTML(io.Discard, dir, r); err != nil {
			b.Fatal(err)
		}
	}
}
