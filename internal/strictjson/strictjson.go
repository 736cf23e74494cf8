// Package strictjson reads JSON objects of which every key counts.
//
// Goals: what encoding/json lets pass is an error, since a reader could
// misunderstand it. Non-goals: speed beyond that of encoding/json, and nested
// objects, whose keys are not checked.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// UnknownKey is the error for a key that the object does not have.
type UnknownKey string

func (k UnknownKey) Error() string { return fmt.Sprintf("unknown key %q", string(k)) }

// Keys lists the keys of a struct, with those of structs that it embeds.
func Keys[T any]() (keys []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if !f.Anonymous {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
	}
	return keys
}

// Unmarshal reads line into v, a pointer to a zero struct, and checks what
// encoding/json does not: that each key is one of keys, to the letter, and comes
// once, that the first ones, as many as required, are there, and, if any are, that
// no value is null. It fails with an [UnknownKey], or with an error that says what
// is wrong.
func Unmarshal(line []byte, v any, keys []string, required int) error {
	if err := json.Unmarshal(line, v); err != nil {
		if at := (*json.UnmarshalTypeError)(nil); errors.As(err, &at) && at.Field != "" {
			return fmt.Errorf("%q cannot be a %s", at.Field, at.Value)
		}
		return err
	}
	object := bytes.Trim(line, " \t\r\n")
	if object[0] != '{' {
		return errors.New("null is no object")
	}
	var seen uint
	for rest := bytes.TrimSpace(object[1 : len(object)-1]); len(rest) > 0; {
		var quoted, value []byte
		quoted, rest = cut(rest)
		value, rest = cut(rest)
		key := strings.Trim(string(quoted), "\" \t\r\n")
		if strings.Contains(key, `\`) {
			_ = json.Unmarshal(quoted, &key) // which succeeded above
		}
		i := slices.Index(keys, key)
		switch {
		case i < 0:
			return UnknownKey(key)
		case seen&(1<<i) != 0:
			return fmt.Errorf("%q comes twice", key)
		case required > 0 && bytes.HasPrefix(bytes.TrimSpace(value), []byte("null")):
			return fmt.Errorf("%q cannot be null", key)
		}
		seen |= 1 << i
	}
	for i, key := range keys[:required] {
		if seen&(1<<i) == 0 {
			return fmt.Errorf("it lacks %q", key)
		}
	}
	return nil
}

// cut splits valid JSON at its first colon or comma that is neither in a string
// nor nested.
func cut(b []byte) (first, rest []byte) {
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case depth == 0 && (c == ':' || c == ','):
			return b[:i], b[i+1:]
		}
	}
	return b, nil
}
