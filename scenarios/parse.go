package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/lockchaos/simrun/internal/text"
)

// Parse reads a scenario strictly: what is not understood is an [*Error] with
// its place, and nothing is returned. file names the source in errors. Names of
// strategies are not checked here, see [Scenario.CheckStrategies].
func Parse(file string, src []byte) (s *Scenario, err error) {
	defer catch(&err)
	r := &reader{file}
	root := r.parse(src)
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	set := map[string]entry{}
	for _, e := range r.mapping("a scenario", root, "name: my-scenario") {
		set[r.known("key", e.key.text, e.key.place, names)] = e
	}
	out := withDefaults()
	for _, f := range fields {
		if e, found := set[f.name]; found {
			f.read(r, out, e)
		} else if f.required {
			r.fail(root.place, ErrMissing, "missing key "+shown(f.name), "add "+f.name+": to the scenario")
		}
	}
	deriveDefaults(out)
	return out, nil
}

// field is a key of a scenario's top level.
type field struct {
	name     string
	required bool
	read     func(*reader, *Scenario, entry)
}

// fields are the keys of a scenario, in the order in which it is best written.
// They are read in this order, so each may be checked against those above it.
var fields = []field{
	{"name", true, (*reader).name},
	{"summary", true, func(r *reader, s *Scenario, e entry) { s.Summary = r.sentence(e) }},
	{"source", false, func(r *reader, s *Scenario, e entry) { s.Source = r.sentence(e) }},
	{"story", false, func(r *reader, s *Scenario, e entry) { s.Story = r.sentence(e) }},
	{"clients", false, func(r *reader, s *Scenario, e entry) { s.Clients = int(r.integer(e, 1, maxClients)) }},
	{"sections", false, func(r *reader, s *Scenario, e entry) { s.Sections = int(r.integer(e, 1, maxSections)) }},
	{"lease", false, func(r *reader, s *Scenario, e entry) { s.Lease = r.duration(e, time.Millisecond) }},
	{"renew", false, (*reader).renew},
	{"cap", false, func(r *reader, s *Scenario, e entry) { s.Cap = int(r.integer(e, 0, math.MaxInt32)) }},
	{"wait", false, func(r *reader, s *Scenario, e entry) { s.Wait = r.duration(e, time.Millisecond) }},
	{"work", true, func(r *reader, s *Scenario, e entry) { s.Work = r.durations(e, 1) }},
	{"think", false, func(r *reader, s *Scenario, e entry) { s.Think = r.durations(e, 0) }},
	{"rollback", false, func(r *reader, s *Scenario, e entry) { s.Rollback = r.durations(e, 0) }},
	{"network", false, func(r *reader, s *Scenario, e entry) { s.Network = r.durations(e, 1) }},
	{"write-timeout", false, func(r *reader, s *Scenario, e entry) { s.WriteTimeout = r.duration(e, time.Millisecond) }},
	{"stock", false, func(r *reader, s *Scenario, e entry) { s.Stock = r.integer(e, 1, math.MaxInt32) }},
	{"limit", false, func(r *reader, s *Scenario, e entry) { s.Limit = r.duration(e, time.Second) }},
	{"require", false, (*reader).require},
	{"bounds", false, (*reader).bounds},
	{"faults", false, (*reader).faults},
	{"expect", false, (*reader).expect},
}

// validName keeps a name fit for a folder and a command line.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (r *reader) name(s *Scenario, e entry) {
	s.Name = r.scalar(e, "my-scenario")
	if !validName.MatchString(s.Name) {
		r.fail(e.value.place, ErrValue, "name "+shown(s.Name)+" is not allowed", "use a to z, 0 to 9 and -, at most 64 of them")
	}
}

func (r *reader) sentence(e entry) string {
	said := r.scalar(e, "one sentence")
	if len(said) > maxText {
		r.fail(e.value.place, ErrTooBig, fmt.Sprintf("%s is longer than %d bytes", e.key.text, maxText), "")
	}
	if said = text.OneLine(said); said == "" {
		r.fail(e.value.place, ErrValue, e.key.text+" must not be empty", "write one sentence, or leave it out")
	}
	return said
}

func (r *reader) renew(s *Scenario, e entry) {
	s.Renew = r.duration(e, time.Millisecond)
	if s.Renew >= s.Lease {
		r.fail(e.value.place, ErrValue, fmt.Sprintf("renew %s must be less than the lease %s", s.Renew, s.Lease),
			fmt.Sprintf("a third of it, %s, is usual", (s.Lease/3).Round(time.Millisecond)))
	}
}

func (r *reader) require(s *Scenario, e entry) {
	for _, kv := range r.mapping("require", e.value, "{sections: 3}") {
		r.known("key", kv.key.text, kv.key.place, []string{"sections"})
		s.MinSections = int(r.integer(kv, 1, maxClients*maxSections))
	}
	if all := s.Clients * s.Sections; s.MinSections > all {
		r.fail(e.value.place, ErrValue, fmt.Sprintf("require asks for %d sections of a run that has %d", s.MinSections, all),
			fmt.Sprintf("use at most %d", all))
	}
}
