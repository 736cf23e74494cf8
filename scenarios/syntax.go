package scenarios

import (
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// slips are the mistakes that a part of the parser's message identifies.
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

// explainSyntax returns the mistake behind an error of the parser, at the place
// to mend: the parser names what it looked for, not what to do about it.
func explainSyntax(from *yaml.SyntaxError, tokens token.Tokens) (at place, msg, hint string) {
	at = placeOf(from.Token)
	open := unclosed(tokens)
	quote := strings.Contains(from.Message, "quoted text")
	switch {
	case from.Token == nil:
		return at, from.Message, ""
	case open != nil && !quote && open.Position.Offset <= from.Token.Position.Offset:
		return placeOf(open), "this " + open.Value + " is not closed", "end it with " + closing[open.Value]
	case from.Token.Type == token.CollectEntryType:
		return at, "a comma with nothing before it", "remove it"
	case strings.HasPrefix(from.Message, "',' or "):
		return at, "a comma is missing before this", "put one between two entries"
	case strings.HasPrefix(from.Message, "mapping value is not allowed"):
		return explainColon(from.Token)
	}
	for _, s := range slips {
		if strings.Contains(from.Message, s.part) {
			return at, s.msg, s.hint
		}
	}
	if strings.HasPrefix(from.Message, "value is not allowed") {
		if text := strings.TrimSpace(from.Token.Value); text == "}" || text == "]" {
			return at, "this " + text + " closes nothing", "remove it"
		}
		return at, "this line is indented like no line above it", "begin it in the same column as what it belongs with"
	}
	return at, from.Message, "look at the indentation, the quotes and the brackets here"
}

// explainColon explains a second colon in one value. A value that runs on to the
// next line was meant as two: that line is a key, indented too deep.
func explainColon(t *token.Token) (at place, msg, hint string) {
	at = placeOf(t)
	text := strings.TrimRight(t.Origin, " \n")
	_, last, twoLines := strings.Cut(strings.TrimLeft(text, " \n"), "\n")
	if !twoLines {
		return at, "a second : in one value", "put the value in quotes"
	}
	at.line++
	at.col = len(last) - len(strings.TrimLeft(last, " ")) + 1
	return at, "this line is indented deeper than the key above it", "begin both in the same column"
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
