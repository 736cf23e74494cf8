package reports

import (
	"io"

	"github.com/lockchaos/simrun/sim/results"
)

// chart is one PNG file.
type chart struct {
	name  string
	write func(io.Writer) error
}

func charts(results.Results, folder) []chart { return nil }
