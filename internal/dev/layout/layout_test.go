// Package layout tests the structure of the module: which packages others can
// import, in which direction imports run, and that the architecture page names
// every package.
package layout

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages, the lowest first: each may import only packages of
// lines above its own.
var layers = [][]string{
	{"internal/text", "lock", "internal/strictjson", "internal/bubble", "internal/stack", "internal/proc", "internal/modversion", "internal/virtual/memnet", "internal/dev/testneeds", "internal/dev/redisconformance", "internal/dev/layout"},
	{"chaos", "internal/history"},
	{"internal/errclass", "internal/check", "internal/keyobserver"},
	{"scenarios", "internal/results", "internal/timeline", "internal/miniserver", "internal/live/tap", "internal/dev/mutants"},
	{"internal/strategy"},
	{"internal/engine"},
	{"internal/virtual", "internal/live/worker", "internal/live/redisserver"},
	{"internal/live", "internal/runner", "reports", "internal/dev/bench"},
	{"internal/cli"},
	{"sim"},
	{"cmd/simrun", "examples/ownlock"},
}

const module = "github.com/lockchaos/simrun"

// packages returns the module's packages (path within the module → name and
// imports within the module).
func packages(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{.Name}}{{range .Imports}} {{.}}{{end}}`, "./...")
	cmd.Dir = "../../.."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		rest := []string{fields[1]}
		for _, imported := range fields[2:] {
			if in, ours := strings.CutPrefix(imported, module+"/"); ours {
				rest = append(rest, in)
			}
		}
		found[strings.TrimPrefix(fields[0], module+"/")] = rest
	}
	return found
}

func layerOf(path string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, path) })
}

func TestImportsRunOneWay(t *testing.T) {
	for path, p := range packages(t) {
		at := layerOf(path)
		if at < 0 {
			t.Errorf("package %s is in no layer: add it to layers in internal/dev/layout/layout_test.go, above what it imports, and to docs/architecture.md", path)
			continue
		}
		for _, imported := range p[1:] {
			if layerOf(imported) >= at {
				t.Errorf("%s imports %s, which is not in a lower layer", path, imported)
			}
		}
	}
}

func TestFewPackagesAreImportable(t *testing.T) {
	const most = 7
	var public []string
	for path, p := range packages(t) {
		if p[0] != "main" && !strings.Contains("/"+path, "/internal/") {
			public = append(public, path)
		}
	}
	if slices.Sort(public); len(public) > most {
		t.Errorf("%d packages can be imported from outside, want at most %d: %v; move what users do not need to internal", len(public), most, public)
	}
}

func TestArchitecturePageNamesEveryPackage(t *testing.T) {
	const page = "docs/architecture.md"
	text, err := os.ReadFile("../../../" + page)
	if err != nil {
		t.Fatal(err)
	}
	for path := range packages(t) {
		if !strings.HasPrefix(path, "examples/") && !strings.Contains(string(text), "`"+path+"`") {
			t.Errorf("%s does not name package `%s`", page, path)
		}
	}
}
