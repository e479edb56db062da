package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"

	"scanmap/internal/kernelsource"
)

// The sources are read line by line, in the style in which they are written. Code that does not
// look as expected, where the host depends on it, is an error: a struct whose layout differs
// between host and device shows nothing but wrong results.

// A place is a line of a source.
type place struct {
	file string
	line int
}

func (p place) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{p.file, p.line}, args...)...)
}

// A constant is one that the host needs: its line says "// exported".
type constant struct {
	place
	comment []string
	beside  string // what stands after "exported: "
	name    string
	value   uint64
}

// A line is one of the body of a struct, without comment.
type line struct {
	place
	text string
}

// A structure is a struct at the top level of a source.
type structure struct {
	place
	comment   []string
	name      string
	alignment int // as alignas says, 1 without
	body      []line
}

// A kernel is what KERNEL introduces.
type kernel struct {
	place
	name, module, parameters string
	threads                  uint64
}

// A program is what all sources together declare, in the order of the files and lines.
type program struct {
	constants  []constant
	structures []structure
	kernels    []kernel
}

var (
	constantLine   = regexp.MustCompile(`^constexpr u32 (\w+) = ([^;]+);\s*(?://(.*))?$`)
	exportedLine   = regexp.MustCompile(`//\s*exported\b(?:: (.*))?`)
	structLine     = regexp.MustCompile(`^struct (?:alignas\((\d+)\) )?(\w+) \{$`)
	parametersLine = regexp.MustCompile(`\bstruct\b.*?\b(\w+Params)\b`)
	kernelWord     = regexp.MustCompile(`^\s*KERNEL\w*\b`)
	kernelLine     = regexp.MustCompile(`^KERNEL(?:_BLOCKS)?\((\w+), (\w+), (\w+)(?:, \w+)?\) \{`)
)

// parse reads the files, each after what it includes: the constants of headers are known in files
// that include them, directly or not.
func parse(files []kernelsource.File) (*program, error) {
	p := &program{}
	constants := map[string]map[string]uint64{} // of each file and of its headers
	for _, f := range files {
		headers, err := f.Includes()
		if err != nil {
			return nil, err
		}
		known := map[string]uint64{}
		for _, header := range headers {
			if constants[header] == nil {
				return nil, fmt.Errorf("%s includes %s, which is not before it", f.Name, header)
			}
			maps.Copy(known, constants[header])
		}
		if err := p.parse(f, known); err != nil {
			return nil, err
		}
		constants[f.Name] = known
	}
	return p, nil
}

func (p *program) parse(f kernelsource.File, known map[string]uint64) error {
	var comment []string
	macros := map[string]*kernelMacro{}
	lines := strings.Split(f.Text, "\n")
	for i := 0; i < len(lines); i++ {
		at, text := place{f.Name, i + 1}, strings.TrimRight(lines[i], " \t\r")
		if words, ok := strings.CutPrefix(text, "//"); ok {
			comment = append(comment, words)
			continue
		}
		above := comment
		comment = nil
		code, _, _ := strings.Cut(text, "//")
		switch {
		case defineLine.MatchString(text):
			for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
				i++
				text = strings.TrimSuffix(text, `\`) + "\n" + strings.TrimRight(lines[i], " \t\r")
			}
			if err := addMacro(macros, at, text); err != nil {
				return err
			}
		case macros[firstWord(text)] != nil:
			if err := p.expand(at, text, macros[firstWord(text)], known); err != nil {
				return err
			}
		case constantLine.MatchString(text):
			c, exported, err := readConstant(at, text, known)
			if err != nil {
				return err
			}
			if exported {
				c.comment = above
				p.constants = append(p.constants, c)
			}
		case exportedLine.MatchString(text):
			return at.errorf("%q is exported, but is no constexpr u32 on one line", text)
		case structLine.MatchString(strings.TrimSpace(code)) && !startsWithSpace(code):
			t := structure{place: at, comment: above, alignment: 1}
			m := structLine.FindStringSubmatch(strings.TrimSpace(code))
			t.name = m[2]
			if m[1] != "" {
				n, err := strconv.Atoi(m[1])
				if err != nil || n <= 0 || n&(n-1) != 0 {
					return at.errorf("alignas(%s) of %s is no power of two", m[1], t.name)
				}
				t.alignment = n
			}
			for i++; ; i++ {
				if i == len(lines) {
					return at.errorf("struct %s has no end: a line of };", t.name)
				}
				code, _, _ := strings.Cut(lines[i], "//")
				code = strings.TrimRight(code, " \t\r")
				if code == "};" {
					break
				}
				if code = strings.TrimSpace(code); code != "" {
					t.body = append(t.body, line{place{f.Name, i + 1}, code})
				}
			}
			p.structures = append(p.structures, t)
		case parametersLine.MatchString(code):
			return at.errorf("struct %s has to begin as in: struct %[1]s {", parametersLine.FindStringSubmatch(code)[1])
		case kernelWord.MatchString(text):
			if err := p.kernel(at, text, known); err != nil {
				return err
			}
		}
	}
	for _, m := range macros {
		if !m.used {
			return m.errorf("macro %s has kernels, but is not used in this file", m.name)
		}
	}
	return nil
}

func startsWithSpace(s string) bool { return strings.TrimLeft(s, " \t") != s }

// readConstant enters a constant into those known. One that is not exported may be beyond
// evaluate, and is then unknown.
func readConstant(at place, text string, known map[string]uint64) (c constant, exported bool, err error) {
	m := constantLine.FindStringSubmatch(text)
	words := exportedLine.FindStringSubmatch(text)
	exported = words != nil
	value, err := evaluate(m[2], known)
	if err != nil {
		if !exported {
			return constant{}, false, nil
		}
		return constant{}, false, at.errorf("%s = %s: %w", m[1], m[2], err)
	}
	known[m[1]] = value
	c = constant{place: at, name: m[1], value: value}
	if exported {
		c.beside = words[1]
	}
	return c, exported, nil
}

func (p *program) kernel(at place, text string, known map[string]uint64) error {
	m := kernelLine.FindStringSubmatch(text)
	if m == nil {
		return at.errorf("a kernel has to begin as in: KERNEL(name, NameParams, THREADS) {")
	}
	if len(kernelAny.FindAllString(text, 2)) == 2 {
		return at.errorf("kernel %s has another one on its line", m[1])
	}
	if kernelsource.IsHeader(at.file) {
		return at.errorf("kernel %s would be in several modules", m[1])
	}
	threads, err := evaluate(m[3], known)
	if err != nil {
		return at.errorf("threads of kernel %s: %w", m[1], err)
	}
	if threads == 0 || threads > 1024 {
		return at.errorf("kernel %s has %d threads a block: 1 to 1024 are possible", m[1], threads)
	}
	if !strings.HasSuffix(m[2], "Params") {
		return at.errorf("kernel %s takes %s, whose name does not end in Params", m[1], m[2])
	}
	for _, k := range p.kernels {
		if k.name == m[1] {
			return at.errorf("kernel %s is also at %s:%d", m[1], k.file, k.line)
		}
	}
	module, _, _ := strings.Cut(at.file, ".")
	p.kernels = append(p.kernels, kernel{at, m[1], module, m[2], threads})
	return nil
}

var unsigned = regexp.MustCompile(`\b(0[xX][0-9a-fA-F]+|[0-9]+)[uU]\b`)

// evaluate returns the value of an expression of u32. It reads it as Go, which binds << & ^ and |
// more tightly than C++ does; where that matters, the expression needs parentheses.
func evaluate(text string, known map[string]uint64) (uint64, error) {
	e, err := parser.ParseExpr(unsigned.ReplaceAllString(text, "$1"))
	if err != nil {
		return 0, fmt.Errorf("%q is no expression of numbers and constants", text)
	}
	return value(e, known)
}

func value(e ast.Expr, known map[string]uint64) (uint64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return value(e.X, known)
	case *ast.Ident:
		if v, ok := known[e.Name]; ok {
			return v, nil
		}
		return 0, fmt.Errorf("%s is no constant known here", e.Name)
	case *ast.BasicLit:
		v, err := strconv.ParseUint(e.Value, 0, 32)
		if err != nil {
			return 0, fmt.Errorf("%s is no number of 32 bits", e.Value)
		}
		return v, nil
	case *ast.BinaryExpr:
		return binary(e, known)
	}
	return 0, fmt.Errorf("only numbers, constants and + - * / %% << >> & | ^ are understood")
}

func binary(e *ast.BinaryExpr, known map[string]uint64) (uint64, error) {
	for _, operand := range []ast.Expr{e.X, e.Y} {
		inner, ok := operand.(*ast.BinaryExpr)
		if ok && !(arithmetic(e.Op) && arithmetic(inner.Op)) {
			return 0, fmt.Errorf("%s beside %s needs parentheses", e.Op, inner.Op)
		}
	}
	x, err := value(e.X, known)
	if err != nil {
		return 0, err
	}
	y, err := value(e.Y, known)
	if err != nil {
		return 0, err
	}
	var v uint64
	switch {
	case (e.Op == token.QUO || e.Op == token.REM) && y == 0:
		return 0, fmt.Errorf("division by zero")
	case (e.Op == token.SHL || e.Op == token.SHR) && y > 31:
		return 0, fmt.Errorf("shift by %d", y)
	case e.Op == token.ADD:
		v = x + y
	case e.Op == token.SUB:
		v = x - y
	case e.Op == token.MUL:
		v = x * y
	case e.Op == token.QUO:
		v = x / y
	case e.Op == token.REM:
		v = x % y
	case e.Op == token.SHL:
		v = x << y
	case e.Op == token.SHR:
		v = x >> y
	case e.Op == token.AND:
		v = x & y
	case e.Op == token.OR:
		v = x | y
	case e.Op == token.XOR:
		v = x ^ y
	default:
		return 0, fmt.Errorf("operator %s is not understood", e.Op)
	}
	if v > math.MaxUint32 {
		return 0, fmt.Errorf("%d %s %d is not a number of 32 bits", x, e.Op, y)
	}
	return v, nil
}

func arithmetic(op token.Token) bool {
	return op == token.ADD || op == token.SUB || op == token.MUL || op == token.QUO || op == token.REM
}
