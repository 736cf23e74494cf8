package chaos_test

import (
	"fmt"
	"time"

	"github.com/lockchaos/simrun/chaos"
)

// A fault is made from its entry in the vocabulary, and injected into a world.
func ExampleLookup() {
	spec, _ := chaos.Lookup("clock-jump")
	fault, err := spec.New(chaos.Args{Durations: map[string]time.Duration{"by": 31 * time.Second}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = fault.Inject(&fakeWorld{}, "", func(proof string) { fmt.Println(proof) })
	fmt.Println(err)
	// Output:
	// did jump clock 31s
	// <nil>
}
