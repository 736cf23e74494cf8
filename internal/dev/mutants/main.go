// Command mutants breaks simrun one line at a time and runs the tests: each
// break must make one fail. It proves that the checkers check and that the
// scenarios would notice a wrong lock.
//
// Goals: every break is a line that a tired engineer could have written; the
// tree is not touched (the go command's -overlay shows the tests a broken copy).
// Non-goals: a general mutation tester.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"sync"
)

func main() {
	only := flag.String("run", "", "only the mutants whose name matches this pattern")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(tryAll(ctx, *only))
}

func tryAll(ctx context.Context, only string) int {
	pattern, err := regexp.Compile(only)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: -run %q: %v\n", only, err)
		return 254
	}
	mutants, err := allMutants()
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: mutants.yaml: %v\n", err)
		return 255
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return !pattern.MatchString(m.Name) })
	code, survived := 0, 0
	for i, result := range results(ctx, mutants) {
		m, r := mutants[i], <-result
		switch {
		case r.err != nil:
			fmt.Printf("ERROR     %-45s %v\n", m.Name, r.err)
			code = 255
		case r.caught == "":
			fmt.Printf("SURVIVED  %-45s no test failed\n", m.Name)
			survived++
		default:
			fmt.Printf("caught    %-45s by %s\n", m.Name, r.caught)
		}
		if ctx.Err() != nil {
			return 2
		}
	}
	tried := len(mutants)
	fmt.Printf("%d mutants, %d survived\n", tried, survived)
	switch {
	case code != 0:
		return code
	case tried == 0:
		fmt.Fprintf(os.Stderr, "mutants: no mutant matches %q\n", only)
		return 254
	case survived > 0:
		return 1
	}
	return 0
}

// result is what became of one mutant.
type result struct {
	caught string
	err    error
}

// results tries mutants, as many at a time as there are cores: building a test takes
// longer than most tests. Those that run in real time are tried last and alone.
func results(ctx context.Context, mutants []mutant) []chan result {
	out := make([]chan result, len(mutants))
	for i := range out {
		out[i] = make(chan result, 1)
	}
	try := func(i int) {
		caught, err := mutants[i].try(ctx)
		out[i] <- result{caught, err}
	}
	go func() {
		var trying sync.WaitGroup
		free := make(chan struct{}, runtime.NumCPU())
		for i, m := range mutants {
			if m.realTime() {
				continue
			}
			free <- struct{}{}
			trying.Go(func() { try(i); <-free })
		}
		trying.Wait()
		for i, m := range mutants {
			if m.realTime() {
				try(i)
			}
		}
	}()
	return out
}
