package scenarios

import (
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// The parser's messages name what it looked for; an author needs to know what
// to mend. syntaxError tells the mistake behind one, at the place to mend.
func syntaxError(file string, tokens token.Tokens, from *yaml.SyntaxError) *Error {
	e := &Error{File: file, Kind: ErrSyntax}
	at := placeOf(from.Token)
	e.Msg, e.Hint, at = plainSyntax(from, tokens, at)
	e.Line, e.Col = at.line, at.col
	return e
}

// slips are those that the parser's message alone tells, by a part of it.
var slips = []struct{ part, msg, hint string }{
	{"'\t'", "a tab cannot indent", "use spaces"},
	{"double-quoted text", "this quote is not closed", `end it with "`},
	{"single-quoted text", "this quote is not closed", "end it with '"},
	{"pre-defined", "text after a closing quote", "put all of the text in one pair of quotes"},
	{"reserved character", "text cannot begin with this character", "put the text in quotes"},
	{"block sequence entries", "a list cannot begin on its key's line", "begin it on a line of its own"},
	{"escape character", "a backslash with a letter that means nothing", `write \\ for a backslash`},
	{"unexpected key name", "no : after a key", "write it as key: value"},
	{"non-map value is specified", "no : after a key", "write it as key: value"},
	{"could not find '[' character", "this ] closes nothing", "remove it"},
	{"could not find '{' character", "this } closes nothing", "remove it"},
	{"invalid key for this map", "a key must be a word", "write it as key: value"},
}

func plainSyntax(from *yaml.SyntaxError, tokens token.Tokens, at place) (msg, hint string, _ place) {
	open := unclosed(tokens)
	quote := strings.Contains(from.Message, "quoted text")
	switch {
	case from.Token == nil:
		return from.Message, "", at
	case open != nil && !quote && open.Position.Offset <= from.Token.Position.Offset:
		return "this " + open.Value + " is not closed", "end it with " + closing[open.Value], placeOf(open)
	case from.Token.Type == token.CollectEntryType:
		return "a comma with nothing before it", "remove it", at
	case strings.HasPrefix(from.Message, "',' or "):
		return "a comma is missing before this", "put one between two entries", at
	case strings.HasPrefix(from.Message, "mapping value is not allowed"):
		return colon(from.Token)
	}
	for _, s := range slips {
		if strings.Contains(from.Message, s.part) {
			return s.msg, s.hint, at
		}
	}
	if strings.HasPrefix(from.Message, "value is not allowed") {
		if text := strings.TrimSpace(from.Token.Value); text == "}" || text == "]" {
			return "this " + text + " closes nothing", "remove it", at
		}
		return "this line is indented like no line above it", "begin it in the same column as what it belongs with", at
	}
	return from.Message, "look at the indentation, the quotes and the brackets here", at
}

// colon tells a second colon in one value. Where the value went on in the next
// line, that line was meant as a key and is indented too deep.
func colon(t *token.Token) (msg, hint string, at place) {
	at = placeOf(t)
	text := strings.TrimRight(t.Origin, " \n")
	_, last, twoLines := strings.Cut(strings.TrimLeft(text, " \n"), "\n")
	if !twoLines {
		return "a second : in one value", "put the value in quotes", at
	}
	at.line++
	at.col = len(last) - len(strings.TrimLeft(last, " ")) + 1
	return "this line is indented deeper than the key above it", "begin both in the same column", at
}

var closing = map[string]string{"[": "]", "{": "}"}

// unclosed is the innermost bracket that nothing closes, if there is one.
func unclosed(tokens token.Tokens) *token.Token {
	var open []*token.Token
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			open = append(open, t)
		case token.SequenceEndType, token.MappingEndType:
			if len(open) == 0 {
				continue
			}
			last := open[len(open)-1]
			if closing[last.Value] != t.Value {
				return last
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[len(open)-1]
}
