// Package reports reads the results of a run and draws them for people and
// machines: a terminal table, report.html, PNG charts, junit.xml and trace.json.
//
// Goals: everything is drawn from results and histories alone, so that an old
// run can be drawn again; the same results give the same bytes; a file is
// either written whole or not at all; report.html needs no network.
// Non-goals: running anything (package sim), judging (package check).
//
// [Read] reads a result folder, [Write] writes all its files. [Terminal], [HTML]
// and [JUnit] write one report each.
package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/lockchaos/simrun/internal/results"
)

type (
	// Results is the content of results.json: a verdict, and for each scenario
	// what each strategy did over all seeds.
	Results = results.Results
	// Agreement compares virtual and live runs of the same scenarios.
	Agreement = results.Agreement
)

// The files of a result folder that others may look for by name.
const (
	ResultsFile   = "results.json"
	ReportFile    = "report.html"
	JUnitFile     = "junit.xml"
	HeatMapFile   = "heatmap.png"    // of several scenarios
	BrokenFile    = "broken.png"     // of several scenarios
	AgreementFile = "agreement.json" // of runs in both modes
	AgreementPage = "agreement.html"
)

// maxResultsBytes is far more than simrun writes, and little enough to read.
const maxResultsBytes = 64 << 20

// Errors of [Read], for errors.Is.
var (
	// ErrVersion: the file has a version that this program does not know.
	ErrVersion = errors.New("unknown version of the results")
	// ErrResults: the file is no results.json, or agreement.json, or is damaged.
	ErrResults = errors.New("not valid results")
)

// Read reads results.json from a result folder. It is strict: unknown fields are
// errors. Errors are [ErrVersion], [ErrResults], or those of reading the file.
func Read(dir string) (Results, error) { return ReadFile(filepath.Join(dir, ResultsFile)) }

// ReadFile is [Read] for a file of any name.
func ReadFile(path string) (Results, error) {
	f, err := os.Open(path)
	if err != nil {
		return Results{}, err
	}
	defer f.Close()
	r, err := decode(f)
	if err != nil {
		return Results{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// ReadAgreement reads agreement.json from a folder of runs in both modes, as strictly
// as [Read].
func ReadAgreement(dir string) (a Agreement, err error) {
	path := filepath.Join(dir, AgreementFile)
	f, err := os.Open(path)
	if err != nil {
		return a, err
	}
	defer f.Close()
	b, err := readAll(f)
	if err == nil {
		err = strictly(b, &a)
	}
	switch {
	case err != nil:
	case a.Version != 0 && a.Version != results.SchemaVersion:
		err = fmt.Errorf("%w: %d, this program knows %d", ErrVersion, a.Version, results.SchemaVersion)
	case slices.ContainsFunc(a.Cells, func(c results.AgreementCell) bool { return c.Scenario == "" || c.Strategy == "" || c.Property == "" }):
		err = fmt.Errorf("%w: a cell lacks a name", ErrResults)
	}
	if err != nil {
		return Agreement{}, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

func readAll(in io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxResultsBytes+1))
	if err == nil && len(b) > maxResultsBytes {
		err = fmt.Errorf("%w: larger than %d bytes", ErrResults, maxResultsBytes)
	}
	return b, err
}

// strictly reads JSON without a field that v does not have.
func strictly(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if _, end := dec.Token(); err == nil && end != io.EOF {
		err = errors.New("something follows the object")
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrResults, err)
	}
	return nil
}

func decode(in io.Reader) (Results, error) {
	b, err := readAll(in)
	if err != nil {
		return Results{}, err
	}
	// The version first: fields of a later version would look like mistakes.
	var v struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return Results{}, fmt.Errorf("%w: %w", ErrResults, err)
	}
	if v.Version == nil {
		return Results{}, fmt.Errorf("%w: no version", ErrResults)
	}
	if *v.Version != results.SchemaVersion {
		return Results{}, fmt.Errorf("%w: %d, this program knows %d", ErrVersion, *v.Version, results.SchemaVersion)
	}
	var r Results
	if err := strictly(b, &r); err != nil {
		return Results{}, err
	}
	for _, sc := range r.Scenarios {
		for i := range sc.Strategies {
			if s := &sc.Strategies[i]; s.Guarantee == "" { // written before there was one
				s.JudgeGuarantee(s.Verdict != results.Unknown)
				s.Expectation = map[results.Verdict]results.Expectation{
					results.Pass: results.AsExpected, results.Fail: results.Changed, results.Unknown: results.NotAsked,
				}[s.Verdict]
			}
		}
	}
	return r, validate(r)
}

// validate rejects results that no report could show.
func validate(r Results) error {
	seen := map[cellKey]bool{}
	for _, sc := range r.Scenarios {
		if sc.Name == "" {
			return fmt.Errorf("%w: a scenario has no name", ErrResults)
		}
		for _, s := range sc.Strategies {
			key := cellKey{sc.Name, s.Name}
			switch {
			case s.Name == "":
				return fmt.Errorf("%w: scenario %s: a strategy has no name", ErrResults, sc.Name)
			case seen[key]:
				return fmt.Errorf("%w: scenario %s: strategy %s appears twice", ErrResults, sc.Name, s.Name)
			case !slices.Contains([]results.Guarantee{results.Holds, results.Broken, results.Unclear}, s.Guarantee):
				return fmt.Errorf("%w: scenario %s, strategy %s: guarantee %q, want holds, broken or unknown", ErrResults, sc.Name, s.Name, s.Guarantee)
			case !slices.Contains([]results.Expectation{results.AsExpected, results.Changed, results.NotAsked}, s.Expectation):
				return fmt.Errorf("%w: scenario %s, strategy %s: expectation %q, want as-expected, changed or not-asked", ErrResults, sc.Name, s.Name, s.Expectation)
			case s.History != "" && !filepath.IsLocal(filepath.FromSlash(s.History)):
				return fmt.Errorf("%w: scenario %s: history %q is outside the folder", ErrResults, sc.Name, s.History)
			}
			seen[key] = true
		}
	}
	return nil
}

// cellKey names one strategy in one scenario.
type cellKey struct{ scenario, strategy string }

// encode writes r, or any part of a result folder, in the form of results.json.
func encode(w io.Writer, r any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
