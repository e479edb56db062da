package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// allPages returns the Markdown files below a folder, as paths relative to it, without built files
// and files of others.
func allPages(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (name == "build" || name == "bin" || strings.HasPrefix(name, ".") && name != "." && name != ".ci") {
			return fs.SkipDir
		}
		if !entry.IsDir() && strings.HasSuffix(name, ".md") {
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	fenced = regexp.MustCompile("(?ms)^```.*?^```")
	code   = regexp.MustCompile("`[^`\n]*`")
	// Links and pictures in brackets, definitions of links, and links of HTML.
	links = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?[^)]*\)|(?m)^\[[^\]]+\]:\s*(\S+)|(?:href|src)="([^"]+)"`)
	// Headings, and anchors of HTML.
	headings = regexp.MustCompile(`(?m)^#{1,6}\s+(.*?)\s*#*$`)
	anchors  = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	bracket  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// targets returns what the links of a page point to.
func targets(text []byte) []string {
	var all []string
	text = code.ReplaceAll(fenced.ReplaceAll(text, nil), nil)
	for _, m := range links.FindAllSubmatch(text, -1) {
		all = append(all, string(bytes.Join(m[1:], nil)))
	}
	return all
}

// sections returns the names that a link may have after #: of each heading in lower case, with a
// hyphen for each blank and without punctuation, as GitHub makes them.
func sections(text []byte) map[string]bool {
	all := map[string]bool{}
	text = fenced.ReplaceAll(text, nil)
	for _, m := range headings.FindAllSubmatch(text, -1) {
		title := bracket.ReplaceAllString(string(m[1]), "$1")
		name := strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-' || c == '_':
				return unicode.ToLower(c)
			}
			return -1
		}, title)
		all[name] = true
	}
	for _, m := range anchors.FindAllSubmatch(text, -1) {
		all[string(m[1])] = true
	}
	return all
}

// broken returns the faults in the links of the pages below a folder.
func broken(t *testing.T, root string) []string {
	t.Helper()
	var faults []string
	for _, page := range allPages(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range targets(text) {
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file, section, _ := strings.Cut(target, "#")
			at := page
			if file != "" {
				at = path.Join(path.Dir(page), file)
			}
			there, err := os.Stat(filepath.Join(root, at))
			if err != nil || strings.HasPrefix(at, "../") {
				faults = append(faults, page+": "+target+": no such file of the project")
				continue
			}
			if section == "" || there.IsDir() || !strings.HasSuffix(at, ".md") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, at))
			if err != nil {
				t.Fatal(err)
			}
			if !sections(text)[section] {
				faults = append(faults, page+": "+target+": no such heading")
			}
		}
	}
	return faults
}

// Every relative link of every page leads to a file, and to a heading if it names one.
func TestLinks(t *testing.T) {
	for _, fault := range broken(t, root) {
		t.Error(fault)
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# A `first` page!\n\n[b](docs/b.md), [b's end](docs/b.md#the-end-of-b), [here](#a-first-page), [out](https://example.org/x.md)\n" +
			"![plot](docs/plot.svg \"a plot\"), [folder](docs), `[code](none.md)`\n\n```\n[code](none.md)\n```\n\n[ref]: docs/b.md\n",
		"docs/b.md":     "## The end of [B](../a.md)\n\n<a id=\"point\"></a> [point](#point)\n",
		"docs/plot.svg": "",
		"build/c.md":    "[not looked at](none.md)\n",
	} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if faults := broken(t, folder); len(faults) > 0 {
		t.Errorf("%q, expected nothing", faults)
	}
	for _, link := range []string{
		"[x](none.md)", "[x](docs/none)", "[x](docs/b.md#none)", "[x](#none)", "![x](none.svg)", "[x](../elsewhere.md)", "[x]: none.md", `<img src="none.svg">`,
		"a [x](docs/b.md) and [y](none.md)",
	} {
		if err := os.WriteFile(filepath.Join(folder, "d.md"), []byte(link+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if faults := broken(t, folder); len(faults) != 1 || !strings.HasPrefix(faults[0], "d.md: ") {
			t.Errorf("%s: %q, expected one fault", link, faults)
		}
	}
}
