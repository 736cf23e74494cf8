package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

const panicStack = `panic in Release: close of closed channel

goroutine 18 [running, synctest bubble 1]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
github.com/lockchaos/simrun/internal/virtual.(*hands).run.func1()
	/src/simrun/internal/virtual/hands.go:47 +0x65
panic({0x11ee4c0?, 0x13df100?})
	/usr/local/go/src/runtime/panic.go:860 +0x13a
shop/locks.(*lock).shut(...)
	/home/shop/locks/lock.go:86
sync.(*Once).Do(...)
	/usr/local/go/src/sync/once.go:78
main.(*lock).Release(0x31441049d4f0, {0x13eb730, 0x3144108711f0})
	/home/shop/main.go:78 +0x59
github.com/lockchaos/simrun/internal/virtual.(*hands).Release(0x31441049d540)
	/src/simrun/internal/virtual/hands.go:75 +0x94
created by github.com/lockchaos/simrun/internal/virtual.(*world).run in goroutine 14
	/src/simrun/internal/virtual/run.go:101 +0x70`

func TestStackFrames(t *testing.T) {
	const idle = "goroutine N [running]:\nruntime.gopark(...)\n\t/usr/local/go/src/runtime/proc.go:1 +0x1"
	for name, tc := range map[string]struct {
		stack string
		want  []frame
	}{
		"the lock's calls alone": {panicStack, []frame{
			{"shop/locks.(*lock).shut", "/home/shop/locks/lock.go:86"}, {"main.(*lock).Release", "/home/shop/main.go:78"},
		}},
		"no more than the first": {strings.Repeat("main.f()\n\tmain.go:1\n", stackLines+1), slices.Repeat([]frame{{"main.f", "main.go:1"}}, stackLines)},
		"the first goroutine that shows the lock": {
			idle + "\n\ngoroutine N [select]:\nexample.org/lock.(*L).renew(...)\n\t/l.go:65 +0x…\ncreated by example.org/lock.(*L).Acquire in goroutine N\n\t/l.go:42 +0x…",
			[]frame{{"example.org/lock.(*L).renew", "/l.go:65"}, {"started by example.org/lock.(*L).Acquire", "/l.go:42"}},
		},
		"paths cut short":       {"main.f()\n\tmain.go:1\nsync.(*Mutex).Lock(...)\n\tsync/mutex.go:9", []frame{{"main.f", "main.go:1"}}},
		"none of the lock":      {idle, []frame{{"runtime.gopark", "/usr/local/go/src/runtime/proc.go:1"}}},
		"no stack":              {"", nil},
		"no stack but a report": {"exit status 9\nbye", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, stackFrames(tc.stack)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func FuzzStackFrames(f *testing.F) {
	f.Add(panicStack)
	f.Add("created by \n\t")
	f.Add("()\n\t/src/")
	f.Fuzz(func(t *testing.T, stack string) {
		if n := len(stackFrames(stack)); n > stackLines {
			t.Errorf("%d frames", n)
		}
	})
}

// A lock that misbehaved as a program never reads as one that did nothing wrong.
func TestSentenceNamesMisbehaviour(t *testing.T) {
	shop := func(breached int, findings ...results.Finding) results.Results {
		s := results.Strategy{Name: "shop", Verdict: results.Fail, Expectation: results.Changed, Runs: 5, Findings: findings, Violations: map[string]results.Breach{}}
		if breached > 0 {
			s.Violations["overlap"] = results.Breach{Count: breached, Runs: 1}
		}
		return results.Results{Scenarios: []results.Scenario{{Name: "expiry", Strategies: []results.Strategy{s}}}}
	}
	for name, tc := range map[string]struct {
		in   results.Results
		want string
	}{
		"panic":       {shop(0, results.Finding{Class: "panic", Count: 2}), "shop panicked in 2 of 5 runs. Not as expected: shop."},
		"breach, too": {shop(3, results.Finding{Class: "blocked", Count: 5}), "shop violated overlap, and blocked forever in 5 of 5 runs. Not as expected: shop."},
		"two classes": {shop(0, results.Finding{Class: "leak", Count: 1}, results.Finding{Class: "odd", Count: 1}),
			"shop leaked goroutines in 1 of 5 runs and misbehaved (odd) in 1 of 5 runs. Not as expected: shop."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := resultsSentence(tc.in); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// Every property has a letter in the matrix, and no two have the same.
func TestLetters(t *testing.T) {
	seen := map[string]string{letterOther: "another", letterFinding: "a finding"}
	for _, p := range check.Properties {
		if p.Letter == "" || seen[p.Letter] != "" {
			t.Errorf("%s has letter %q, which %q has, too", p.Name, p.Letter, seen[p.Letter])
		}
		seen[p.Letter] = p.Name
	}
}

// The legend says of each finding what it is.
func TestLegendOfFindings(t *testing.T) {
	r := Results{Scenarios: []results.Scenario{{Strategies: []results.Strategy{
		{Findings: []results.Finding{{Class: "not-deterministic", Count: 1}, {Class: "panic", Count: 1}}},
		{Findings: []results.Finding{{Class: "panic", Count: 2}}},
	}}}}
	got := letterNames(r)
	if len(got) != 1 || got[0].Name != "panicked and ran differently when repeated" {
		t.Errorf("%+v", got)
	}
}

// A violation about which the scenario has no expectation is not shown as expected.
func TestCellWithoutExpectation(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := HTML(&out, dir, fixture(t, dir, "expiry")); err != nil {
		t.Fatal(err)
	}
	for strategy, want := range map[string]string{"naive": "expected", "token": "no expectation"} {
		_, cell, _ := strings.Cut(out.String(), `<article class="cell" id="expiry--`+strategy+`"`)
		if tag := `<span class="asked">` + want + `</span>`; !strings.Contains(cell[:min(len(cell), 600)], tag) {
			t.Errorf("the cell of %s lacks %s: %s", strategy, tag, cell[:min(len(cell), 600)])
		}
	}
}
