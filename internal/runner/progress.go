package runner

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress hears how far a run is. Its methods are called from several
// goroutines.
type Progress interface {
	Start(runs, cells int) // anew, where it was started before
	Ran(n int)             // n more runs are done
	Cell(text string)      // a cell is done, in a few words
	Done()
}

type quiet struct{}

func (quiet) Start(int, int) {}
func (quiet) Ran(int)        {}
func (quiet) Cell(string)    {}
func (quiet) Done()          {}

// Bar is a progress bar for a terminal.
type Bar struct {
	W   io.Writer
	bar *progressbar.ProgressBar
}

// Start draws the bar.
func (b *Bar) Start(runs, _ int) {
	b.bar = progressbar.NewOptions(runs,
		progressbar.OptionSetWriter(b.W),
		progressbar.OptionSetDescription("running seeds"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("runs"),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)
}

// Ran moves the bar on. A bar that cannot be drawn is no reason to stop a run.
func (b *Bar) Ran(n int) { _ = b.bar.Add(n) }

// Cell shows which cell was done last.
func (b *Bar) Cell(text string) { b.bar.Describe(text) }

// Done clears the bar.
func (b *Bar) Done() { _ = b.bar.Clear() }

// Lines is progress where there is no terminal: one line every two seconds.
type Lines struct {
	W io.Writer

	mu                      sync.Mutex
	runs, cells, ran, ended int
	next                    time.Time
}

const lineEvery = 2 * time.Second

// Start remembers how much there is to do.
func (l *Lines) Start(runs, cells int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs, l.cells, l.ran, l.ended, l.next = runs, cells, 0, 0, time.Now().Add(lineEvery)
}

// Ran writes a line where the last one is long enough ago.
func (l *Lines) Ran(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ran += n
	if now := time.Now(); now.After(l.next) {
		l.next = now.Add(lineEvery)
		fmt.Fprintf(l.W, "%d of %d runs, %d of %d cells\n", l.ran, l.runs, l.ended, l.cells)
	}
}

// Cell counts a cell that is done.
func (l *Lines) Cell(string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended++
}

// Done has nothing to clear.
func (l *Lines) Done() {}
