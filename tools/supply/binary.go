package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// binary is a program with the modules that are linked.
type binary struct {
	info    *debug.BuildInfo
	sha256  string   // of the file, in hexadecimal digits
	modules []module // the standard library first, then by path; not the program's own
}

// module is a module that is linked.
type module struct {
	path, version string // of the standard library std and the version of Go
	sum           string // h1:..., empty of the standard library
	licences      []licence
}

// licence is a file of licences.
type licence struct {
	file string // from the folder of the module, with slashes
	ids  []string
	text string
}

// standardLibrary is the module that build information does not list.
const standardLibrary = "std"

// mayBeLinked are the licences, by their SPDX identifiers, under which a binary may be passed on
// with their texts and nothing else. Another one is a decision, and then goes here.
var mayBeLinked = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "Unlicense", "Zlib"}

// licenceNames matches the names of files of licences, and of their folders.
var licenceNames = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^copying|^notice|^third_party_licen[cs]es`)

// readBinary reads what Go noted in a binary and the licences of its modules, from the cache of
// modules, for the packages that its main package needs. root is the folder of the program's
// module.
func readBinary(root, file string) (*binary, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	b := &binary{sha256: hex.EncodeToString(sum[:])}
	if b.info, err = buildinfo.Read(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	folders, err := linkedFolders(root, b.info)
	if err != nil {
		return nil, err
	}
	b.modules = []module{{path: standardLibrary, version: strings.TrimPrefix(b.info.GoVersion, "go")}}
	for _, d := range b.info.Deps {
		if d.Replace != nil {
			return nil, fmt.Errorf("%s is replaced by %s, which is not known to anybody else", d.Path, d.Replace.Path)
		}
		b.modules = append(b.modules, module{path: d.Path, version: d.Version, sum: d.Sum})
	}
	for i := range b.modules {
		m := &b.modules[i]
		if m.licences, err = licencesOf(folders[m.path]); err != nil {
			return nil, fmt.Errorf("module %s: %w", m.path, err)
		}
	}
	return b, nil
}

// moduleFolders are where a module is and where its packages are that are linked.
type moduleFolders struct {
	root     string
	packages []string
}

// linkedFolders returns the folders of each module, as go list knows them for the platform and the
// tags of the binary.
func linkedFolders(root string, info *debug.BuildInfo) (map[string]moduleFolders, error) {
	module, tags := info.Main.Path, ""
	environment := os.Environ()
	for _, s := range info.Settings {
		switch s.Key {
		case "CGO_ENABLED", "GOOS", "GOARCH", "GOAMD64", "GOARM64":
			environment = append(environment, s.Key+"="+s.Value)
		case "-tags":
			tags = s.Value
		}
	}
	command := exec.CommandContext(context.Background(), "go", "list", "-deps", "-tags", tags, "-f",
		"{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{else}}std\t\t{{$.Root}}{{end}}\t{{.Dir}}", info.Path)
	command.Dir, command.Env = root, environment
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	folders := map[string]moduleFolders{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		columns := strings.Split(lines.Text(), "\t")
		path, version := columns[0], columns[1]
		if path == module {
			continue
		}
		if i := slices.IndexFunc(info.Deps, func(d *debug.Module) bool { return d.Path == path }); path != standardLibrary &&
			(i < 0 || info.Deps[i].Version != version) {
			return nil, fmt.Errorf("%s %s is not what the binary was built with: build it again", path, version)
		}
		f := folders[path]
		f.root = columns[2]
		// All of Go has one licence: src/crypto/internal/boring has another for files that are not linked
		// without GOEXPERIMENT=boringcrypto.
		if path != standardLibrary {
			f.packages = append(f.packages, columns[3])
		}
		folders[path] = f
	}
	return folders, lines.Err()
}

// licencesOf reads the files of licences in the root of a module and in the folders of its packages
// that are linked and those above them. Each has to be recognised.
func licencesOf(f moduleFolders) ([]licence, error) {
	if f.root == "" {
		return nil, errors.New("its folder is not known")
	}
	var all []licence
	seen := map[string]bool{}
	for _, folder := range append([]string{f.root}, f.packages...) {
		for ; !seen[folder] && strings.HasPrefix(folder+"/", f.root+"/"); folder = filepath.Dir(folder) {
			seen[folder] = true
			files, err := licenceFilesOf(folder)
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				l, err := readLicence(f.root, file)
				if err != nil {
					return nil, err
				}
				all = append(all, l)
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("it has no file of a licence")
	}
	slices.SortFunc(all, func(a, b licence) int { return strings.Compare(a.file, b.file) })
	return all, nil
}

// licenceFilesOf lists the files of a folder that are licences by their names, and all files of a
// folder inside it with such a name.
func licenceFilesOf(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		switch {
		case !licenceNames.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go"):
		case !e.IsDir():
			files = append(files, name)
		default:
			inside, err := os.ReadDir(name)
			if err != nil {
				return nil, err
			}
			for _, e := range inside {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
	}
	return files, nil
}

// readLicence recognises the licences in a file.
func readLicence(root, file string) (licence, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return licence{}, err
	}
	name, err := filepath.Rel(root, file)
	if err != nil {
		return licence{}, err
	}
	l := licence{file: filepath.ToSlash(name), text: string(text)}
	l.ids, err = recognise(text)
	if err != nil {
		return l, fmt.Errorf("%s: %w", l.file, err)
	}
	return l, nil
}

// leastShare is the part of a text in percent that has to belong to licences: the rest is names and
// years.
const leastShare = 60

// recognise returns the licences that a text holds, each once, in order of their identifiers.
func recognise(text []byte) ([]string, error) {
	cover := licensecheck.Scan(text)
	var ids []string
	for _, m := range cover.Match {
		if m.IsURL {
			continue
		}
		if !slices.Contains(mayBeLinked, m.ID) {
			return nil, fmt.Errorf("the licence %s is not one of %s", m.ID, strings.Join(mayBeLinked, ", "))
		}
		ids = append(ids, m.ID)
	}
	if len(ids) == 0 || cover.Percent < leastShare {
		return nil, fmt.Errorf("only %.0f %% of it are a licence that is known", cover.Percent)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// ids are the licences of a module, each once.
func (m *module) ids() []string {
	var ids []string
	for _, l := range m.licences {
		ids = append(ids, l.ids...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// allLicences are the licences of all modules, with commas between them.
func (b *binary) allLicences() string {
	var ids []string
	for i := range b.modules {
		ids = append(ids, b.modules[i].ids()...)
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), ", ")
}
