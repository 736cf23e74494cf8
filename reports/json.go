package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lockchaos/simrun/internal/results"
)

// ResultsFile is the name of the results in their folder.
const ResultsFile = "results.json"

// MaxResultsBytes bounds what [ReadResults] takes in: far beyond what simrun
// writes, and far below what would hurt.
const MaxResultsBytes = 64 << 20

// Errors of reading results.json, for errors.Is.
var (
	// ErrVersion: the file is of a version that this program does not know.
	ErrVersion = errors.New("unknown version of results.json")
	// ErrResults: the file is not results.json, or is damaged.
	ErrResults = errors.New("not a valid results.json")
)

// WriteResults writes results.json into dir, whole or not at all, and returns
// its path.
func WriteResults(dir string, r results.Results) (string, error) {
	path := filepath.Join(dir, ResultsFile)
	return path, writeFile(path, func(w io.Writer) error { return EncodeResults(w, r) })
}

// EncodeResults writes results in the schema of results.json.
func EncodeResults(w io.Writer, r results.Results) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// ReadResults reads a results.json. Errors are [ErrVersion], [ErrResults], or
// those of opening the file.
func ReadResults(path string) (results.Results, error) {
	f, err := os.Open(path)
	if err != nil {
		return results.Results{}, err
	}
	defer f.Close()
	r, err := DecodeResults(f)
	if err != nil {
		return results.Results{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// DecodeResults reads results strictly: an unknown field, a second document or
// a missing version is an error.
func DecodeResults(in io.Reader) (results.Results, error) {
	b, err := io.ReadAll(io.LimitReader(in, MaxResultsBytes+1))
	if err != nil {
		return results.Results{}, err
	}
	if len(b) > MaxResultsBytes {
		return results.Results{}, fmt.Errorf("%w: larger than %d bytes", ErrResults, MaxResultsBytes)
	}
	// The version comes first: a later one may have fields that this reader
	// would call mistakes.
	var v struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return results.Results{}, fmt.Errorf("%w: %w", ErrResults, err)
	}
	if v.Version == nil {
		return results.Results{}, fmt.Errorf("%w: no version", ErrResults)
	}
	if *v.Version != results.SchemaVersion {
		return results.Results{}, fmt.Errorf("%w: %d, this program knows %d", ErrVersion, *v.Version, results.SchemaVersion)
	}
	var r results.Results
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return results.Results{}, fmt.Errorf("%w: %w", ErrResults, err)
	}
	return r, validate(r)
}

// validate refuses what no reader downstream could draw.
func validate(r results.Results) error {
	seen := map[string]bool{}
	for _, sc := range r.Scenarios {
		if sc.Name == "" {
			return fmt.Errorf("%w: a scenario without a name", ErrResults)
		}
		for _, s := range sc.Strategies {
			cell := sc.Name + "\x00" + s.Name
			switch {
			case s.Name == "":
				return fmt.Errorf("%w: scenario %s: a strategy without a name", ErrResults, sc.Name)
			case seen[cell]:
				return fmt.Errorf("%w: scenario %s: strategy %s is there twice", ErrResults, sc.Name, s.Name)
			case s.History != "" && !filepath.IsLocal(filepath.FromSlash(s.History)):
				return fmt.Errorf("%w: scenario %s: history %q is outside of the folder", ErrResults, sc.Name, s.History)
			}
			seen[cell] = true
		}
	}
	return nil
}
