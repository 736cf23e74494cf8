package scenarios

import (
	"os"
	"strings"
	"testing"
)

// The README has a row for every key, in the order in which they are read.
func TestReadme(t *testing.T) {
	src, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(src)
	for _, f := range fields {
		_, after, found := strings.Cut(rest, "\n| `"+f.name+"` | ")
		if !found {
			t.Errorf("README.md has no row for the key %s, or not below that of the key before it in fields (parse.go)", f.name)
			continue
		}
		row, _, _ := strings.Cut(after, "\n")
		if required := strings.HasSuffix(row, "| required |"); required != f.required {
			t.Errorf("README.md: the row of %s ends with required: %t, want %t", f.name, required, f.required)
		}
		rest = after
	}
}
