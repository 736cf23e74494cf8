package reports

import (
	"bytes"
	"fmt"
	"io"

	"github.com/google/renameio/v2/maybe"
)

// writeFile writes a file under a temporary name and renames it: neither a reader
// nor a run that is stopped meets half a file.
func writeFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	if err == nil {
		err = maybe.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
