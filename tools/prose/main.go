// Command prose counts turns of phrase that make a reader look back, and fails where they are many:
//
//	prose -page 1.5 -comments 5
//
// A mark is a pronoun that stands for a noun, or a sentence that begins with one (marks.go).
// README.md, CONTRIBUTING.md and each page of docs may have -page marks in a thousand words, and
// one mark however short they are. Comments of Go and CUDA may have -comments marks in a thousand
// words, all together. Dated records in docs/benchmarks are left out, but not their list. The
// sentences with most marks follow a failure; -worst says how many, and with -list they are shown
// in any case.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	page := flag.Float64("page", 1.5, "most marks in a thousand words of a page")
	comments := flag.Float64("comments", 5, "most marks in a thousand words of all comments")
	worst := flag.Int("worst", 10, "how many sentences to show")
	list := flag.Bool("list", false, "show the worst sentences though nothing fails, and the marks of each folder")
	flag.Parse()
	failed, err := check(os.Stdout, os.DirFS("."), limits{*page, *comments}, *worst, *list)
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

// limits are marks in a thousand words.
type limits struct{ page, comments float64 }

// A count is of words and marks.
type count struct{ words, marks int }

func (c *count) add(other count) {
	c.words += other.words
	c.marks += other.marks
}

// rate is the number of marks in a thousand words.
func (c count) rate() float64 { return 1000 * float64(c.marks) / float64(max(c.words, 1)) }

// check counts the marks of a tree, and tells whether there are more than the limits allow.
func check(w io.Writer, tree fs.FS, most limits, worst int, list bool) (failed bool, err error) {
	var comments count
	var marked []sentence
	folders := map[string]*count{}
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			hidden := strings.HasPrefix(entry.Name(), ".") && name != "."
			if hidden || slices.Contains([]string{"build", "bin", "dist", "kernels/ptx"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		isPage := name == "README.md" || name == "CONTRIBUTING.md" || strings.HasPrefix(name, "docs/") && path.Ext(name) == ".md"
		isPage = isPage && (path.Dir(name) != "docs/benchmarks" || path.Base(name) == "README.md")
		isCode := slices.Contains([]string{".go", ".cu", ".cuh"}, path.Ext(name))
		if !isPage && !isCode {
			return nil
		}
		text, err := fs.ReadFile(tree, filepath.ToSlash(name))
		if err != nil {
			return err
		}
		var c count
		for _, s := range sentences(name, string(text)) {
			c.add(s.count)
			if s.marks > 0 && (isCode || list) {
				marked = append(marked, s)
			}
		}
		if isCode {
			comments.add(c)
			folder := path.Dir(name)
			if folders[folder] == nil {
				folders[folder] = &count{}
			}
			folders[folder].add(c)
			return nil
		}
		if c.marks > 1 && c.rate() > most.page {
			failed = true
			fmt.Fprintf(w, "%s: %.1f marks in a thousand words, more than %.1f\n", name, c.rate(), most.page)
			for _, s := range sentences(name, string(text)) {
				if s.marks > 0 {
					fmt.Fprintln(w, s)
				}
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if list {
		for _, name := range sortedKeys(folders) {
			fmt.Fprintf(w, "%6d words, %5.1f marks a thousand  %s\n", folders[name].words, folders[name].rate(), name)
		}
	}
	fmt.Fprintf(w, "comments: %d words, %.1f marks a thousand\n", comments.words, comments.rate())
	many := comments.rate() > most.comments
	if many {
		fmt.Fprintf(w, "comments may have %.1f marks a thousand; the worst sentences:\n", most.comments)
	}
	if many || list {
		slices.SortStableFunc(marked, func(a, b sentence) int { return cmp.Or(b.marks-a.marks, b.words-a.words) })
		for _, s := range marked[:min(worst, len(marked))] {
			fmt.Fprintln(w, s)
		}
	}
	return failed || many, nil
}

func sortedKeys(m map[string]*count) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
