package results

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the JSON Schemas anew")

// schemas are the published files, generated here from the Go types and [described].
var schemas = map[string]struct {
	title string
	of    any
}{
	"results.schema.json":   {"results.json of simrun: what each lock did in each scenario", Results{}},
	"agreement.schema.json": {"agreement.json of simrun: where virtual and live runs agree", Agreement{}},
}

type object = map[string]any

// kinds are the types whose JSON is a word of a fixed set.
var kinds = map[reflect.Type]object{
	reflect.TypeFor[Verdict]():     {"enum": words},
	reflect.TypeFor[Guarantee]():   {"enum": []Guarantee{Holds, Broken, Unclear}},
	reflect.TypeFor[Expectation](): {"enum": []Expectation{AsExpected, Changed, NotAsked}},
}

// generator makes a schema, with a definition for each struct.
type generator struct {
	t    *testing.T
	defs object
	used map[string]bool // keys of described
}

func (g *generator) schema(typ reflect.Type) object {
	if k, ok := kinds[typ]; ok {
		out := object{}
		for key, v := range k {
			out[key] = v
		}
		return out
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return g.schema(typ.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": g.schema(typ.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": g.schema(typ.Elem())}
	case reflect.Struct:
		name := typ.Name()
		if _, known := g.defs[name]; !known {
			g.defs[name] = nil // it may contain itself
			g.defs[name] = g.object(typ)
		}
		return object{"$ref": "#/$defs/" + name}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	default:
		g.t.Fatalf("%s has no JSON Schema", typ)
		return nil
	}
}

func (g *generator) object(typ reflect.Type) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(typ) {
		tag, given := f.Tag.Lookup("json")
		if f.Anonymous && !given {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" || !f.IsExported() {
			g.t.Errorf("%s.%s has no JSON name", typ, f.Name)
		}
		key := typ.Name() + "." + name
		s := g.schema(f.Type)
		s["description"] = described[key]
		if described[key] == "" {
			g.t.Errorf("describe %q in described (schema_words_test.go), with its unit", key)
		}
		g.used[key] = true
		properties[name] = s
		if options == "" {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func generate(t *testing.T, g *generator, file string) []byte {
	t.Helper()
	g.defs = object{}
	typ := reflect.TypeOf(schemas[file].of)
	g.schema(typ)
	all := g.defs[typ.Name()].(object)
	delete(g.defs, typ.Name())
	all["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	all["title"] = schemas[file].title
	all["$defs"] = g.defs
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The published schemas have every field of the Go types and no other, each with a
// description.
func TestSchemasAreCurrent(t *testing.T) {
	g := &generator{t: t, used: map[string]bool{}}
	for file := range schemas {
		want, path := generate(t, g, file), filepath.Join("../../docs/schema", file)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what simrun writes (-want +got; go test ./internal/results -update rewrites it):\n%s", path, diff)
		}
	}
	for key := range described {
		if !g.used[key] {
			t.Errorf("described has %q, which no file has", key)
		}
	}
}
