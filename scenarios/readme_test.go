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
			t.Errorf("the table lacks the row of %s, or has it elsewhere", f.name)
			continue
		}
		row, _, _ := strings.Cut(after, "\n")
		if required := strings.HasSuffix(row, "| required |"); required != f.required {
			t.Errorf("%s is required: %t, the table says %t", f.name, f.required, required)
		}
		rest = after
	}
}
