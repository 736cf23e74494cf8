package runner

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/scenarios"
)

// record writes a history whole or not at all.
func record(path string, h history.Header, events []history.Event) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	w := history.NewWriter(f, h)
	for i := range events {
		w.Event(&events[i])
	}
	if err := w.Close(); err != nil {
		f.Close()
		return fmt.Errorf("recording: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return os.Rename(f.Name(), path)
}

// scenario reads what the parent has read.
func (d *define) scenario() (*scenarios.Scenario, error) {
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
