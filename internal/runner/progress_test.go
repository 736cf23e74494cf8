package runner

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestLinesComeEveryTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := &Lines{W: &out}
		l.Start(10, 2)
		for i := range 10 {
			time.Sleep(999 * time.Millisecond)
			l.Ran(1)
			if i == 5 {
				l.Cell("expiry naive")
			}
		}
		l.Done()
		want := "3 of 10 runs, 0 of 2 cells\n6 of 10 runs, 0 of 2 cells\n9 of 10 runs, 1 of 2 cells\n"
		if out.String() != want {
			t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
		}
	})
}

func TestBarIsClearedAtTheEnd(t *testing.T) {
	var out bytes.Buffer
	b := &Bar{W: &out}
	b.Start(2, 1)
	b.Ran(1)
	b.Cell("expiry naive")
	b.Ran(1)
	b.Done()
	if !bytes.Contains(out.Bytes(), []byte("running seeds")) || bytes.Contains(out.Bytes(), []byte("\n")) {
		t.Errorf("%q", out.String())
	}
}
