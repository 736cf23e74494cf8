package check

import (
	"os"
	"strings"
	"testing"
)

// The README teaches the properties as they are.
func TestReadme(t *testing.T) {
	src, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(src)
	for _, p := range Properties {
		if row := "| `" + p.Name + "` | " + p.Broken + " | " + p.Unit + " | "; !strings.Contains(readme, row) {
			t.Errorf("the table lacks the row %s", row)
		}
	}
	zombie, err := os.ReadFile("zombie.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(zombie), "// zombie:")
	if lesson := strings.ReplaceAll(readme, "\n   ", "\n"); !strings.Contains(lesson, code) {
		t.Error("the lesson is not the code of zombie.go")
	}
}
