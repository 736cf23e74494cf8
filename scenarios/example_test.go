package scenarios_test

import (
	"errors"
	"fmt"

	"github.com/lockchaos/simrun/scenarios"
)

func ExampleParse() {
	s, err := scenarios.Parse("gc.yaml", []byte(`
name: gc
summary: A holder stops for longer than its lease.
work: 15s..25s
faults:
  - pause: {for: 40s, on: entered, after: 1s..10s, every: 3}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Clients, "clients, lease", s.Lease, "work", s.Work)
	fmt.Println(s.Faults[0].ID, s.Faults[0].Text)
	// Output:
	// 3 clients, lease 30s work 15–25 s
	// 1:pause stops the whole process of the client for 40 s, 1–10 s after it entered, every 3rd time
}

func ExampleError() {
	_, err := scenarios.Parse("gc.yaml", []byte("name: gc\nsummary: A pause.\nwork: 30\n"))
	fmt.Println(err)
	fmt.Println(errors.Is(err, scenarios.ErrValue))
	// Output:
	// gc.yaml:3:7: work: "30" is not a duration; did you mean 30s?
	// true
}
