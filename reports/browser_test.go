package reports

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// findBrowser looks for a browser. On a machine without one the test is
// skipped, which is acceptable only on a developer's machine: with SIMRUN_CI set it fails.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("SIMRUN_CI") != "" {
		t.Fatal("no browser found, and SIMRUN_CI wants one")
	}
	t.Skip("no browser found")
	return ""
}

// browse opens a report in a browser without a network, does what steps say,
// and fails on any console error. The page forbids
// itself all requests, so that one would be among the complaints.
func browse(t *testing.T, path string, width int64, steps func(ctx context.Context)) {
	t.Helper()
	browseWith(t, path, width, func(ctx context.Context) {
		do(t, ctx, chromedp.WaitVisible(".timeline svg .ev"))
		steps(ctx)
	})
}

// browseWith does not wait for a timeline, and sets options of the browser.
func browseWith(t *testing.T, path string, width int64, steps func(ctx context.Context), more ...chromedp.ExecAllocatorOption) {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(findBrowser(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
	)
	opts = append(opts, more...)
	// A selector that finds nothing waits for ever; this ends it.
	bound, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	alloc, cancel := chromedp.NewExecAllocator(bound, opts...)
	defer cancel()
	ctx, cancel := chromedp.NewContext(alloc)
	defer cancel()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	said := chromedp.Console(ctx)
	do(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+abs))
	steps(ctx)
	const last = "the test is over"
	do(t, ctx, evaluate(fmt.Sprintf("console.log(%q) === undefined", last)))
	for m, err := range said {
		if err != nil {
			t.Fatal(err)
		}
		if m.Text == last {
			return
		}
		t.Errorf("the page says: %s", m)
	}
}

func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func get[T any](t *testing.T, ctx context.Context, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// evaluate runs a script for what it does; its value must be true or false.
func evaluate(script string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Evaluate[bool](script)(ctx, target)
		return chromedp.Void{}, err
	}
}

// until waits for a condition, and fails if it does not come true.
func until(t *testing.T, ctx context.Context, condition string) {
	t.Helper()
	for range 100 {
		if get(t, ctx, chromedp.Evaluate[bool](condition)) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("never so: %s", condition)
}

// press clicks an element of an SVG at its middle, as a pointer would.
func press(selector string) chromedp.Action[chromedp.Void] {
	return evaluate(fmt.Sprintf("(() => { const e = document.querySelector(`%s`), r = e.getBoundingClientRect();"+
		"return e.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: r.x + r.width / 2, clientY: r.y + r.height / 2 })); })()", selector))
}

func writeReport(t *testing.T, dir string, r Results) string {
	t.Helper()
	path := filepath.Join(dir, ReportFile)
	if err := writeFile(path, func(w io.Writer) error { return HTML(w, dir, r) }); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReportInBrowser does what a reader does: opens the report, clicks the
// step that tells the violation, finds its event, goes back from an event to
// its step, and zooms.
func TestReportInBrowser(t *testing.T) {
	dir := t.TempDir()
	r := fixture(t, dir, "gc-pause")
	path := writeReport(t, dir, r)
	proof := r.Scenarios[0].Strategies[0].FirstViolation.Violation.Events
	first, last := proof[0], proof[len(proof)-1]
	const cell = `article[data-strategy="naive"][data-violation="stale-write"] `
	event := func(seq int) string { return fmt.Sprintf(`%s[data-event="%d"]`, cell, seq) }
	step := func(seq int) string { return fmt.Sprintf(`%s[data-shows="%d"]`, cell, seq) }

	browse(t, path, 1400, func(ctx context.Context) {
		if v := get(t, ctx, chromedp.AttributeValue("h1", "data-verdict")); v.Value != "pass" {
			t.Errorf("verdict is %q", v.Value)
		}
		do(t, ctx, chromedp.Click(step(last)), chromedp.WaitVisible(event(last)+".is-selected"),
			chromedp.WaitVisible(step(last)+"[aria-current=true]"))
		if text := get(t, ctx, chromedp.Text(cell+".tl-readout")); text == "" {
			t.Error("the selected event is not told")
		}
		do(t, ctx, press(event(first)), chromedp.WaitVisible(event(first)+".is-selected"),
			chromedp.WaitVisible(step(first)+"[aria-current=true]"))
		// Far zoomed in, the first proof is out of view; the whole run shows it.
		in := chromedp.Click(cell + `[data-act="in"]`)
		do(t, ctx, chromedp.Click(step(last)), in, in, in, chromedp.WaitNotPresent(event(first)),
			chromedp.WaitVisible(event(last)),
			chromedp.Click(cell+`[data-act="reset"]`), chromedp.WaitVisible(event(first)))
	})
}

// TestReportOnTelephone goes from event to event with the arrow keys, in a
// report of many scenarios, and follows a link into a folded one.
func TestReportOnTelephone(t *testing.T) {
	dir := t.TempDir()
	path := writeReport(t, dir, withMisfits(t, dir, "expiry", "gc-pause"))
	browse(t, path, 400, func(ctx context.Context) {
		const cell = "article#expiry--naive "
		do(t, ctx, chromedp.Focus(cell+".timeline svg"), chromedp.KeyEvent(kb.ArrowRight),
			chromedp.WaitVisible(cell+".is-selected"))
		before := get(t, ctx, chromedp.Text(cell+".tl-readout"))
		do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
		if after := get(t, ctx, chromedp.Text(cell+".tl-readout")); before == after || after == "" {
			t.Errorf("the arrow key leads from %q to %q", before, after)
		}
		if get(t, ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth")) {
			t.Error("the page is wider than the window")
		}
		do(t, ctx, press(`.matrix a[href="#gc-pause--fenced"]`),
			chromedp.WaitVisible("article#gc-pause--fenced .timeline svg .ev"))
	})
}
