package cli_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

var update = flag.Bool("update", false, "write the tables of the README files anew")

// The README files' tables say what the registries say.
func TestTables(t *testing.T) {
	for _, table := range []struct{ path, name, rows string }{
		{"README.md", "scenarios", scenarioRows()},
		{"README.md", "properties", propertyRows()},
		{"chaos/README.md", "faults", faultRows()},
	} {
		t.Run(table.name, func(t *testing.T) {
			path := filepath.Join("../..", table.path)
			page, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			begin, end := "<!-- table of "+table.name+" -->\n", "<!-- end of the table -->\n"
			before, rest, found := strings.Cut(string(page), begin)
			rows, after, closed := strings.Cut(rest, end)
			switch {
			case !found || !closed:
				t.Fatalf("%s has no %q, or no %q after it", table.path, begin, end)
			case rows == table.rows:
			case *update:
				if err := os.WriteFile(path, []byte(before+begin+table.rows+end+after), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("the table of %s in %s is out of date: go test ./internal/cli -run TestTables -update", table.name, table.path)
			}
		})
	}
}

func scenarioRows() string {
	var ladder []string
	for _, s := range strategy.All() {
		ladder = append(ladder, s.Name)
	}
	out := "| scenario | what happens | " + strings.Join(ladder, " | ") + " |\n|" + strings.Repeat(" --- |", 2+len(ladder)) + "\n"
	for _, s := range scenarios.Builtin() {
		out += fmt.Sprintf("| `%s` | %s |", s.Name, s.Summary)
		for _, name := range ladder {
			out += " " + worst(s.Name, name) + " |"
		}
		out += "\n"
	}
	return out
}

// worst is the most severe property that a reference lock breaches in a built-in
// scenario.
func worst(scenario, name string) string {
	breached, _ := strategy.KnownBreaches(scenario, name)
	if len(breached) == 0 {
		return "holds"
	}
	return slices.MinFunc(slices.Collect(maps.Keys(breached)), check.Compare)
}

func propertyRows() string {
	out := "| property | breached when |\n| --- | --- |\n"
	for _, p := range check.Properties {
		out += fmt.Sprintf("| `%s` | %s |\n", p.Name, p.Broken)
	}
	return out
}

func faultRows() string {
	out := "| fault | does | own parameters | lasts |\n| --- | --- | --- | --- |\n"
	for _, s := range chaos.Specs() {
		var params []string
		for _, p := range s.Params {
			text := "`" + p.Name + "`"
			if len(p.OneOf) > 0 {
				text += ": " + strings.Join(p.OneOf, ", ")
			}
			params = append(params, text)
		}
		lasts := ""
		if s.Lasts {
			lasts = "yes"
		}
		out += fmt.Sprintf("| `%s` | %s | %s | %s |\n", s.Name, s.Doc, strings.Join(params, "; "), lasts)
	}
	return out
}
