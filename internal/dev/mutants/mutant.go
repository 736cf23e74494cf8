package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutant is one line that could have been written wrong.
type mutant struct {
	Name     string
	File     string // from the module's root
	Old, New string // old must stand in the file exactly once
	extra    string // to append to the file
	Tests    []string
}

// realTime reports whether a test of the mutant runs in real time, which other work
// on the machine would disturb.
func (m mutant) realTime() bool {
	return slices.ContainsFunc(m.Tests, func(test string) bool {
		pkg, _, _ := strings.Cut(test, " ")
		return slices.Contains([]string{"./internal/live", "./internal/runner", "./internal/cli"}, pkg)
	})
}

// try runs the tests against the mutant and returns which failed, or nothing if
// all passed.
func (m mutant) try(ctx context.Context) (caught string, err error) {
	broken, err := m.broken(".")
	if err != nil {
		return "", err
	}
	overlay, cleanUp, err := m.overlay(broken)
	if err != nil {
		return "", err
	}
	defer cleanUp()
	for _, test := range m.Tests {
		pkg, pattern, _ := strings.Cut(test, " ")
		cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-failfast", "-timeout", "90s", "-overlay", overlay, "-run", pattern, pkg)
		out, err := cmd.CombinedOutput()
		if err == nil {
			continue
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return "", err
		}
		if strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]") {
			return "", fmt.Errorf("does not compile:\n%s", out)
		}
		if caught != "" {
			caught += " and "
		}
		caught += pkg + " " + firstFailure(string(out))
	}
	return caught, nil
}

// broken is the file with the line broken; root is the module's.
func (m mutant) broken(root string) (string, error) {
	src, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return "", fmt.Errorf("read (run it from the module's root): %w", err)
	}
	if n := strings.Count(string(src), m.Old); n != 1 {
		return "", fmt.Errorf("%s: the line to break stands there %d times, want once: %q", m.File, n, m.Old)
	}
	return strings.Replace(string(src), m.Old, m.New, 1) + m.extra, nil
}

// overlay writes the broken file and the go command's list of replacements.
func (m mutant) overlay(broken string) (path string, cleanUp func(), err error) {
	dir, err := os.MkdirTemp("", "simrun-mutant")
	if err != nil {
		return "", nil, err
	}
	cleanUp = func() { _ = os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			cleanUp()
		}
	}()
	original, err := filepath.Abs(m.File)
	if err != nil {
		return "", nil, err
	}
	replacement := filepath.Join(dir, filepath.Base(m.File))
	if err := os.WriteFile(replacement, []byte(broken), 0o644); err != nil {
		return "", nil, err
	}
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replacement}})
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, cleanUp, os.WriteFile(path, b, 0o644)
}

var running = regexp.MustCompile(`(?m)^running tests:\s+(\S+)`)

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// firstFailure is the innermost of the first tests that failed.
func firstFailure(out string) string {
	all := failure.FindAllStringSubmatch(out, -1)
	if hung := running.FindStringSubmatch(out); len(all) == 0 && hung != nil {
		return hung[1] + " (did not end)"
	}
	if len(all) == 0 {
		return "(the test binary died)"
	}
	name := all[0][1]
	for _, f := range all[1:] {
		if strings.HasPrefix(f[1], name+"/") {
			name = f[1]
		}
	}
	return name
}
