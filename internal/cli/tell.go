package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
)

// tellFirst tells each strategy's first violation from its recorded history.
func tellFirst(w io.Writer, dir string, r results.Results) error {
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
			tell(w, h, events, v.Violation)
		}
	}
	return nil
}

// tell writes a violation's numbered steps; a star marks those that prove it.
func tell(w io.Writer, h history.Header, events []history.Event, v check.Violation) {
	for i, s := range check.Narrate(h, events, v) {
		mark := " "
		if s.Key {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %2d. %11.6f s  %s\n", mark, i+1, float64(s.At)/1e9, s.Text)
	}
}
