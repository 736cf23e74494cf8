package reports_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lockchaos/simrun/reports"
)

// Read reads the results of an earlier run, which can then be drawn again.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	recorded := `{"version": 1, "verdict": "pass", "virtual_seconds": 3600, "wall_seconds": 2, "scenarios": [
		{"name": "expiry", "summary": "The work outlives the lease.", "verdict": "pass", "clients": 3, "lease_ms": 30000, "strategies": [
			{"name": "naive", "verdict": "pass", "runs": 100, "violations": {"overlap": {"count": 310, "runs": 100}}},
			{"name": "watchdog", "verdict": "pass", "runs": 100}]}]}`
	if err := os.WriteFile(filepath.Join(dir, reports.ResultsFile), []byte(recorded), 0o644); err != nil {
		log.Fatal(err)
	}

	r, err := reports.Read(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range r.Scenarios[0].Strategies {
		fmt.Println(s.Name, s.Verdict, s.Violations["overlap"].Count)
	}
	if err := reports.Terminal(os.Stdout, r, reports.TerminalOptions{}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// naive pass 310
	// watchdog pass 0
	// expiry  ✗ 1 of 2 locks are broken
	// The work outlives the lease.
	// 3 clients, lease 30 s; violations: count (runs)
	//
	// strategy  guarantee  as expected  runs  sections    overlap  aborted  rejected  wait p50  p99
	// naive     ✗ broken   yes           100         0  310 (100)        0         0       0 s  0 s
	// watchdog  ✓ holds    yes           100         0          0        0         0       0 s  0 s
	//
	// pass: as expected, which does not mean safe  1 scenario, 2 strategies, 200 runs; 60.0 min of virtual time in 2.00 s (1800 times real time)
}
