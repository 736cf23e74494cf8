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
	kind    nodeKind
	text    string // of a scalar
	quoted  bool   // a scalar that can only be a string
	entries []entry
	items   []*node
}

type entry struct{ key, value *node }

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

// parse reads one YAML document. It rejects what a scenario does not need and a
// reader could trip over: anchors, aliases, merge keys, tags, directives, several
// documents, and deep nesting.
func (r *reader) parse(src []byte) *node {
	if len(src) > MaxSize {
		r.fail(place{1, 1}, ErrTooBig, fmt.Sprintf("file is larger than %d bytes", MaxSize), "is this a scenario?")
	}
	r.checkText(src)
	tokens := lexer.Tokenize(string(src))
	r.checkTokens(tokens)
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if syntax := (*yaml.SyntaxError)(nil); errors.As(err, &syntax) {
		at, msg, hint := explainSyntax(syntax, tokens)
		r.fail(at, ErrSyntax, msg, hint)
	} else if err != nil {
		r.fail(place{1, 1}, ErrSyntax, err.Error(), "")
	}
	var root *node
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			r.fail(placeOf(doc.Body.GetToken()), ErrSyntax, "a second document", "put each scenario into its own file")
		}
		root = r.convert(doc.Body, 0)
	}
	if root == nil || root.kind == nullNode {
		r.fail(place{1, 1}, ErrMissing, "file is empty", "a scenario needs at least a name, a summary and work")
	}
	return root
}

// checkText rejects bytes that no text file holds.
func (r *reader) checkText(src []byte) {
	for i := 0; i < len(src); {
		c, size := utf8.DecodeRune(src[i:])
		what := ""
		switch {
		case c == utf8.RuneError && size == 1:
			what = "invalid UTF-8"
		case c < ' ' && c != '\n' && c != '\r' && c != '\t', c == 0x7f:
			what = fmt.Sprintf("control character %#02x", c)
		}
		if what != "" {
			line := bytes.Count(src[:i], []byte("\n")) + 1
			start := bytes.LastIndexByte(src[:i], '\n') + 1
			r.fail(place{line, utf8.RuneCount(src[start:i]) + 1}, ErrSyntax, "file is not text: "+what, "save it as UTF-8")
		}
		i += size
	}
}

var rejectedTokens = map[token.Type]string{
	token.AnchorType:     "anchors (&)",
	token.AliasType:      "aliases (*)",
	token.MergeKeyType:   "merge keys (<<)",
	token.TagType:        "tags (!)",
	token.DirectiveType:  "directives (%)",
	token.MappingKeyType: "complex keys (?)",
}

// checkTokens runs before the parser, whose recursion follows the nesting.
func (r *reader) checkTokens(tokens token.Tokens) {
	flow, dashes, line := 0, 0, 0
	for i, t := range tokens {
		if t.Position == nil { // the parser reads it
			t.Position = &token.Position{Line: 1, Column: 1}
		}
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
		if what, rejected := rejectedTokens[t.Type]; rejected {
			r.fail(placeOf(t), ErrSyntax, "a scenario has no "+what, "write the value out")
		}
		if i >= maxTokens {
			r.fail(placeOf(t), ErrTooBig, fmt.Sprintf("more than %d words and marks", maxTokens), "is this a scenario?")
		}
		r.checkDepth(max(flow, dashes), placeOf(t))
	}
}

func (r *reader) checkDepth(depth int, p place) {
	if depth > maxDepth {
		r.fail(p, ErrTooBig, fmt.Sprintf("nested deeper than %d", maxDepth), "")
	}
}

func (r *reader) convert(n ast.Node, depth int) *node {
	out := &node{place: placeOf(n.GetToken())}
	r.checkDepth(depth, out.place)
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		r.addEntries(out, n.Values, depth)
	case *ast.MappingValueNode:
		r.addEntries(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = sequenceNode
		for _, v := range n.Values {
			out.items = append(out.items, r.convert(v, depth+1))
		}
	case *ast.StringNode:
		out.kind, out.text, out.quoted = scalarNode, n.Value, n.Token.Type != token.StringType
	case *ast.LiteralNode:
		out.kind, out.text, out.quoted = scalarNode, n.Value.Value, true
	case ast.ScalarNode:
		out.kind, out.text = scalarNode, n.GetToken().Value
	default:
		r.fail(out.place, ErrSyntax, "a scenario has no such YAML: "+n.Type().String(), "")
	}
	return out
}

// addEntries makes n a mapping, placed at its first key.
func (r *reader) addEntries(n *node, values []*ast.MappingValueNode, depth int) {
	n.kind = mappingNode
	seen := map[string]place{}
	for i, v := range values {
		key := r.convert(v.Key, depth+1)
		if key.kind != scalarNode {
			r.fail(key.place, ErrSyntax, "a key must be a word, not "+key.kind.String(), "")
		}
		if i == 0 {
			n.place = key.place
		}
		if first, twice := seen[key.text]; twice {
			r.fail(key.place, ErrDuplicate, "duplicate key "+shown(key.text), fmt.Sprintf("it is already set in line %d", first.line))
		}
		seen[key.text] = key.place
		n.entries = append(n.entries, entry{key, r.convert(v.Value, depth+1)})
	}
}
