package runner

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/scenarios"
)

// record writes a history whole or not at all.
func record(path string, h history.Header, events []history.Event) error {
	var b bytes.Buffer
	w := history.NewWriter(&b, h)
	for i := range events {
		w.Event(&events[i])
	}
	err := w.Close()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = maybe.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// load reads the scenario as the parent read it.
func (d *define) load() (*scenarios.Scenario, error) {
	if d.Source == nil {
		return scenarios.Load(d.Name)
	}
	s, err := scenarios.Parse(d.File, d.Source)
	if err != nil {
		return nil, err
	}
	s.File = d.File
	return s, nil
}
