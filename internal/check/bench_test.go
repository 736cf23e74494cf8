package check

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkReadAndCheck is the path of `simrun check`: its time for an event
// must not depend on how many there are.
func BenchmarkReadAndCheck(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h, events := busy(n)
			f := file(b, h, events)
			events = nil
			b.SetBytes(int64(len(f)))
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				r, err := readAndCheck(bytes.NewReader(f))
				if err != nil || len(r.Violations) > 0 {
					b.Fatal(err, r.Violations)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
		})
	}
}

// BenchmarkJudge is judging alone, as a run does while it goes on.
func BenchmarkJudge(b *testing.B) {
	const n = 100_000
	h, events := busy(n)
	b.ReportAllocs()
	for b.Loop() {
		All(h, events)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}
