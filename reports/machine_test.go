package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/results"
)

func TestJUnit(t *testing.T) {
	for name, r := range map[string]results.Results{
		"pass":    fixture(t, t.TempDir(), "expiry", "gc-pause"),
		"misfits": withMisfits(t, t.TempDir(), "expiry"),
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := JUnit(&out, r); err != nil {
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
		c := junitCell(results.Scenario{Name: "x"}, results.Strategy{Name: "y", Verdict: v})
		if len(c.Failures)+len(c.Errors) == 0 {
			t.Errorf("verdict %v reads as a pass", v)
		}
	}
}

func TestTrace(t *testing.T) {
	h, events := toyHistory("gc-pause", toyLocks[0])
	v := judgeToy(events).violations[0]
	var out bytes.Buffer
	if err := Trace(&out, h, events, v); err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.json", out.Bytes())

	var file struct {
		Events []struct {
			Phase string   `json:"ph"`
			TS    *float64 `json:"ts"`
			Dur   *float64 `json:"dur"`
			PID   int      `json:"pid"`
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	phases := map[string]int{}
	for _, e := range file.Events {
		phases[e.Phase]++
		if e.TS == nil || e.PID == 0 || (e.Phase == "X") != (e.Dur != nil) {
			t.Errorf("event of phase %s lacks ts, pid or dur: %+v", e.Phase, e)
		}
	}
	if phases["s"] != 1 || phases["f"] != 1 {
		t.Errorf("want one arrow through the violation, got phases %v", phases)
	}
}

func TestResultsComeBackAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	want := withMisfits(t, dir, "expiry", "gc-pause")
	path, err := WriteResults(dir, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadResults(path)
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

func TestReadResultsIsStrict(t *testing.T) {
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
		"history outside":  {`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","history":"../x"}]}]}`, ErrResults},
		"history absolute": {`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","history":"/etc/passwd"}]}]}`, ErrResults},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := DecodeResults(bytes.NewReader([]byte(tc.text))); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	if _, err := ReadResults(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: got %v", err)
	}
}

// Whatever the reader accepts, every writer must be able to draw.
func FuzzDecodeResults(f *testing.F) {
	var seed bytes.Buffer
	r := withMisfits(f, f.TempDir(), "gc-pause")
	r.Scenarios[0].Strategies = r.Scenarios[0].Strategies[:3]
	if err := EncodeResults(&seed, r); err != nil {
		f.Fatal(err)
	}
	f.Add(seed.Bytes())
	f.Add([]byte(`{"version":1,"scenarios":[{"name":"a","strategies":[{"name":"b","wait_cdf_ms":[1]}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeResults(bytes.NewReader(b))
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
			"json":     EncodeResults(&out, r),
			"html":     writeHTML(&out, r, nil),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
