package scenarios

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Whatever the bytes, the reader returns: with a scenario that a run can rely
// on, or with a place in the file.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		src, err := library.ReadFile("library/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, src := range []string{
		"", "\x00", "---", "...", "- - - -", "[[[[", "{{{{", "? ? ?", "a: &a [*a]", "<<: *x", "!!binary x", "%TAG ! x",
		"name: |\n  x\n", "name: >-\n\n", "name: \"\\u0000\"", "'a': 1", "{name: x, }", "name:\n\tx", "\ufeffname: x", "a: b: c", "\r\r",
		fault + "toxic: {type: slicer, attributes: {average_size: 1}, for: 1s, at: 1s}\n",
		fault + "clock-jump: {by: -2562047h47m16.854775808s, at: 1s}\n",
		fault + "clock-rate: {rate: 0x1p-2, for: 1s, on: crashed, nth: 2}\n",
		head + "clients: 64\nsections: 100000\nlease: 8760h\nwait: 8760h\n",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse("f.yaml", src)
		if err != nil {
			checkError(t, err)
			return
		}
		checkScenario(t, s)
	})
}

func checkError(t *testing.T, err error) {
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no *Error", err)
	}
	if e.Line < 1 || e.Col < 1 || e.Msg == "" || e.Kind == nil {
		t.Errorf("error %+v lacks a part", e)
	}
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
		t.Errorf("error %q is not one line of text", err)
	}
}

func checkScenario(t *testing.T, s *Scenario) {
	switch {
	case s.Name == "" || s.Clients < 1 || s.Clients > maxClients || s.Sections < 1 || s.Stock < 1:
		t.Errorf("nothing to run: %+v", s)
	case s.Lease <= 0 || s.Renew <= 0 || s.Renew >= s.Lease || s.Wait <= 0 || s.WriteTimeout <= 0 || s.Limit <= 0:
		t.Errorf("no time to run: %+v", s)
	case s.Work.Min <= 0 || s.Work.Min > s.Work.Max || s.Network.Min <= 0 || s.Think.Min < 0 || s.Rollback.Min < 0:
		t.Errorf("a range is upside down: %+v", s)
	case s.MinSections < 1 || s.MinSections > s.Clients*s.Sections:
		t.Errorf("no evidence is ever enough: %+v", s)
	}
	for _, p := range s.Faults {
		if p.Spec == nil || p.Fault == nil || p.Text == "" || (p.At == nil) == (p.On == "") {
			t.Errorf("fault %+v lacks a part", p)
		}
		if p.Spec.Lasts != (p.For.Min > 0) || p.Spec.Target != (p.Client != "") {
			t.Errorf("fault %+v is at odds with its kind", p)
		}
	}
	if len(s.ClientNames()) != len(slices.Compact(slices.Sorted(slices.Values(s.ClientNames())))) {
		t.Errorf("two clients of one name: %v", s.ClientNames())
	}
	if Explain(s) == "" {
		t.Error("nothing to explain")
	}
}
