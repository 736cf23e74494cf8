package cli

import (
	"testing"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
)

// Live runs mostly wait, and so they are tested beside each other, behind what
// keeps the machine busy.

func TestLive(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata/live")
}

func TestLiveOnARealServer(t *testing.T) {
	t.Parallel()
	testneeds.RedisServer(t)
	runScripts(t, "testdata/live-redis")
}

func TestLiveWithAWorkerInPython(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	runScripts(t, "testdata/live-python")
}
