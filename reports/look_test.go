package reports

import (
	"os"
	"testing"
)

func TestLook(t *testing.T) {
	dir := os.Getenv("LOOK")
	if dir == "" {
		t.Skip()
	}
	r, err := ReadResults(dir + "/results.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := WriteAll(dir, r); err != nil {
		t.Fatal(err)
	}
}
