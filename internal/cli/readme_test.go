//go:build !race

package cli_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/cli"
)

// Every line of output that the README and the course show under a command is
// printed by that command, in that order. A line … stands for lines left out.
// A page's commands run in one folder, with the files that the page shows.
func TestDocumentsShowRealOutput(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	lessons, err := filepath.Glob(filepath.Join(root, "docs/course/[0-9]*.md"))
	if err != nil || len(lessons) < 4 {
		t.Fatalf("found the lessons %q (%v), want at least 4", lessons, err)
	}
	built := builder(t, root)
	shown := 0
	for _, path := range append(lessons, filepath.Join(root, "README.md")) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			page, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			for _, file := range regexp.MustCompile("(?s)```yaml\n# ([a-z]+\\.yaml)\n.*?```").FindAllStringSubmatch(string(page), -1) {
				text := strings.TrimSuffix(strings.TrimPrefix(file[0], "```yaml\n"), "```")
				if err := os.WriteFile(file[1], []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, block := range strings.Split(string(page), "```console\n")[1:] {
				block, _, _ = strings.Cut(block, "```")
				command, output, _ := strings.Cut(block, "\n")
				if output = strings.TrimSpace(output); output == "" || output[0] == '$' {
					continue
				}
				shown++
				t.Run(command, func(t *testing.T) { follows(t, output, printed(t, built, command, breaks(output))) })
			}
		})
	}
	if shown < 8 {
		t.Errorf("found %d commands with output, want at least 8", shown)
	}
}

// breaks reports whether a document shows that a command's verdict is fail.
func breaks(output string) bool {
	return strings.Contains(output, "fail: ") || strings.Contains(output, ": fail\n")
}

// printed returns what a documented command prints, once it has exited with the
// code of its verdict.
func printed(t *testing.T, built func(*testing.T, string) string, command string, fails bool) string {
	t.Helper()
	words := strings.Fields(command)
	if len(words) < 5 || strings.Join(words[:3], " ") != "$ go run" {
		t.Fatalf("%q is no command of a document", command)
	}
	args := words[4:]
	if strings.HasPrefix(args[0], "-") {
		args = append(args, "-q")
	}
	want := cli.ExitPass
	if fails {
		want = cli.ExitFail
	}
	cmd := exec.Command(built(t, words[3]), args...)
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Fatalf("exit code %d, want %d: %v", code, want, err)
	}
	return string(out)
}

// builder returns a function that builds each program once, as a user does. That is
// without the race detector: under it, most of the time of these tests would go into
// what the tests of package virtual simulate under it, too.
func builder(t *testing.T, root string) func(*testing.T, string) string {
	dir, programs := t.TempDir(), map[string]string{}
	return func(t *testing.T, pkg string) string {
		t.Helper()
		if programs[pkg] == "" {
			program := filepath.Join(dir, filepath.Base(pkg))
			build := exec.Command("go", "build", "-o", program, pkg)
			build.Dir = root
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			programs[pkg] = program
		}
		return programs[pkg]
	}
}

// follows checks that the lines of want follow each other in got.
func follows(t *testing.T, want, got string) {
	t.Helper()
	rest := got
	for line := range strings.Lines(want) {
		if line = strings.TrimRight(line, "\n"); line == "…" {
			continue
		}
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("the document shows\n%s\nwhich does not follow in\n%s", line, got)
		}
		rest = after
	}
}

// Every relative link of a document leads to a file or a folder.
func TestDocumentLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		for _, l := range link.FindAllStringSubmatch(string(page), -1) {
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), l[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, l[1], err)
			}
		}
		return err
	})
	if err != nil || found < 20 {
		t.Errorf("found %d links (%v), want at least 20", found, err)
	}
}
