package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/results"
)

func TestJUnit(t *testing.T) {
	dir := t.TempDir()
	for name, r := range map[string]results.Results{
		"pass":    fixture(t, dir, "expiry", "gc-pause"),
		"misfits": withMisfits(t, dir, "expiry"),
		"not-run": endedEarly(t, dir),
	} {
		t.Run(name, func(t *testing.T) {
			all, err := load(dir, r)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := writeJUnit(&out, r, all); err != nil {
				t.Fatal(err)
			}
			var back junitSuites
			if err := xml.Unmarshal(out.Bytes(), &back); err != nil {
				t.Fatalf("not XML: %v", err)
			}
			golden(t, "junit-"+name+".xml", out.Bytes())
		})
	}
}

// What is not a pass must never read as one, whatever else is missing.
func TestJUnitNeverPassesWhatDidNot(t *testing.T) {
	for _, v := range []results.Verdict{results.Unknown, results.Fail} {
		c := junitCell(results.Scenario{Name: "x"}, results.Strategy{Name: "y", Verdict: v}, nil)
		if len(c.Failures)+len(c.Errors) == 0 {
			t.Errorf("verdict %v reads as a pass", v)
		}
	}
}

func TestTrace(t *testing.T) {
	h, events := toyHistory("gc-pause", toyLocks[0])
	v := judgeToy(events).violations[0]
	var out bytes.Buffer
	if err := writeTrace(&out, newEvidence(h, events, &v)); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Events []struct {
			Name, Cat string
			Phase     string   `json:"ph"`
			TS        *float64 `json:"ts"`
			Dur       *float64 `json:"dur"`
			PID, TID  int
			ID        int
			Args      struct{ Name, Text string }
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	names, found := map[int]string{}, map[string]bool{}
	var arrows []string
	last, others := 0.0, 0
	for _, e := range file.Events {
		if e.TS == nil || e.PID == 0 || (e.Phase == "X") != (e.Dur != nil) {
			t.Fatalf("event of phase %s lacks ts, pid or dur: %+v", e.Phase, e)
		}
		if *e.TS < last {
			t.Errorf("%+v is earlier than the event before it", e)
		}
		last = *e.TS
		if e.Name == "process_name" {
			names[e.PID] = e.Args.Name
		}
		at := fmt.Sprintf("%s: %s %s at %.0f", names[e.PID], e.Cat, e.Name, *e.TS)
		switch e.Phase {
		case "X":
			found[fmt.Sprintf("%s for %.0f", at, *e.Dur)] = true
		case "i":
			found[at+": "+e.Args.Text] = true
		case "s", "t", "f":
			if e.ID != 1 { // not the first violation
				others++
				continue
			}
			arrows = append(arrows, fmt.Sprintf("%s %s at %.0f", e.Phase, names[e.PID], *e.TS))
		}
	}
	for _, want := range []string{
		"client A: client waiting at 2000 for 1000",
		"client A: client inside at 3000 for 20002500",
		"client B: fault pause at 25007500 for 40000000",
		"Redis: redis owner A at 2500 for 20004000",
		"Redis: event locked at 2500: client A acquires the lock (lease 30 s)",
		"client A: event wrote at 20005000: client A writes stock 99",
	} {
		if !found[want] {
			t.Errorf("the trace lacks %q", want)
		}
	}
	if want := []string{"s client B at 20007500", "f client C at 50408000"}; !slices.Equal(arrows, want) {
		t.Errorf("the arrow goes %q, want %q", arrows, want)
	}
	if others == 0 {
		t.Error("the trace has no other violation than the first")
	}
}

func TestResultsComeBackAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	want := withMisfits(t, dir, "expiry", "gc-pause")
	if _, err := Write(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}

func TestReadIsStrict(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want error
	}{
		"empty":            {"", ErrResults},
		"not JSON":         {"\x00\x01", ErrResults},
		"not an object":    {"[]", ErrResults},
		"no version":       {"{}", ErrResults},
		"later version":    {`{"version":2,"more":1}`, ErrVersion},
		"unknown field":    {`{"version":1,"more":1}`, ErrResults},
		"unknown verdict":  {`{"version":1,"verdict":"perhaps"}`, ErrResults},
		"two documents":    {`{"version":1}{"version":1}`, ErrResults},
		"nameless":         {`{"version":1,"scenarios":[{"strategies":[]}]}`, ErrResults},
		"strategy twice":   {`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b"},{"name":"b"}]}]}`, ErrResults},
		"guarantee":        {`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","guarantee":"fine","expectation":"changed"}]}]}`, ErrResults},
		"expectation":      {`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","guarantee":"holds"}]}]}`, ErrResults},
		"history outside":  {`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","history":"../x"}]}]}`, ErrResults},
		"history absolute": {`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","history":"/etc/passwd"}]}]}`, ErrResults},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := decode(bytes.NewReader([]byte(tc.text))); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: got %v", err)
	}
}

// Whatever the reader accepts, every writer must be able to draw.
func FuzzRead(f *testing.F) {
	var seed bytes.Buffer
	r := withMisfits(f, f.TempDir(), "gc-pause")
	r.Scenarios[0].Strategies = r.Scenarios[0].Strategies[:3]
	if err := encode(&seed, r); err != nil {
		f.Fatal(err)
	}
	f.Add(seed.Bytes())
	f.Add([]byte(`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","wait_cdf_ms":[1]}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decode(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, ErrResults) && !errors.Is(err, ErrVersion) {
				t.Fatalf("an error of no known sort: %v", err)
			}
			return
		}
		var out bytes.Buffer
		for name, err := range map[string]error{
			"terminal": Terminal(&out, r, TerminalOptions{Width: 40, Details: true}),
			"junit":    JUnit(&out, r),
			"json":     encode(&out, r),
			"html":     writeHTML(&out, t.TempDir(), r, nil),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
