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
	for n, sc := range map[string][]string{"one": {"expiry"}, "pause": {"gc-pause"}, "many": {"expiry", "gc-pause"}} {
		d := dir + "/" + n
		if n == "many" {
			if _, err := WriteAll(d, withMisfits(t, d, sc...)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := WriteAll(d, fixture(t, d, sc...)); err != nil {
			t.Fatal(err)
		}
	}
}
