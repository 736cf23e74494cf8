package strictjson

import (
	"errors"
	"strings"
	"testing"
)

type base struct {
	ID int `json:"id"`
}

type object struct {
	base
	Name string            `json:"name,omitempty"`
	More map[string]string `json:"more"`
}

func TestUnmarshal(t *testing.T) {
	keys := Keys[object]()
	for _, tt := range []struct {
		line, says string // the error; empty for none
		required   int
	}{
		{`{"id":1,"name":"x: {,}","more":{"a,b":"}"}}`, "", 2},
		{` {"n\u0061me":"x","id":1} `, "", 2},
		{`{}`, "", 0},
		{``, "unexpected end", 0},
		{`null`, "null is no object", 0},
		{`[]`, "cannot unmarshal array", 0},
		{`{"id":1} {}`, "after top-level value", 0},
		{`{"id":"1"}`, `id" cannot be a string`, 0},
		{`{"ID":1}`, `unknown key "ID"`, 0},
		{`{"id":1,"nam":"x"}`, `unknown key "nam"`, 0},
		{`{"id":1,"name":"x","id":2}`, `"id" comes twice`, 0},
		{`{"id":1,"\u0069d":2}`, `"id" comes twice`, 0},
		{`{"id":1}`, `it lacks "name"`, 2},
		{`{"id":1,"name":null}`, `"name" cannot be null`, 2},
	} {
		err := Unmarshal([]byte(tt.line), &object{}, keys, tt.required)
		switch {
		case tt.says == "" && err != nil:
			t.Errorf("%s: %v", tt.line, err)
		case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%s: error %v, want %q", tt.line, err, tt.says)
		}
	}
	var unknown UnknownKey
	if err := Unmarshal([]byte(`{"x":1}`), &object{}, keys, 0); !errors.As(err, &unknown) || unknown != "x" {
		t.Errorf("error %v, want the UnknownKey x", err)
	}
}

// Whatever Unmarshal takes, encoding/json takes too, and the other way round it
// names its reason.
func FuzzUnmarshal(f *testing.F) {
	f.Add(`{"id":1,"name":"\\\"","more":{"a":"b"}}`)
	f.Fuzz(func(t *testing.T, line string) {
		if err := Unmarshal([]byte(line), &object{}, Keys[object](), 1); err != nil && err.Error() == "" {
			t.Error("an error without a text")
		}
	})
}
