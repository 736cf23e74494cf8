package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxSize is the largest scenario file in bytes.
const MaxSize = 1 << 20

// maxDepth bounds nesting: the deepest value of a scenario is at 5. Beyond some
// hundred thousand the parser's recursion would end the process.
const maxDepth = 16

// maxTokens bounds how much there is to parse. The parser's time grows with the
// square of a mapping's keys; a scenario has some hundred tokens.
const maxTokens = 20_000

// node is a YAML value reduced to what scenarios use: a mapping in the order of
// the file, a sequence, or a scalar as its author wrote it.
type node struct {
	place
	kind   nodeKind
	text   string // of a scalar
	quoted bool   // a scalar that can only be a string
	pairs  []pair
	items  []*node
}

type pair struct{ key, value *node }

type nodeKind uint8

const (
	nullNode nodeKind = iota
	scalarNode
	mappingNode
	sequenceNode
)

func (k nodeKind) String() string {
	return [...]string{"nothing", "a single value", "a mapping", "a list"}[k]
}

// parseYAML reads one document. It refuses what a scenario does not need and a
// reader could trip over: anchors, aliases, merge keys, tags, directives,
// several documents, and deep nesting.
func parseYAML(file string, src []byte) (*node, error) {
	fail := func(p place, kind error, msg, hint string) (*node, error) {
		return nil, &Error{File: file, Line: p.line, Col: p.col, Msg: msg, Hint: hint, Kind: kind}
	}
	if len(src) > MaxSize {
		return fail(place{1, 1}, ErrTooBig, fmt.Sprintf("file is larger than %d bytes", MaxSize), "is this a scenario?")
	}
	if p, what := notText(src); what != "" {
		return fail(p, ErrSyntax, "file is not text: "+what, "save it as UTF-8")
	}
	tokens := lexer.Tokenize(string(src))
	for _, t := range tokens {
		if t.Position == nil {
			t.Position = &token.Position{Line: 1, Column: 1}
		}
	}
	if err := checkTokens(file, tokens); err != nil {
		return nil, err
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if syntax := (*yaml.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, syntaxError(file, tokens, syntax)
	} else if err != nil {
		return fail(place{1, 1}, ErrSyntax, err.Error(), "")
	}
	var root *node
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			return fail(placeOf(doc.Body.GetToken()), ErrSyntax, "a second document", "put each scenario into its own file")
		}
		if root, err = convert(file, doc.Body, 0); err != nil {
			return nil, err
		}
	}
	if root == nil || root.kind == nullNode {
		return fail(place{1, 1}, ErrMissing, "file is empty", "a scenario needs at least a name, a summary and work")
	}
	return root, nil
}

// notText finds the first thing that no text file holds.
func notText(src []byte) (place, string) {
	at := func(i int) place {
		line := bytes.Count(src[:i], []byte("\n")) + 1
		start := bytes.LastIndexByte(src[:i], '\n') + 1
		return place{line, utf8.RuneCount(src[start:i]) + 1}
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return at(i), "invalid UTF-8"
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == 0x7f:
			return at(i), fmt.Sprintf("control character %#02x", r)
		}
		i += size
	}
	return place{}, ""
}

var refusedTokens = map[token.Type]string{
	token.AnchorType:     "anchors (&)",
	token.AliasType:      "aliases (*)",
	token.MergeKeyType:   "merge keys (<<)",
	token.TagType:        "tags (!)",
	token.DirectiveType:  "directives (%)",
	token.MappingKeyType: "complex keys (?)",
}

// checkTokens runs before the parser, whose recursion follows the nesting.
func checkTokens(file string, tokens token.Tokens) error {
	flow, dashes, line := 0, 0, 0
	for i, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType:
			dashes++
		}
		e := &Error{File: file, Line: t.Position.Line, Col: max(t.Position.Column, 1)}
		if what, refused := refusedTokens[t.Type]; refused {
			e.Msg, e.Hint, e.Kind = "a scenario has no "+what, "write the value out", ErrSyntax
			return e
		}
		if i >= maxTokens {
			e.Msg, e.Hint, e.Kind = fmt.Sprintf("more than %d words and marks", maxTokens), "is this a scenario?", ErrTooBig
			return e
		}
		if flow > maxDepth || dashes > maxDepth {
			e.Msg, e.Kind = fmt.Sprintf("nested deeper than %d", maxDepth), ErrTooBig
			return e
		}
	}
	return nil
}

func convert(file string, n ast.Node, depth int) (*node, error) {
	out := &node{place: placeOf(n.GetToken())}
	fail := func(kind error, msg string) (*node, error) {
		return nil, &Error{File: file, Line: out.line, Col: out.col, Msg: msg, Kind: kind}
	}
	if depth > maxDepth {
		return fail(ErrTooBig, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		return out, out.addPairs(file, n.Values, depth)
	case *ast.MappingValueNode:
		return out, out.addPairs(file, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = sequenceNode
		for _, v := range n.Values {
			item, err := convert(file, v, depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, item)
		}
	case *ast.StringNode:
		out.kind, out.text, out.quoted = scalarNode, n.Value, n.Token.Type != token.StringType
	case *ast.LiteralNode:
		out.kind, out.text, out.quoted = scalarNode, n.Value.Value, true
	case ast.ScalarNode:
		out.kind, out.text = scalarNode, n.GetToken().Value
	default:
		return fail(ErrSyntax, "a scenario has no such YAML: "+n.Type().String())
	}
	return out, nil
}

// addPairs makes n a mapping, placed at its first key.
func (n *node) addPairs(file string, values []*ast.MappingValueNode, depth int) error {
	n.kind = mappingNode
	seen := map[string]place{}
	for i, v := range values {
		key, err := convert(file, v.Key, depth+1)
		if err != nil {
			return err
		}
		if key.kind != scalarNode {
			return &Error{File: file, Line: key.line, Col: key.col, Msg: "a key must be a word, not " + key.kind.String(), Kind: ErrSyntax}
		}
		if i == 0 {
			n.place = key.place
		}
		if first, twice := seen[key.text]; twice {
			return &Error{File: file, Line: key.line, Col: key.col, Kind: ErrDuplicate,
				Msg: "duplicate key " + shown(key.text), Hint: fmt.Sprintf("it is already set in line %d", first.line)}
		}
		seen[key.text] = key.place
		value, err := convert(file, v.Value, depth+1)
		if err != nil {
			return err
		}
		n.pairs = append(n.pairs, pair{key, value})
	}
	return nil
}
