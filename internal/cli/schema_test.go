package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/reports"
)

// fitsSchema checks a file against a published JSON Schema.
func fitsSchema(t *testing.T, schema string, file []byte) error {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("../../docs/schema", schema))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestResultsFitTheirSchema(t *testing.T) {
	root := t.TempDir()
	run := func(name string, args ...string) []byte {
		dir := filepath.Join(root, name)
		Main(append(args, "-out", dir, "-q"), io.Discard, io.Discard)
		b, err := os.ReadFile(filepath.Join(dir, reports.ResultsFile))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	strict := filepath.Join(root, "strict.yaml")
	if err := os.WriteFile(strict, []byte("name: strict\nsummary: Fails.\nwork: 45s\nexpect:\n  token: {overlap: none}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var one []byte
	for name, args := range map[string][]string{
		"many":   {"-scenario", "expiry,gc-pause,failover,flash-sale", "-seeds", "2"},
		"failed": {"-scenario", strict, "-seeds", "2"},
		"alone":  {"-scenario", "crash", "-strategy", "naive", "-seed", "7"},
	} {
		one = run(name, args...)
		if err := fitsSchema(t, "results.schema.json", one); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if fitsSchema(t, "results.schema.json", bytes.Replace(one, []byte(`"mode"`), []byte(`"moed"`), 1)) == nil {
		t.Error("the schema accepts a field that does not exist")
	}

	virtual, err := reports.Read(filepath.Join(root, "many"))
	if err != nil {
		t.Fatal(err)
	}
	live := virtual
	live.Setup = &results.Setup{Redis: "redis-server 7", Toxiproxy: "2.12.0", Scale: 30}
	live.Scenarios = nil
	for _, sc := range virtual.Scenarios { // as if the live locks had stuck, and breached nothing else
		sc.Strategies = append([]results.Strategy{}, sc.Strategies...)
		for i := range sc.Strategies {
			sc.Strategies[i].Verdict, sc.Strategies[i].Violations = results.Fail, map[string]results.Breach{"stuck": {Runs: 1}}
		}
		live.Scenarios = append(live.Scenarios, sc)
	}
	a := results.Agree(virtual, results.Side{Folder: "live", Results: live})
	a.Made = virtual.Made
	if err := reports.WriteAgreement(root, a, "sim", "live"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, reports.AgreementFile))
	if err != nil || len(a.Verdicts) == 0 {
		t.Fatal(err, a.Verdicts)
	}
	if err := fitsSchema(t, "agreement.schema.json", b); err != nil {
		t.Error(err)
	}
}

// What is wrong with a lock, and what was not run, fit as well.
func TestResultsOfABadDayFitTheirSchema(t *testing.T) {
	r := results.Results{
		Version: results.SchemaVersion, Mode: "live", Interrupted: true, Setup: &results.Setup{},
		NotRun: []results.NotRun{{Scenario: "expiry", Strategy: "ours", Runs: 3, PlannedRuns: 10}},
		Scenarios: []results.Scenario{{Name: "expiry", Strategies: []results.Strategy{{
			Name: "ours", Guarantee: results.Broken, Expectation: results.NotAsked, Violations: map[string]results.Breach{},
			Mismatches: []results.Mismatch{{Property: "stuck", Want: "none"}}, Findings: []results.Finding{{Class: "panic"}},
		}}}},
	}
	dir := t.TempDir()
	if _, err := reports.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, reports.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := fitsSchema(t, "results.schema.json", b); err != nil {
		t.Error(err)
	}
}
