package reports_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/reports"
)

// A recorded results.json is read strictly, and can be drawn again at any time.
func ExampleDecodeResults() {
	r, err := reports.DecodeResults(strings.NewReader(`{"version": 1, "verdict": "pass", "scenarios": [
		{"name": "expiry", "verdict": "pass", "strategies": [{"name": "naive", "verdict": "pass", "runs": 100}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Verdict, r.Scenarios[0].Strategies[0].Runs)
	_, err = reports.DecodeResults(strings.NewReader(`{"version": 1, "verdikt": "pass"}`))
	fmt.Println(err)
	// Output:
	// pass 100
	// not a valid results.json: json: unknown field "verdikt"
}

func ExampleTerminal() {
	r := results.Results{Version: 1, Verdict: results.Pass, VirtualSeconds: 3600, WallSeconds: 2, Scenarios: []results.Scenario{{
		Name: "expiry", Summary: "The work outlives the lease.", Verdict: results.Pass, Clients: 3, LeaseMS: 30000,
		Strategies: []results.Strategy{
			{Name: "naive", Verdict: results.Pass, Runs: 100, Violations: map[string]results.Breach{"overlap": {Count: 310, Runs: 100}}},
			{Name: "watchdog", Verdict: results.Pass, Runs: 100},
		},
	}}}
	if err := reports.Terminal(os.Stdout, r, reports.TerminalOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// expiry  ✓ pass
	// The work outlives the lease.
	// 3 clients, lease 30 s; violations are count (runs)
	//
	// strategy  verdict  runs  sections    overlap  aborted  rejected  wait p50  p99
	// naive     ✓ pass    100         0  310 (100)        0         0       0 s  0 s
	// watchdog  ✓ pass    100         0          0        0         0       0 s  0 s
	//
	// ✓ pass  1 scenario, 2 strategies, 200 runs; 60 min of virtual time in 2.00 s (1800 times real time)
}
