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
	if want := "`" + strings.Join(chaos.Triggers(), "`, `") + "`"; !strings.Contains(readme, want) {
		t.Errorf("README.md: the row of `on` does not list %s", want)
	}
	noop, err := os.ReadFile("noop.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(noop), "var noopSpec")
	if lesson := strings.ReplaceAll(readme, "\n   ", "\n"); !strings.Contains(lesson, "var noopSpec"+code) {
		t.Error("README.md: the code of step 1 differs from noop.go: copy it from there")
	}
}
