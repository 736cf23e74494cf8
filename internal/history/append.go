package history

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// appendEvent appends the event as encoding/json would write it, without a
// newline. It is written by hand because a history's bytes must stay the same
// whatever a new Go release does, and because it is on the path of every run.
func appendEvent(b []byte, e *Event) []byte {
	b = append(b, `{"n":`...)
	b = strconv.AppendInt(b, int64(e.Seq), 10)
	b = append(b, `,"t":`...)
	b = strconv.AppendInt(b, e.At, 10)
	b = append(b, `,"k":`...)
	b = appendString(b, string(e.Kind))
	b = appendText(b, `,"c":`, e.Client)
	b = appendNumber(b, `,"s":`, int64(e.Section))
	b = appendText(b, `,"owner":`, e.Owner)
	b = appendNumber(b, `,"fence":`, e.Fence)
	b = appendNumber(b, `,"value":`, e.Value)
	b = appendNumber(b, `,"version":`, e.Version)
	b = appendNumber(b, `,"dur":`, e.Dur)
	b = appendText(b, `,"fault":`, e.Fault)
	b = appendText(b, `,"detail":`, e.Detail)
	b = appendText(b, `,"text":`, e.Text)
	return append(b, '}')
}

func appendNumber(b []byte, key string, v int64) []byte {
	if v == 0 {
		return b
	}
	return strconv.AppendInt(append(b, key...), v, 10)
}

func appendText(b []byte, key, v string) []byte {
	if v == "" {
		return b
	}
	return appendString(append(b, key...), v)
}

func appendString(b []byte, s string) []byte {
	if !plain(s) {
		return append(b, mustMarshal(s)...)
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// plain says that encoding/json writes s as it is: ASCII that neither JSON nor
// HTML gives a meaning.
func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20 || c >= 0x7f:
			return false
		case c == '"' || c == '\\' || c == '<' || c == '>' || c == '&':
			return false
		}
	}
	return true
}

// mustMarshal encodes a value of a type that cannot fail to encode.
func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("history: encode %T: %v", v, err))
	}
	return b
}
