package virtual

import (
	"fmt"
	"testing"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// Toxiproxy's links without a toxic do not change a single byte, which is why a
// scenario whose faults need no toxics runs without them.
func TestLinksWithoutToxicsChangeNothing(t *testing.T) {
	for _, name := range []string{"expiry", "gc-pause", "crash"} {
		s, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range strategy.All() {
			var hashes [2]string
			for i, via := range []bool{false, true} {
				out := runVia(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: 3, Record: true}, via)
				hashes[i] = history.Hash(out.Header, out.Events)
			}
			if hashes[0] != hashes[1] {
				t.Errorf("%s/%s: %s directly, %s through links", name, st.Name, hashes[0], hashes[1])
			}
		}
	}
}

// Each toxic of Toxiproxy works on in-memory connections, leaves the proof that
// it was there, and replays.
func TestEveryToxic(t *testing.T) {
	for _, toxic := range []string{
		`{type: latency, attributes: {latency: 300, jitter: 200}, for: 20s, at: 1s}`,
		`{type: latency, stream: upstream, toxicity: 0.5, attributes: {latency: 300}, for: 20s, at: 1s}`,
		`{type: timeout, attributes: {timeout: 500}, for: 20s, at: 1s}`,
		`{type: timeout, attributes: {timeout: 0}, for: 20s, at: 1s}`,
		`{type: bandwidth, attributes: {rate: 1}, for: 20s, at: 1s}`,
		`{type: slow_close, attributes: {delay: 700}, for: 20s, at: 1s}`,
		`{type: slicer, attributes: {average_size: 4, size_variation: 2, delay: 900}, for: 20s, at: 1s}`,
		`{type: slicer, stream: downstream, attributes: {average_size: 5, size_variation: 1, delay: 300000}, for: 2m, at: 1s}`,
		`{type: latency, attributes: {latency: 30000}, for: 1m, at: 1s}`,
		`{type: limit_data, attributes: {bytes: 40}, for: 20s, at: 1s}`,
		`{type: reset_peer, attributes: {timeout: 100}, for: 20s, at: 1s}`,
	} {
		t.Run(toxic, func(t *testing.T) {
			s, err := scenarios.Parse("toxic.yaml", fmt.Appendf(nil, `
name: toxic
summary: One toxic, on everybody's connections.
clients: 3
sections: 2
work: 5s
faults:
  - toxic: {client: all, %s
expect:
  fenced: {overlap: none}
`, toxic[1:]))
			if err != nil {
				t.Fatal(err)
			}
			for _, st := range strategy.All() {
				seen := map[string]bool{}
				for range 4 {
					out := Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: 5, Record: true})
					seen[history.Hash(out.Header, out.Events)] = true
					if out.Report.Unknown != "" || len(out.Report.Findings) > 0 {
						t.Fatalf("%s: %q %v", st.Name, out.Report.Unknown, out.Report.Findings)
					}
				}
				if len(seen) != 1 {
					t.Errorf("%s: 4 replays gave %d histories", st.Name, len(seen))
				}
			}
		})
	}
}
