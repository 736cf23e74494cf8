package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/lockchaos/simrun/sim/results"
)

// Agreement prints where a virtual and a live run agree: every cell that does
// not, and every one that depends on timing, with its reason.
func Agreement(w io.Writer, a results.Agreement) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "scenario\tstrategy\tproperty\tvirtual\tlive\t\twhy it may differ")
	for _, c := range a.Cells {
		if c.Agree && c.Why == "" {
			continue
		}
		mark := "≈"
		if !c.Agree {
			mark = "✗"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d of %d\t%d of %d\t%s\t%s\n", c.Scenario, c.Strategy, c.Property, c.Virtual, c.VirtualRuns, c.Live, c.LiveRuns, mark, c.Why)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%.1f %% of %d cells agree\n", 100*a.Share(), len(a.Cells))
	return err
}

// WriteAgreement writes agreement.json into dir.
func WriteAgreement(dir string, a results.Agreement) (string, error) {
	path := filepath.Join(dir, "agreement.json")
	b, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return "", fmt.Errorf("agreement: %w", err)
	}
	return path, writeFile(path, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}
