package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
)

// judgeHistories judges recorded histories again, without what the scenario expects: a
// violation is a violation.
func judgeHistories(e *env) (int, error) {
	if len(e.args) == 0 {
		return 0, usagef("check needs a history, such as results/latest/expiry/naive/history.jsonl")
	}
	verdict := results.Pass
	for _, path := range e.args {
		h, events, err := history.ReadFile(path)
		if err != nil && !errors.Is(err, history.ErrTruncated) {
			return 0, usageError{err}
		}
		j := check.NewJudge(h)
		for i := range events {
			j.Event(&events[i])
		}
		r := j.Report()
		v := verdictOf(r)
		verdict = verdict.Worse(v)
		fmt.Fprintf(e.out, "%s: scenario %s, strategy %s, seed %d: %s\n", path, h.Scenario, h.Strategy, h.Seed, v)
		if r.Unknown != "" {
			fmt.Fprintf(e.out, "too little evidence: %s\n", r.Unknown)
		}
		for _, f := range r.Findings {
			fmt.Fprintf(e.out, "%s: %s\n%s\n", f.Class, f.Detail, f.Stack)
		}
		printCounts(e, r)
		printViolations(e, h, events, r)
	}
	return codeOf(verdict), nil
}

func verdictOf(r check.Report) results.Verdict {
	misbehaved := slices.ContainsFunc(r.Findings, func(f check.Finding) bool { return !check.OfSurroundings(f.Class) })
	switch {
	case len(r.Violations) > 0 || misbehaved:
		return results.Fail
	case r.Unknown != "":
		return results.Unknown
	default:
		return results.Pass
	}
}

// printCounts prints how often each property was breached, and how badly.
func printCounts(e *env, r check.Report) {
	n, worst := make(map[string]int), make(map[string]int64)
	for _, v := range r.Violations {
		n[v.Property]++
		worst[v.Property] = max(worst[v.Property], v.Size)
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	for _, p := range check.Properties {
		size := ""
		if n[p.Name] > 0 && p.Unit == check.Nanoseconds {
			size = fmt.Sprintf("worst %.3f s", float64(worst[p.Name])/1e9)
		}
		fmt.Fprintf(w, "  %s\t%d\t%s\t%s\n", p.Name, n[p.Name], size, p.Broken)
	}
	w.Flush()
}

// printViolations prints the first violation of each property, or all with -v.
func printViolations(e *env, h history.Header, events []history.Event, r check.Report) {
	shown := make(map[string]bool)
	for _, v := range r.Violations {
		if shown[v.Property] && !e.flags.verbose {
			continue
		}
		shown[v.Property] = true
		fmt.Fprintf(e.out, "\n%s: %s\n", v.Property, v.Text)
		narrate(e.out, h, events, v)
	}
}

// narrateFirst prints each strategy's first violation from its recorded history.
func narrateFirst(w io.Writer, dir string, r results.Results) error {
	for _, sc := range r.Scenarios {
		for _, st := range sc.Strategies {
			v := st.FirstViolation
			if v == nil || st.History == "" {
				continue
			}
			h, events, err := history.ReadFile(filepath.Join(dir, filepath.FromSlash(st.History)))
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "\n%s, %s, seed %d: %s: %s\n", sc.Name, st.Name, v.Seed, v.Property, v.Violation.Text)
			narrate(w, h, events, v.Violation)
		}
	}
	return nil
}

// narrate prints a violation's numbered steps; a star marks those that prove it.
func narrate(w io.Writer, h history.Header, events []history.Event, v check.Violation) {
	for i, s := range check.Narrate(h, events, v) {
		fmt.Fprintln(w, s.Line(i+1))
	}
}
