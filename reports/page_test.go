package reports

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/lockchaos/simrun/internal/results"
)

// lookScript lists what a reader could not see or name on a page: contrast, names,
// headings, overflow, the skip link.
//
//go:embed testdata/look.js
var lookScript string

// TestPagesAreAccessible looks at every kind of page, in light and dark, wide and
// narrow, with everything unfolded.
func TestPagesAreAccessible(t *testing.T) {
	root := t.TempDir()
	one, many := filepath.Join(root, "sim"), filepath.Join(root, "live")
	if _, err := Write(one, withMisfits(t, one, "gc-pause")); err != nil {
		t.Fatal(err)
	}
	r := withMisfits(t, many, "expiry", "gc-pause")
	r.Interrupted, r.Made = true, &results.Made{Simrun: "v1.2.3", Command: "simrun -scenario " + strings.Repeat("expiry,", 30), Date: "2026-12-03T11:05:00Z"}
	r.Scenarios[1].Story = "A stops."
	if _, err := Write(many, r); err != nil {
		t.Fatal(err)
	}
	if err := WriteAgreement(root, twoWorlds(), "sim", "live"); err != nil {
		t.Fatal(err)
	}
	for scheme, name := range []string{"dark", "light"} {
		browseWith(t, filepath.Join(one, ReportFile), 1400, func(ctx context.Context) {
			for _, page := range []string{filepath.Join(one, ReportFile), filepath.Join(many, ReportFile), filepath.Join(root, AgreementPage)} {
				for _, width := range []int64{1400, 400} {
					do(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+page), evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; }) === undefined"))
					until(t, ctx, `[...document.querySelectorAll(".timeline")].every((t) => t.querySelector("svg .ev"))`)
					do(t, ctx, chromedp.KeyEvent(kb.Tab)) // to the skip link
					if bad := get(t, ctx, chromedp.Evaluate[string](lookScript)); bad != "" {
						t.Errorf("%s, %d wide, %s:\n%s", page, width, name, bad)
					}
				}
			}
		}, chromedp.Flag("blink-settings", fmt.Sprintf("preferredColorScheme=%d", scheme)))
	}
}

// TestFilterInBrowser searches as a reader does, finds nothing, and finds the same
// again after a reload.
func TestFilterInBrowser(t *testing.T) {
	dir := t.TempDir()
	path := writeReport(t, dir, withMisfits(t, dir, "expiry", "gc-pause"))
	browse(t, path, 1400, func(ctx context.Context) {
		count := func(want string) {
			t.Helper()
			if got := get(t, ctx, chromedp.Text(".shown")); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		is := func(script string) {
			t.Helper()
			if !get(t, ctx, chromedp.Evaluate[bool](script)) {
				t.Errorf("not so: %s", script)
			}
		}
		write := func(text string) {
			t.Helper()
			do(t, ctx, evaluate(`document.querySelector("input[type=search]").focus() === undefined`), chromedp.KeyEvent(text))
		}
		press := func(selector string) {
			t.Helper()
			do(t, ctx, evaluate("document.querySelector(`"+selector+"`).click() === undefined"))
		}
		count("12 cells")
		write("GC-pause foreign-rel")
		count("1 of 12 cells shown")
		is(`document.querySelector("#expiry").hidden && getComputedStyle(document.querySelector('.matrix a[href="#gc-pause--fenced"]')).visibility === "hidden"`)
		is(`document.querySelectorAll("#gc-pause .compare tbody tr:not([hidden])").length === 1`)
		write("zzz")
		until(t, ctx, `!document.querySelector(".nothing").hidden`)
		count("0 of 12 cells shown")
		press(".nothing button")
		until(t, ctx, `document.querySelector(".nothing").hidden`)
		count("12 cells")
		is(`!document.querySelector("#gc-pause details.fold").open`)

		// By keyboard: from the search to the boxes.
		do(t, ctx, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "))
		count("1 of 12 cells shown") // capped in expiry is unknown
		do(t, ctx, chromedp.Reload())
		count("1 of 12 cells shown")
		is(`document.querySelector("[value=unknown]").checked && location.search === "?only=unknown"`)
		// A link to what is filtered out shows all again.
		do(t, ctx, evaluate(`(location.hash = "gc-pause--fenced") !== ""`))
		until(t, ctx, `document.querySelector("#gc-pause--fenced .timeline svg .ev") !== null`)
		count("12 cells")
		press("[name=changed]")
		count("2 of 12 cells shown")
	})
}

// TestTappedStepShowsItsMoment taps the steps of a violation on a telephone.
func TestTappedStepShowsItsMoment(t *testing.T) {
	dir := t.TempDir()
	path := writeReport(t, dir, fixture(t, dir, "expiry"))
	browse(t, path, 400, func(ctx context.Context) {
		const cell = "article#expiry--naive "
		n := get(t, ctx, chromedp.Evaluate[int](`document.querySelectorAll("`+cell+`.step[data-shows]").length`))
		if n < 4 {
			t.Fatalf("%d steps", n)
		}
		for i := range n {
			step := fmt.Sprintf(`document.querySelectorAll("%s.step[data-shows]")[%d]`, cell, i)
			do(t, ctx, evaluate(step+".scrollIntoView() === undefined"), evaluate(step+".click() === undefined"), chromedp.WaitVisible(cell+".ev.is-selected"))
			if !get(t, ctx, chromedp.Evaluate[bool](`(() => {
				const e = document.querySelector("`+cell+`.ev.is-selected"), r = e.getBoundingClientRect(), box = e.closest(".tl-scroll").getBoundingClientRect();
				const names = document.querySelector("`+cell+`.tl-names").getBoundingClientRect();
				return +e.dataset.event === +`+step+`.dataset.shows && r.top >= 0 && r.bottom <= innerHeight && r.left >= names.right - 8 && r.right <= box.right + 8;
			})()`)) {
				t.Errorf("step %d does not show its moment", i+1)
			}
			do(t, ctx, chromedp.Click(cell+".tl-back"))
			if !get(t, ctx, chromedp.Evaluate[bool](fmt.Sprintf("document.activeElement === %s", step))) {
				t.Errorf("there is no way back to step %d", i+1)
			}
		}
	})
}

// TestPrintIsWhole prints, and then finds the page as it was.
func TestPrintIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := writeReport(t, dir, fixture(t, dir, "expiry", "gc-pause"))
	browseWith(t, path, 1400, func(ctx context.Context) {
		const closed = `document.querySelectorAll("details:not([open])").length`
		before := get(t, ctx, chromedp.Evaluate[int](closed))
		do(t, ctx, evaluate(`addEventListener("beforeprint", () => {
			window.atPrint = `+closed+` + [...document.querySelectorAll(".timeline")].filter((t) => !t.querySelector("svg .ev")).length;
		}) === undefined`))
		if pdf := get(t, ctx, chromedp.PrintToPDF()); len(pdf) < 10_000 {
			t.Errorf("the print has %d bytes", len(pdf))
		}
		if n := get(t, ctx, chromedp.Evaluate[int]("window.atPrint")); n != 0 {
			t.Errorf("%d folds or timelines are not printed", n)
		}
		if after := get(t, ctx, chromedp.Evaluate[int](closed)); after != before || before == 0 {
			t.Errorf("%d folds are closed, %d were", after, before)
		}
	})
}
