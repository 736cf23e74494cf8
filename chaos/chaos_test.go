package chaos_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/chaos"
)

func duration(name string, d time.Duration) chaos.Args {
	return chaos.Args{Durations: map[string]time.Duration{name: d}}
}

func words(pairs ...string) chaos.Args {
	a := chaos.Args{Words: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		a.Words[pairs[i]] = pairs[i+1]
	}
	return a
}

func rate(v float64) chaos.Args { return chaos.Args{Numbers: map[string]float64{"rate": v}} }

// toxic has the attributes of the toxic as name, value, name, value.
func toxic(kind, stream string, toxicity float64, attributes map[string]int64) chaos.Args {
	a := words("type", kind)
	if stream != "" {
		a.Words["stream"] = stream
	}
	if toxicity != 0 {
		a.Numbers = map[string]float64{"toxicity": toxicity}
	}
	a.Attributes = attributes
	return a
}

const hour = "3600000"

// What each fault asks of the world, and what it takes back when it ends.
func TestInject(t *testing.T) {
	tests := []struct {
		name   string
		fault  string
		args   chaos.Args
		calls  []string
		undone []string
	}{
		{"pause", "pause", chaos.Args{}, []string{"pause A"}, []string{"undo pause"}},
		{"hang", "hang", chaos.Args{}, []string{"hang A"}, []string{"undo hang"}},
		{"crash", "crash", chaos.Args{}, []string{"crash A"}, nil},
		{"reset", "reset", chaos.Args{}, []string{"reset A"}, nil},
		{"reply lost", "reply-lost", chaos.Args{}, []string{"lose reply A"}, nil},
		{"delayed write", "delayed-write", duration("by", 40*time.Second), []string{"delay write A 40s"}, nil},
		{"clock forward", "clock-jump", duration("by", 31*time.Second), []string{"jump clock 31s"}, nil},
		{"clock back", "clock-jump", duration("by", -time.Minute), []string{"jump clock -1m0s"}, nil},
		{"clock rate", "clock-rate", rate(1.1), []string{"set clock rate 1.1"}, []string{"undo clock rate"}},
		{"restart with data", "redis-restart", words("data", "kept"), []string{"restart, data kept true"}, []string{"undo restart"}},
		{"restart without data", "redis-restart", words("data", "lost"), []string{"restart, data kept false"}, []string{"undo restart"}},
		{"failover", "failover", duration("lag", time.Second), []string{"promote"}, nil},
		{
			"a partition holds both directions", "partition", chaos.Args{},
			[]string{"upstream latency A 1 [latency=" + hour + "]", "downstream latency A 1 [latency=" + hour + "]"},
			[]string{"undo downstream latency", "undo upstream latency"},
		},
		{
			"a partition that drops", "partition", words("mode", "drop", "direction", "both"),
			[]string{"upstream timeout A 1 [timeout=0]", "downstream timeout A 1 [timeout=0]"},
			[]string{"undo downstream timeout", "undo upstream timeout"},
		},
		{
			"a partition of one direction", "partition", words("direction", "upstream", "mode", "hold"),
			[]string{"upstream latency A 1 [latency=" + hour + "]"}, []string{"undo upstream latency"},
		},
		{
			"a toxic is downstream and certain unless told otherwise", "toxic", toxic("latency", "", 0, map[string]int64{"latency": 100, "jitter": 10}),
			[]string{"downstream latency A 1 [jitter=10 latency=100]"}, []string{"undo downstream latency"},
		},
		{
			"a toxic with everything set", "toxic", toxic("slicer", "upstream", 0.5, map[string]int64{"average_size": 4, "size_variation": 3, "delay": 10}),
			[]string{"upstream slicer A 0.5 [average_size=4 delay=10 size_variation=3]"}, []string{"undo upstream slicer"},
		},
		{"noop", "noop", chaos.Args{}, nil, nil},
	}
	covered := map[string]bool{}
	for _, tt := range tests {
		covered[tt.fault] = true
		t.Run(tt.name, func(t *testing.T) {
			w := &fakeWorld{}
			proofs := inject(t, w, tt.fault, tt.args, tt.undone != nil)
			if diff := cmp.Diff(slices.Concat(tt.calls, tt.undone), w.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			checkDeclared(t, tt.fault, w.calls)
			if len(proofs) != 1 || proofs[0] == "" {
				t.Errorf("proofs %q, want one", proofs)
			}
		})
	}
	for _, s := range chaos.Specs() {
		if !covered[s.Name] {
			t.Errorf("no test injects %s: add a case to TestInject", s.Name)
		}
	}
}

// checkDeclared checks that a fault's Spec declares what it asks of the world.
func checkDeclared(t *testing.T, fault string, calls []string) {
	t.Helper()
	spec, _ := chaos.Lookup(fault)
	asks := func(prefixes ...string) bool {
		return slices.ContainsFunc(calls, func(call string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(call, p) })
		})
	}
	if got := asks("upstream", "downstream"); got != spec.NeedsToxics {
		t.Errorf("%s calls AddToxic: %t; set NeedsToxics of its Spec to that", fault, got)
	}
	if got := asks("pause"); got != spec.StopsProcess {
		t.Errorf("%s calls Pause: %t; set StopsProcess of its Spec to that", fault, got)
	}
}

// inject makes the fault, injects it to client A, ends it if it lasts, and
// returns the proofs that it fired with.
func inject(t *testing.T, w chaos.World, name string, a chaos.Args, lasts bool) (proofs []string) {
	t.Helper()
	spec, ok := chaos.Lookup(name)
	if !ok {
		t.Fatalf("no fault %q", name)
	}
	fault, err := spec.New(a)
	if err != nil {
		t.Fatal(err)
	}
	end, err := fault.Inject(w, "A", func(proof string) { proofs = append(proofs, proof) })
	if errors.Is(err, chaos.ErrUnsupported) {
		t.Fatalf("%v: give fakeWorld (world_test.go) the methods that its Inject asks for", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := end != nil; got != lasts || got != spec.Lasts {
		t.Fatalf("Inject returned an end: %t, the case wants one: %t, and Lasts of its Spec is %t: all three must agree", got, lasts, spec.Lasts)
	}
	if end != nil {
		end()
	}
	return proofs
}

// A world that cannot do a fault says so, and nothing counts as fired.
func TestInjectUnsupported(t *testing.T) {
	tests := []struct {
		fault, refuse string
		args          chaos.Args
		calls         []string // done and taken back before the refusal
	}{
		{"pause", "pause", chaos.Args{}, nil},
		{"hang", "hang", chaos.Args{}, nil},
		{"crash", "crash", chaos.Args{}, nil},
		{"reset", "reset", chaos.Args{}, nil},
		{"reply-lost", "lose reply", chaos.Args{}, nil},
		{"delayed-write", "delay write", duration("by", time.Second), nil},
		{"clock-jump", "jump", duration("by", time.Second), nil},
		{"clock-rate", "set clock", rate(2), nil},
		{"redis-restart", "restart", words("data", "kept"), nil},
		{"failover", "promote", duration("lag", time.Second), nil},
		{"partition", "downstream", chaos.Args{}, []string{"upstream latency A 1 [latency=" + hour + "]", "undo upstream latency"}},
		{"toxic", "downstream", toxic("latency", "", 0, nil), nil},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			spec, _ := chaos.Lookup(tt.fault)
			fault, err := spec.New(tt.args)
			if err != nil {
				t.Fatal(err)
			}
			w := &fakeWorld{refuse: tt.refuse}
			end, err := fault.Inject(w, "A", func(proof string) { t.Errorf("fired with %q", proof) })
			if !errors.Is(err, chaos.ErrUnsupported) {
				t.Errorf("error %v, want ErrUnsupported", err)
			}
			if end != nil {
				t.Error("a refused fault has an end")
			}
			if diff := cmp.Diff(tt.calls, w.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// What a fault needs before anything runs, and a world that cannot give it.
func TestPrepare(t *testing.T) {
	spec, _ := chaos.Lookup("failover")
	fault, err := spec.New(duration("lag", 500*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	w := &fakeWorld{}
	if err := fault.(chaos.Preparer).Prepare(w); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"replicate 500ms"}, w.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if err := fault.(chaos.Preparer).Prepare(&fakeWorld{refuse: "replicate"}); !errors.Is(err, chaos.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}

// Parameters that a fault refuses, and how it says so.
func TestNewRefuses(t *testing.T) {
	tests := []struct {
		name  string
		fault string
		args  chaos.Args
		want  string
		valid []string
	}{
		{"a write not delayed", "delayed-write", chaos.Args{}, "by: must be above 0s", nil},
		{"a write delayed into the past", "delayed-write", duration("by", -1), "by: must be above 0s", nil},
		{"a clock that does not jump", "clock-jump", chaos.Args{}, "by: must not be 0s: the clock would not move", nil},
		{"a clock that stands", "clock-rate", rate(0), "rate: must be above 0 and at most 1000", nil},
		{"a clock that runs back", "clock-rate", rate(-1), "rate: must be above 0 and at most 1000", nil},
		{"a clock that is no number", "clock-rate", rate(math.NaN()), "rate: must be above 0 and at most 1000", nil},
		{"a clock beyond bounds", "clock-rate", rate(1001), "rate: must be above 0 and at most 1000", nil},
		{"a clock that is right", "clock-rate", rate(1), "rate: must not be 1: the clock would run as it does", nil},
		{"a replica that is up to date", "failover", duration("lag", 0), "lag: must be above 0s", nil},
		{"an unknown toxic", "toxic", toxic("lag", "", 0, nil), `type: unknown toxic "lag"`,
			[]string{"bandwidth", "latency", "limit_data", "reset_peer", "slicer", "slow_close", "timeout"}},
		{"an attribute of another toxic", "toxic", toxic("latency", "", 0, map[string]int64{"rate": 1}),
			`attributes.rate: toxic latency has no attribute "rate"`, []string{"jitter", "latency"}},
		{"a negative attribute", "toxic", toxic("latency", "", 0, map[string]int64{"latency": -1}),
			"attributes.latency: must be from 0 to 2147483647", nil},
		{"an attribute that overflows", "toxic", toxic("timeout", "", 0, map[string]int64{"timeout": math.MaxInt64}),
			"attributes.timeout: must be from 0 to 2147483647", nil},
		{"a rate of zero would loop", "toxic", toxic("bandwidth", "", 0, nil),
			`attributes: toxic bandwidth needs the attribute "rate"`, nil},
		{"slices of nothing would loop", "toxic", toxic("slicer", "", 0, map[string]int64{"average_size": 0}),
			"attributes.average_size: must be from 1 to 2147483647", nil},
		{"slices that vary too much", "toxic", toxic("slicer", "", 0, map[string]int64{"average_size": 3, "size_variation": 3}),
			"attributes.size_variation: must be less than average_size", nil},
		{"a toxic that hits nothing", "toxic", toxic("latency", "", -0.1, nil), "toxicity: must be above 0 and at most 1", nil},
		{"a toxic more than certain", "toxic", toxic("latency", "", 1.1, nil), "toxicity: must be above 0 and at most 1", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec, _ := chaos.Lookup(tt.fault)
			_, err := spec.New(tt.args)
			var bad *chaos.ParamError
			if !errors.As(err, &bad) {
				t.Fatalf("error %v, want a *ParamError", err)
			}
			if err.Error() != tt.want {
				t.Errorf("error %q, want %q", err, tt.want)
			}
			if diff := cmp.Diff(tt.valid, bad.Valid); diff != "" {
				t.Errorf("valid words (-want +got):\n%s", diff)
			}
		})
	}
}

// Each entry of the vocabulary is complete, and found by its name.
func TestVocabulary(t *testing.T) {
	for _, s := range chaos.Specs() {
		switch found, ok := chaos.Lookup(s.Name); {
		case s.Name == "":
			t.Errorf("the fault that %q has no Name", s.Doc)
		case !ok || found != s:
			t.Errorf("two faults have the Name %q: rename one of them", s.Name)
		}
		if s.Doc == "" {
			t.Errorf("%s has no Doc: say in one line what it does", s.Name)
		}
		if s.New == nil {
			t.Errorf("%s has no New", s.Name)
		}
		if s.Text == nil {
			t.Errorf("%s has no Text: say in a few words what it does to {client}", s.Name)
		}
		for _, p := range s.Params {
			if p.Doc == "" {
				t.Errorf("%s: parameter %s has no Doc", s.Name, p.Name)
			}
			if (p.Kind == chaos.KindWord) != (len(p.OneOf) > 0) {
				t.Errorf("%s: parameter %s: a KindWord, and nothing else, has its words in OneOf", s.Name, p.Name)
			}
		}
	}
	if _, ok := chaos.Lookup("meteor"); ok {
		t.Error("Lookup finds a fault that is none")
	}
}

// A fault that the vocabulary lacks cannot be named in a scenario.
func TestVocabularyHasEverySpec(t *testing.T) {
	vocabulary, err := os.ReadFile("vocabulary.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range regexp.MustCompile(`(?m)^var (\w+) = Spec{`).FindAllSubmatch(src, -1) {
			if line := "&" + string(spec[1]) + ","; !strings.Contains(string(vocabulary), line) {
				t.Errorf("%s: add the line %s to vocabulary.go", file, line)
			}
		}
	}
}
