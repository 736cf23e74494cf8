package runner

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress is how far a run has got.
type Progress struct {
	Runs, Cells int    // in all
	Ran, Ended  int    // of them, done
	Cell        string // the cell that ended last; empty if none has
	Done        bool   // there will be no more progress
}

// Bar draws a progress bar on a terminal. A bar that cannot be drawn does not
// stop a run.
func Bar(w io.Writer) func(Progress) {
	var bar *progressbar.ProgressBar
	return func(p Progress) {
		if bar == nil {
			bar = progressbar.NewOptions(p.Runs,
				progressbar.OptionSetWriter(w),
				progressbar.OptionSetDescription("running seeds"),
				progressbar.OptionShowCount(),
				progressbar.OptionShowIts(),
				progressbar.OptionSetItsString("runs"),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionSetWidth(30),
				progressbar.OptionClearOnFinish(),
			)
		}
		_ = bar.Set(p.Ran)
		switch {
		case p.Done:
			_ = bar.Clear()
			bar = nil
		case p.Cell != "":
			bar.Describe(p.Cell)
		}
	}
}

const lineEvery = 2 * time.Second

// Lines prints a line every two seconds, for output that is not a terminal.
func Lines(w io.Writer) func(Progress) {
	var next time.Time
	return func(p Progress) {
		now := time.Now()
		if p.Ran == 0 {
			next = now.Add(lineEvery)
		}
		if now.After(next) && !p.Done {
			next = now.Add(lineEvery)
			fmt.Fprintf(w, "%d of %d runs, %d of %d cells\n", p.Ran, p.Runs, p.Ended, p.Cells)
		}
	}
}
