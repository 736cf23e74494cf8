package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/lockchaos/simrun/internal/text"
)

//go:embed library/*.yaml
var library embed.FS

// first lists the built-in scenarios in the order in which to learn from them.
// Those that it does not name follow by name.
var first = []string{
	"expiry", "overrun", "gc-pause", "pause-before-write", "standby", "partition", "delayed-write",
	"clock-jump", "clock-back", "hung-holder", "crash", "reply-lost", "flash-sale",
	"slow-replies", "redis-restart", "redis-restart-kept", "failover",
}

// catalogue lists the built-in scenarios.
var catalogue = sync.OnceValue(func() []string {
	files, err := library.ReadDir("library")
	if err != nil {
		panic(fmt.Sprintf("scenarios: built-in: %v", err)) // embedded
	}
	names := slices.Clone(first)
	for _, f := range files { // sorted by name
		if name := strings.TrimSuffix(f.Name(), ".yaml"); !slices.Contains(first, name) {
			names = append(names, name)
		}
	}
	return names
})

// Names lists the built-in scenarios in the order in which to learn from them.
func Names() []string { return slices.Clone(catalogue()) }

// Builtin returns the built-in scenarios in the order of [Names]. The caller may
// change them.
func Builtin() []*Scenario {
	all := make([]*Scenario, len(catalogue()))
	for i, name := range catalogue() {
		s, err := builtin(name)
		if err != nil {
			panic(fmt.Sprintf("scenarios: built-in: %v", err)) // the package's tests read them all
		}
		all[i] = s
	}
	return all
}

func builtin(name string) (*Scenario, error) {
	file := name + ".yaml"
	src, err := library.ReadFile("library/" + file)
	if err != nil {
		return nil, err
	}
	return Parse(file, src)
}

// Load reads a built-in scenario by its name, or one from a file. A path separator
// or the ending .yaml or .yml makes it a file; so does any other name that is not
// built in, if the file exists. It fails with [ErrNoScenario] if there is neither,
// with the error of reading the file, or with an [*Error].
func Load(pathOrName string) (*Scenario, error) {
	s, _, err := Read(pathOrName)
	return s, err
}

// Read is [Load] that also returns the text of a file; nil for a built-in scenario.
func Read(pathOrName string) (*Scenario, []byte, error) {
	ext := filepath.Ext(pathOrName)
	isPath := strings.ContainsRune(pathOrName, os.PathSeparator) || ext == ".yaml" || ext == ".yml"
	if !isPath && slices.Contains(catalogue(), pathOrName) {
		s, err := builtin(pathOrName)
		return s, nil, err
	}
	f, err := os.Open(pathOrName)
	if errors.Is(err, os.ErrNotExist) && !isPath {
		return nil, nil, fmt.Errorf("%w: %s; %s", ErrNoScenario, shown(pathOrName), text.Suggest(pathOrName, catalogue()))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("scenario: %w", err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, nil, fmt.Errorf("scenario: %w", err)
	}
	s, err := Parse(pathOrName, src)
	if err != nil {
		return nil, nil, err
	}
	s.File = pathOrName
	return s, src, nil
}
