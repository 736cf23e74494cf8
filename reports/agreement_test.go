package reports

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/results"
)

// twoWorlds has a cell of each kind.
func twoWorlds() results.Agreement {
	return results.Agreement{
		Setup:    &results.Setup{Redis: "redis-server 7.0.15", Toxiproxy: "2.12.0, embedded", Scale: 30, Worker: "python3 worker.py"},
		Verdicts: []results.Verdicts{{Scenario: "expiry", Strategy: "naive", Virtual: results.Fail, Live: results.Pass}},
		Cells: []results.AgreementCell{
			{Scenario: "expiry", Strategy: "naive", Property: "overlap", Virtual: 30, VirtualRuns: 30, Live: 1, LiveRuns: 1, Agree: true},
			{Scenario: "clock-jump", Strategy: "fenced", Property: "overlap", Virtual: 23, VirtualRuns: 30, Live: 1, LiveRuns: 1, Agree: true, Why: "not in every run"},
			{Scenario: "clock-jump", Strategy: "<fenced>", Property: "stuck", VirtualRuns: 30, Live: 2, LiveRuns: 10, Why: "never in virtual time", History: "live/clock-jump/fenced/history.jsonl"},
		},
	}
}

func TestAgreementTable(t *testing.T) {
	var out bytes.Buffer
	if err := TerminalAgreement(&out, "results/x", twoWorlds()); err != nil {
		t.Fatal(err)
	}
	golden(t, "agreement.txt", out.Bytes())
}

func TestAgreementPage(t *testing.T) {
	dir := t.TempDir()
	err := WriteAgreement(dir, twoWorlds(), "sim", "live")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, AgreementFile)); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, AgreementPage))
	if err != nil {
		t.Fatal(err)
	}
	a, err := ReadAgreement(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(twoWorlds(), a); d != "" {
		t.Errorf("it comes back otherwise than it was written:\n%s", d)
	}
	for _, want := range []string{
		"Virtual and live runs do not fully agree", "66.7 % of 3 cells agree (in 1 of them, runs differ)", "the verdict is fail in virtual time and pass live", "python3 worker.py",
		"23 of 30", "never in virtual time", "&lt;fenced&gt;", "history: live/clock-jump/fenced/history.jsonl",
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(b), "<fenced>") {
		t.Error("a name is not escaped")
	}
}

func TestAgreementOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := agreementHTML(&out, t.TempDir(), results.Agreement{}, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Too little evidence") {
		t.Error("nothing compared reads as an agreement")
	}
}

func TestReadAgreementIsStrict(t *testing.T) {
	for text, want := range map[string]error{
		"":                        ErrResults,
		"[]":                      ErrResults,
		`{"cells":[]}}`:           ErrResults,
		`{"cells":[],"more":1}`:   ErrResults,
		`{"cells":[{}]}`:          ErrResults,
		`{"version":2}`:           ErrVersion,
		`{"version":1,"cells":0}`: ErrResults,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, AgreementFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadAgreement(dir); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", text, err, want)
		}
	}
}
