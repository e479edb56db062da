package search

import (
	"fmt"
	"strings"
)

// Methods are all methods, in the order in which help and tables show them: first the methods of
// this package, then registered ones.
func Methods() []*Method { return methods }

var methods = []*Method{
	shiftOrMethod,
	wuManberMethod,
	bruteForceMethod,
	planesMethod,
	neighboursMethod,
}

func init() {
	for _, m := range methods {
		for _, s := range m.Schemes {
			s.Method = m.Name
		}
	}
}

// Auto is the name of a method or scheme by which the fastest one is chosen.
const Auto = "auto"

// FindScheme returns a method's scheme by their names. For scheme auto it is the first scheme of
// the method, which Run need not choose.
func FindScheme(method, scheme string) (*Scheme, error) {
	for _, m := range methods {
		if m.Name != method {
			continue
		}
		var names []string
		for _, s := range m.Schemes {
			if s.Name == scheme || scheme == Auto {
				return s, nil
			}
			names = append(names, s.Name)
		}
		return nil, fmt.Errorf("scheme %q of method %s is not one of auto, %s", scheme, method, strings.Join(names, ", "))
	}
	var names []string
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("method %q is not one of auto, %s", method, strings.Join(names, ", "))
}

// Register adds a method of another package. Its schemes set ByCodes, ByFlags or both. From then on
// the method can be named, `bench` measures it, and auto weighs it by rates.tsv. Register is for
// init functions.
func Register(m *Method) {
	for _, s := range m.Schemes {
		s.Method = m.Name
		if make := s.ByCodes; make != nil {
			s.cpu = byCodes(func(n *needle) ByteFinder { return make(Needle{n}) })
		}
		if s.ByFlags != nil {
			s.gpu = flagFinder(s.ByFlags)
		}
	}
	methods = append(methods, m)
}
