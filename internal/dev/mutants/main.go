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
	code := 0
	survived, tried := 0, 0
	for _, m := range mutants {
		if !pattern.MatchString(m.Name) {
			continue
		}
		tried++
		caught, err := m.try(ctx)
		switch {
		case err != nil:
			fmt.Printf("ERROR     %-45s %v\n", m.Name, err)
			code = 255
		case caught == "":
			fmt.Printf("SURVIVED  %-45s no test failed\n", m.Name)
			survived++
		default:
			fmt.Printf("caught    %-45s by %s\n", m.Name, caught)
		}
		if ctx.Err() != nil {
			return 2
		}
	}
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
