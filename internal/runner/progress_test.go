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
		lines := Lines(&out)
		p := Progress{Runs: 10, Cells: 2}
		lines(p)
		for i := range 10 {
			time.Sleep(999 * time.Millisecond)
			p.Ran++
			lines(p)
			if i == 5 {
				p.Ended, p.Cell = 1, "expiry naive"
			}
		}
		p.Done = true
		lines(p)
		want := "3 of 10 runs, 0 of 2 cells\n6 of 10 runs, 0 of 2 cells\n9 of 10 runs, 1 of 2 cells\n"
		if out.String() != want {
			t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
		}
	})
}

func TestBarIsClearedAtTheEnd(t *testing.T) {
	var out bytes.Buffer
	bar := Bar(&out)
	for _, p := range []Progress{
		{Runs: 2, Cells: 1}, {Runs: 2, Cells: 1, Ran: 1}, {Runs: 2, Cells: 1, Ran: 2, Ended: 1, Cell: "expiry naive"},
		{Runs: 2, Cells: 1, Ran: 2, Ended: 1, Cell: "expiry naive", Done: true},
	} {
		bar(p)
	}
	if !bytes.Contains(out.Bytes(), []byte("running seeds")) || bytes.Contains(out.Bytes(), []byte("\n")) {
		t.Errorf("%q", out.String())
	}
}
