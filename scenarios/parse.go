package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/lockchaos/simrun/chaos"
)

// field is a key of a scenario's top level.
type field struct {
	name     string
	required bool
	read     func(*reader, *Scenario, pair) error
}

// Parse reads a scenario strictly: what is not understood is an [*Error] with
// its place, and nothing is returned. file names the source in errors. Names of
// strategies are not checked here, see [Scenario.CheckStrategies].
func Parse(file string, src []byte) (*Scenario, error) {
	root, err := parseYAML(file, src)
	if err != nil {
		return nil, err
	}
	r := &reader{file}
	pairs, err := r.mapping("a scenario", root, "name: my-scenario")
	if err != nil {
		return nil, err
	}
	s := &Scenario{}
	setDefaults(s)
	seen, err := r.fields(s, pairs)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if f.required && seen[f.name] == nil {
			return nil, r.fail(root.place, ErrMissing, "missing key "+shown(f.name), "add "+f.name+": to the scenario")
		}
	}
	deriveDefaults(s)
	if err := r.validate(s, seen); err != nil {
		return nil, err
	}
	return s, nil
}

func (r *reader) fields(s *Scenario, pairs []pair) (map[string]*node, error) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	seen := map[string]*node{}
	for _, p := range pairs {
		if err := r.known("key", p.key.text, p.key.place, names); err != nil {
			return nil, err
		}
		for _, f := range fields {
			if f.name != p.key.text {
				continue
			}
			if err := f.read(r, s, p); err != nil {
				return nil, err
			}
			seen[f.name] = p.value
		}
	}
	return seen, nil
}

// fields are the keys of a scenario, in the order in which it is best written.
var fields = []field{
	{"name", true, (*reader).name},
	{"summary", true, textField(func(s *Scenario) *string { return &s.Summary })},
	{"source", false, textField(func(s *Scenario) *string { return &s.Source })},
	{"story", false, textField(func(s *Scenario) *string { return &s.Story })},
	{"clients", false, intField(func(s *Scenario) *int { return &s.Clients }, 1, maxClients)},
	{"sections", false, intField(func(s *Scenario) *int { return &s.Sections }, 1, maxSections)},
	{"lease", false, durationField(func(s *Scenario) *time.Duration { return &s.Lease }, time.Millisecond)},
	{"renew", false, durationField(func(s *Scenario) *time.Duration { return &s.Renew }, time.Millisecond)},
	{"cap", false, intField(func(s *Scenario) *int { return &s.Cap }, 0, math.MaxInt32)},
	{"wait", false, durationField(func(s *Scenario) *time.Duration { return &s.Wait }, time.Millisecond)},
	{"work", true, rangeField(func(s *Scenario) *chaos.Range { return &s.Work }, 1)},
	{"think", false, rangeField(func(s *Scenario) *chaos.Range { return &s.Think }, 0)},
	{"rollback", false, rangeField(func(s *Scenario) *chaos.Range { return &s.Rollback }, 0)},
	{"network", false, rangeField(func(s *Scenario) *chaos.Range { return &s.Network }, 1)},
	{"write-timeout", false, durationField(func(s *Scenario) *time.Duration { return &s.WriteTimeout }, time.Millisecond)},
	{"stock", false, (*reader).stock},
	{"limit", false, durationField(func(s *Scenario) *time.Duration { return &s.Limit }, time.Second)},
	{"require", false, (*reader).require},
	{"bounds", false, (*reader).bounds},
	{"faults", false, (*reader).faults},
	{"expect", false, (*reader).expect},
}

func textField(at func(*Scenario) *string) func(*reader, *Scenario, pair) error {
	return func(r *reader, s *Scenario, p pair) error {
		text, err := r.scalar(p.key.text, p.value, "one sentence")
		if err != nil {
			return err
		}
		if len(text) > maxText {
			return r.fail(p.value.place, ErrTooBig, fmt.Sprintf("%s is longer than %d bytes", p.key.text, maxText), "")
		}
		if text = strings.TrimSpace(oneLine(text)); text == "" {
			return r.fail(p.value.place, ErrValue, p.key.text+" must not be empty", "write one sentence, or leave it out")
		}
		*at(s) = text
		return nil
	}
}

func intField(at func(*Scenario) *int, low, high int64) func(*reader, *Scenario, pair) error {
	return func(r *reader, s *Scenario, p pair) error {
		v, err := r.integer(p.key.text, p.value, low, high)
		*at(s) = int(v)
		return err
	}
}

func durationField(at func(*Scenario) *time.Duration, low time.Duration) func(*reader, *Scenario, pair) error {
	return func(r *reader, s *Scenario, p pair) (err error) {
		*at(s), err = r.durationFrom(p.key.text, p.value, low)
		return err
	}
}

func rangeField(at func(*Scenario) *chaos.Range, low time.Duration) func(*reader, *Scenario, pair) error {
	return func(r *reader, s *Scenario, p pair) (err error) {
		*at(s), err = r.rangeFrom(p.key.text, p.value, low)
		return err
	}
}

// validName keeps a name fit for a folder and a command line.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (r *reader) name(s *Scenario, p pair) error {
	text, err := r.scalar("name", p.value, "my-scenario")
	if err != nil {
		return err
	}
	if !validName.MatchString(text) {
		return r.fail(p.value.place, ErrValue, "name "+shown(text)+" is not allowed", "use a to z, 0 to 9 and -, at most 64 of them")
	}
	s.Name = text
	return nil
}

func (r *reader) stock(s *Scenario, p pair) (err error) {
	s.Stock, err = r.integer("stock", p.value, 1, math.MaxInt32)
	return err
}

func (r *reader) require(s *Scenario, p pair) error {
	pairs, err := r.mapping("require", p.value, "{sections: 3}")
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if err := r.known("key", p.key.text, p.key.place, []string{"sections"}); err != nil {
			return err
		}
		v, err := r.integer("sections", p.value, 1, maxClients*maxSections)
		if err != nil {
			return err
		}
		s.MinSections = int(v)
	}
	return nil
}

// validate checks what only shows when the whole file is read.
func (r *reader) validate(s *Scenario, seen map[string]*node) error {
	at := func(key, otherwise string) place {
		if n := seen[key]; n != nil {
			return n.place
		}
		return seen[otherwise].place
	}
	if s.Renew >= s.Lease {
		return r.fail(at("renew", "lease"), ErrValue, fmt.Sprintf("renew %s must be less than the lease %s", s.Renew, s.Lease),
			fmt.Sprintf("a third of it, %s, is usual", (s.Lease/3).Round(time.Millisecond)))
	}
	if all := s.Clients * s.Sections; s.MinSections > all {
		return r.fail(seen["require"].place, ErrValue, fmt.Sprintf("require asks for %d sections of a run that has %d", s.MinSections, all),
			fmt.Sprintf("use at most %d", all))
	}
	return r.targets(s)
}
