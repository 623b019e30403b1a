package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// On some processors Go computes a product and a sum in one step, with another last bit than in two. A
// product that is an operand of a sum is therefore converted to its own type, which forbids that. The
// rule is kept for integers too: then no types have to be looked at.
func TestNoProductIsAnOperandOfASum(t *testing.T) {
	for _, room := range []string{"corpus", "sched", "internal/measure", "internal/compare", "internal/view/report"} {
		names, err := filepath.Glob(filepath.Join("..", "..", room, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has %d files, %v", room, len(names), err)
		}
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(integersOnly, filepath.Base(name)) })
		lookForFusableProducts(t, names)
	}
}

// integersOnly are the files of the generators, which compute with whole words and nothing else.
var integersOnly = []string{"mersenne.go", "pcg.go"}

func lookForFusableProducts(t *testing.T, names []string) {
	t.Helper()
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(files, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			for _, operand := range summands(node) {
				for {
					inner, ok := operand.(*ast.ParenExpr)
					if !ok {
						break
					}
					operand = inner.X
				}
				if product, ok := operand.(*ast.BinaryExpr); ok && product.Op == token.MUL {
					t.Errorf("%s: a product in a sum: write float64(a*b)", files.Position(product.Pos()))
				}
			}
			return true
		})
	}
}

func summands(node ast.Node) []ast.Expr {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		if node.Op == token.ADD || node.Op == token.SUB {
			return []ast.Expr{node.X, node.Y}
		}
	case *ast.AssignStmt:
		if node.Tok == token.ADD_ASSIGN || node.Tok == token.SUB_ASSIGN {
			return node.Rhs
		}
	}
	return nil
}
