package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sources knows where the packages and declarations of a module are, so that the table need not say
// in which file, or folder, something stands.
type sources struct {
	root    string
	folders map[string][]string    // of packages by their names, below the root, with slashes
	files   map[string]declaredSet // by path below the root
}

// A declaredSet is a file and what it declares.
type declaredSet struct {
	text string
	all  []declared
}

// declared is where a function, type, constant or variable stands in a file. A method is called
// Type.Method, and a declaration of several names by the first.
type declared struct {
	name     string
	from, to int
}

// notOurs are folders, below the root, with none of the program's packages, or with modules of
// their own.
var notOurs = []string{"build", "bin", "dist", "tools", "docs"}

// eachSource visits the Go files of the program's packages, by their paths and by their names below
// root, with slashes.
func eachSource(root string, visit func(path, name string) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(notOurs, name) || entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		return visit(path, filepath.ToSlash(name))
	})
}

// sourcesOf lists the packages of the module at root.
func sourcesOf(root string) (*sources, error) {
	s := &sources{root, map[string][]string{}, map[string]declaredSet{}}
	err := eachSource(root, func(path, name string) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		folder, of := filepath.Dir(name), strings.TrimSuffix(file.Name.Name, "_test")
		if !slices.Contains(s.folders[of], folder) {
			s.folders[of] = append(s.folders[of], folder)
		}
		return nil
	})
	return s, err
}

// folder returns the folder of the only package of a name.
func (s *sources) folder(name string) (string, error) {
	if len(s.folders[name]) != 1 {
		return "", fmt.Errorf("%d packages are called %q, not one", len(s.folders[name]), name)
	}
	return s.folders[name][0], nil
}

// resolve finds the file of a mutant, in which its text has to be once, and the folders of its
// tests.
func (s *sources) resolve(m *Mutant) error {
	for i, t := range m.Tests {
		if strings.HasPrefix(t.Package, ".") {
			continue
		}
		folder, err := s.folder(t.Package)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		m.Tests[i].Package = "./" + folder
	}
	if m.Function == "" {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(m.File)))
		if err == nil {
			_, err = m.Apply(string(text))
		}
		return err
	}
	folder, err := s.folder(m.Package)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	files, err := filepath.Glob(filepath.Join(s.root, folder, "*.go"))
	if err != nil {
		return err
	}
	found, known := 0, false
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		name := folder + "/" + filepath.Base(path)
		set, err := s.declared(name)
		if err != nil {
			return err
		}
		known = known || slices.ContainsFunc(set.all, func(d declared) bool { return d.name == m.Function })
		if n := len(set.places(m.Function, m.Old)); n > 0 {
			found, m.File = found+n, name
		}
	}
	switch {
	case !known:
		return fmt.Errorf("%s: package %s declares no %s", m.Name, m.Package, m.Function)
	case found != 1:
		return fmt.Errorf("%s: its old text is in %s of package %s %d times, not once", m.Name, m.Function, m.Package, found)
	}
	return nil
}

// declared reads a file once.
func (s *sources) declared(name string) (declaredSet, error) {
	set, ok := s.files[name]
	if !ok {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return set, err
		}
		if set, err = declarations(string(text)); err != nil {
			return set, fmt.Errorf("%s: %w", name, err)
		}
		s.files[name] = set
	}
	return set, nil
}

// declarations returns what a Go file declares.
func declarations(text string) (declaredSet, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return declaredSet{}, err
	}
	set := declaredSet{text: text}
	add := func(name string, n ast.Node) {
		from, to := files.Position(n.Pos()).Offset, files.Position(n.End()).Offset
		if end := strings.IndexByte(text[to:], '\n'); end > 0 {
			to += end // with a comment behind it
		}
		set.all = append(set.all, declared{name, from, to})
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(receiver(d)+d.Name.Name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, spec)
				case *ast.ValueSpec:
					add(spec.Names[0].Name, spec)
				}
			}
		}
	}
	return set, nil
}

// receiver is the name of a method's type and a dot, empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

// places returns where a text stands in the declaration of a name.
func (set declaredSet) places(name, old string) (at []int) {
	for _, d := range set.all {
		if d.name != name {
			continue
		}
		for from := d.from; ; {
			i := strings.Index(set.text[from:d.to], old)
			if i < 0 {
				break
			}
			at, from = append(at, from+i), from+i+1
		}
	}
	return at
}
