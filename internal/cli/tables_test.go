package cli_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

var update = flag.Bool("update", false, "write the tables of README.md anew")

// The README's tables of scenarios and properties say what the registries say.
func TestReadmeTables(t *testing.T) {
	const path = "../../README.md"
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(was)
	for name, rows := range map[string]string{"scenarios": scenarioRows(), "properties": propertyRows()} {
		begin, end := "<!-- table of "+name+" -->\n", "<!-- end of the table -->\n"
		before, rest, found := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("README.md has no %q, or no %q after it", begin, end)
		}
		page = before + begin + rows + end + after
	}
	if page == string(was) {
		return
	}
	if !*update {
		t.Fatal("a table of README.md is out of date: go test ./internal/cli -run TestReadmeTables -update")
	}
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
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
			out += " " + worst(s.Expect[name]) + " |"
		}
		out += "\n"
	}
	return out
}

// worst is the most severe property that is expected to be breached.
func worst(expected map[string]scenarios.Expectation) string {
	name, severity := "holds", check.Leftover+1
	for _, p := range check.Properties {
		if e := expected[p.Name]; p.Severity < severity && (e == scenarios.Some || e == scenarios.Every) {
			name, severity = p.Name, p.Severity
		}
	}
	return name
}

func propertyRows() string {
	out := "| property | breached when |\n| --- | --- |\n"
	for _, p := range check.Properties {
		out += fmt.Sprintf("| `%s` | %s |\n", p.Name, p.Broken)
	}
	return out
}
