package cli

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"text/tabwriter"
)

// help shows the verbs, the flags and the exit codes.
func help(e *env) (int, error) {
	p := program()
	fmt.Fprintf(e.out, `simrun shows when exactly a Redis lock stops excluding, and what that costs.

usage:
  %[1]s -scenario NAME|FILE|all [-strategy a,b] [-seeds N | -seed K] [-mode sim|live|both] [-out DIR]
  %[1]s list
  %[1]s explain NAME|FILE
  %[1]s check history.jsonl

`, p)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "verbs:")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %s\t%s\n", v.name, v.summary)
	}
	fmt.Fprintln(w, "\nflags:")
	(&flags{}).define().VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(w, "  -%s%s\t%s\n", f.Name, value, usage)
	})
	fmt.Fprintln(w, "\nexit codes:")
	for _, c := range []struct {
		code int
		text string
	}{
		{ExitPass, "pass: everything is as expected"},
		{ExitFail, "fail: an expectation did not hold, in either direction, or a lock misbehaved as a program"},
		{ExitUnknown, "unknown: too little evidence, or interrupted"},
		{ExitUsage, "bad arguments, or a file that cannot be understood; nothing ran"},
		{ExitInternal, "a fault of simrun itself"},
	} {
		fmt.Fprintf(w, "  %d\t%s\n", c.code, c.text)
	}
	return ExitPass, w.Flush()
}

// version shows the module's version and how it was built.
func version(e *env) (int, error) {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	fmt.Fprintf(e.out, "simrun %s %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return ExitPass, nil
}
