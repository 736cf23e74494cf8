package chaos_test

import (
	"os"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/chaos"
)

// The README teaches the faults as they are.
func TestReadme(t *testing.T) {
	src, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(src)
	for _, s := range chaos.Specs() {
		if !strings.Contains(readme, "| `"+s.Name+"` | "+s.Doc+" |") {
			t.Errorf("the table lacks the row of %s: %s", s.Name, s.Doc)
		}
		for _, p := range s.Params {
			if !strings.Contains(readme, "`"+p.Name+"`") {
				t.Errorf("%s: parameter %s is not told", s.Name, p.Name)
			}
		}
	}
	if want := "`" + strings.Join(chaos.Triggers(), "`, `") + "`"; !strings.Contains(readme, want) {
		t.Errorf("the words of on: are not %s", want)
	}
	noop, err := os.ReadFile("noop.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(noop), "var noopSpec")
	if lesson := strings.ReplaceAll(readme, "\n   ", "\n"); !strings.Contains(lesson, "var noopSpec"+code) {
		t.Error("the lesson is not the code of noop.go")
	}
}
