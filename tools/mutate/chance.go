package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// notTried are folders, below the root, of packages that only tests have.
var notTried = []string{"internal/acceptance", "internal/docs", "internal/effort", "internal/emulator", "internal/finders",
	"internal/fuzzing", "internal/leaks", "internal/rules", "internal/truth", "internal/recipes", "internal/dist", "internal/validate"}

// commandTests are the tests that run whole commands.
const commandTests = "./cmd/scanmap"

// byChance draws n of all faults that operators make of the sources below root and whose name, a
// file's with a place and the change, matches. They are mutants that tests nearby should notice.
func byChance(root string, only *regexp.Regexp, n int, seed uint64) ([]Mutant, error) {
	var all []Mutant
	err := eachSource(root, func(path, name string) error {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(notTried, filepath.Dir(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte("DO NOT EDIT")) {
			return err
		}
		found, err := faultsOf(name, string(text), testsNear(root, filepath.Dir(name)))
		for _, m := range found {
			if only.MatchString(m.Name) {
				all = append(all, m)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))], nil
}

// testsNear are all tests of a folder below the root, of those above it, and of the commands.
func testsNear(root, folder string) (tests []TestOf) {
	for ; folder != "."; folder = filepath.Dir(folder) {
		if own, _ := filepath.Glob(filepath.Join(root, folder, "*_test.go")); len(own) > 0 {
			tests = append(tests, TestOf{"./" + filepath.ToSlash(folder), allTests})
		}
	}
	if len(tests) == 0 || tests[0].Package != commandTests {
		tests = append(tests, TestOf{commandTests, allTests})
	}
	return tests
}

// allTests are those of a package.
var allTests = []string{"Test.*", "Fuzz.*"}

// otherOperator has what a binary operator is replaced by.
var otherOperator = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD, token.SHL: token.SHR, token.SHR: token.SHL,
	token.AND: token.OR, token.OR: token.AND,
}

// otherName has what a name is replaced by.
var otherName = map[string]string{"true": "false", "false": "true", "min": "max", "max": "min"}

// faultsOf returns all faults of a file. Operators, names, `break` and `continue` become others. An
// error is not returned, ± 1 is dropped, a statement is left out.
func faultsOf(name, text string, tests []TestOf) (all []Mutant, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, err
	}
	fault := func(from, to token.Pos, with string) {
		f, past := set.Position(from), set.Position(to)
		all = append(all, Mutant{
			Name: fmt.Sprintf("%s:%d:%d `%s` becomes `%s`", name, f.Line, f.Column, text[f.Offset:past.Offset], with), File: name,
			Old: text, New: text[:f.Offset] + with + text[past.Offset:], Tests: tests, Why: "by chance",
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.CONST || n.Tok == token.VAR
		case *ast.BinaryExpr:
			if other, ok := otherOperator[n.Op]; ok {
				fault(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other.String())
			}
			if one, ok := n.Y.(*ast.BasicLit); ok && one.Value == "1" && (n.Op == token.ADD || n.Op == token.SUB) {
				fault(n.X.End(), n.End(), "")
			}
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				break
			}
			if last, ok := n.Results[len(n.Results)-1].(*ast.Ident); ok && last.Name == "err" {
				fault(last.Pos(), last.End(), "nil")
			}
		case *ast.Ident:
			if other, ok := otherName[n.Name]; ok {
				fault(n.Pos(), n.End(), other)
			}
		case *ast.BranchStmt:
			if n.Label == nil && (n.Tok == token.BREAK || n.Tok == token.CONTINUE) {
				other := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}
				fault(n.Pos(), n.End(), other[n.Tok])
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				fault(n.Pos(), n.End(), "")
			}
		case *ast.ExprStmt:
			fault(n.Pos(), n.End(), "")
		}
		return true
	})
	return all, nil
}
