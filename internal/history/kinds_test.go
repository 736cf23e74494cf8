package history

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestKindsAreAllThere: a kind that is declared but not listed would be refused
// by the reader.
func TestKindsAreAllThere(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []Kind
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Kind" {
			s, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared = append(declared, Kind(s))
		}
		return true
	})
	if len(declared) == 0 || !slices.Equal(declared, Kinds()) {
		t.Errorf("Kinds are\n%v, declared are\n%v", Kinds(), declared)
	}
}
