package scenarios

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lockchaos/simrun/chaos"
)

// schemaFile is the JSON Schema of a scenario file, which editors use to complete
// and check. It is generated here from the reader's own vocabulary.
const schemaFile = "schema.json"

type object = map[string]any

// oneDuration is what time.ParseDuration reads.
const oneDuration = `([+-]?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+|0)`

func described(doc string, schema object) object {
	schema["description"] = doc
	return schema
}

func durationSchema() object {
	return times("^" + oneDuration + "$")
}

func rangeSchema() object {
	return times("^" + oneDuration + `(\.\.` + oneDuration + ")?$")
}

// times is text of a pattern, or 0, the one time that needs no unit.
func times(pattern string) object {
	return object{"type": []string{"string", "integer"}, "pattern": pattern, "minimum": 0, "maximum": 0}
}

func atLeast(n int) object { return object{"type": "integer", "minimum": n} }

// fieldSchemas describes the keys of a scenario. Each entry of fields needs one.
func fieldSchemas() object {
	bounds, expected := object{}, object{}
	for _, name := range boundedProperties() {
		bounds[name] = durationSchema()
	}
	for _, name := range Properties() {
		expected[name] = object{"enum": []Expectation{Some, None, Every}}
	}
	line := func() object { return object{"type": "string", "minLength": 1, "maxLength": maxText} }
	return object{
		"name":          described("a to z, 0 to 9 and -; the name of the file", object{"type": "string", "pattern": validName.String()}),
		"summary":       described("one sentence", line()),
		"source":        described("where it happened or was described", line()),
		"story":         described("what happens, at length", line()),
		"clients":       described("how many clients, named A, B, …; 3 if absent", object{"type": "integer", "minimum": 1, "maximum": maxClients}),
		"sections":      described("critical sections for each client; 4 if absent", object{"type": "integer", "minimum": 1, "maximum": maxSections}),
		"lease":         described("how long the lock's key lives; 30s if absent", durationSchema()),
		"renew":         described("time between renewals, less than the lease; a third of it if absent", durationSchema()),
		"cap":           described("the most renewals, for a lock that caps them; 5 if absent", atLeast(0)),
		"wait":          described("the longest that one try to acquire the lock may take; 2m if absent", durationSchema()),
		"work":          described("time inside the critical section", rangeSchema()),
		"think":         described("time between critical sections; 0s..2s if absent", rangeSchema()),
		"rollback":      described("how long an aborted section stays inside; 5ms..20ms if absent", rangeSchema()),
		"network":       described("latency of a message, each direction; 200us..1ms if absent", rangeSchema()),
		"write-timeout": described("when a client gives up a write to the resource; 5s if absent", durationSchema()),
		"stock":         described("of the resource at the start; each section sells one", atLeast(1)),
		"limit":         described("virtual time after which a run is stopped", durationSchema()),
		"require":       described("fewer sections in all are too little evidence", closed(object{"sections": atLeast(1)})),
		"bounds":        described("how late is too late, for each property that has a bound", closed(bounds)),
		"faults":        described("what goes wrong, and when", object{"type": "array", "maxItems": maxFaults, "items": faultsSchema()}),
		"expect": described("for each strategy, in how many runs each property is breached", object{
			"type": "object", "additionalProperties": closed(expected),
		}),
	}
}

// closed is an object with these properties and no others.
func closed(properties object, required ...string) object {
	o := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// faultsSchema is one fault: a single key, its name, with its parameters.
func faultsSchema() object {
	byName := object{}
	for _, spec := range chaos.Specs() {
		byName[spec.Name] = described(spec.Doc, faultSchema(spec))
	}
	one := closed(byName)
	one["minProperties"], one["maxProperties"] = 1, 1
	return one
}

func faultSchema(spec *chaos.Spec) object {
	properties := object{
		"at":    described("when it happens", rangeSchema()),
		"on":    described("the event on which it happens", object{"enum": chaos.Triggers()}),
		"after": described("how long after the event", rangeSchema()),
		"nth":   described("at the nth event only", atLeast(1)),
		"every": described("at every so many events", atLeast(1)),
	}
	var required []string
	if spec.Target {
		properties["client"] = described("any, all, or a client's name; any if absent", object{"type": "string"})
	}
	if spec.Lasts {
		properties["for"] = described("how long it lasts", rangeSchema())
		required = append(required, "for")
	}
	for _, p := range spec.Params {
		kinds := map[chaos.ParamKind]object{
			chaos.KindDuration:   durationSchema(),
			chaos.KindNumber:     {"type": "number"},
			chaos.KindWord:       {"enum": p.OneOf},
			chaos.KindAttributes: {"type": "object", "additionalProperties": atLeast(0)},
		}
		properties[p.Name] = described(p.Doc, kinds[p.Kind])
		if p.Required {
			required = append(required, p.Name)
		}
	}
	o := closed(properties, required...)
	o["oneOf"] = []object{{"required": []string{"at"}}, {"required": []string{"on"}}}
	return o
}

func schema(t *testing.T) []byte {
	t.Helper()
	properties := fieldSchemas()
	var required []string
	for _, f := range fields {
		if properties[f.name] == nil {
			t.Errorf("the JSON Schema does not know the key %q: describe it in fieldSchemas (schema_test.go)", f.name)
		}
		if f.required {
			required = append(required, f.name)
		}
	}
	if len(properties) != len(fields) {
		t.Errorf("fieldSchemas describes %d keys, the reader knows %d", len(properties), len(fields))
	}
	all := closed(properties, required...)
	all["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	all["title"] = "simrun scenario"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSchemaIsCurrent(t *testing.T) {
	want := schema(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the reader accepts (-want +got; go test ./scenarios -update rewrites it):\n%s", schemaFile, diff)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaFile, doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile(schemaFile)
}

func validate(t *testing.T, s *jsonschema.Schema, src []byte) error {
	t.Helper()
	text, err := yaml.YAMLToJSON(src)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// An editor must not fault what simrun reads.
func TestSchemaAcceptsEveryScenario(t *testing.T) {
	s := compiled(t)
	check := func(path string) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, src); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	entries, err := fs.ReadDir(os.DirFS("library"), ".")
	if err != nil || len(entries) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, e := range entries {
		check(filepath.Join("library", e.Name()))
	}
	check("../examples/batch-job.yaml")
}

func TestSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	s := compiled(t)
	const head = "name: x\nsummary: y\nwork: 1s\n"
	for name, src := range map[string]string{
		"no summary":                   "name: x\nwork: 1s\n",
		"unknown key":                  head + "leas: 30s\n",
		"duration without a unit":      head + "lease: 30\n",
		"bad name":                     "name: X Y\nsummary: y\nwork: 1s\n",
		"no clients":                   head + "clients: 0\n",
		"unknown fault":                head + "faults: [{paus: {for: 1s, at: 1s}}]\n",
		"fault without a time":         head + "faults: [{pause: {for: 1s}}]\n",
		"fault with two times":         head + "faults: [{pause: {for: 1s, at: 1s, on: entered}}]\n",
		"fault without its duration":   head + "faults: [{pause: {at: 1s}}]\n",
		"fault of Redis with a client": head + "faults: [{clock-jump: {by: 1s, at: 1s, client: A}}]\n",
		"two faults in one":            head + "faults: [{crash: {at: 1s}, noop: {at: 1s}}]\n",
		"unknown property":             head + "expect: {naive: {overlapp: some}}\n",
		"unknown expectation":          head + "expect: {naive: {overlap: never}}\n",
		"bound of no bounded property": head + "bounds: {overlap: 1s}\n",
	} {
		if _, err := Parse("x.yaml", []byte(src)); err == nil {
			t.Errorf("%s: the reader accepts it, so it is no case", name)
		}
		if validate(t, s, []byte(src)) == nil {
			t.Errorf("%s: the schema accepts it", name)
		}
	}
}
