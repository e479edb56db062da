package search

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of methods in docs/search.md")

// methodsTable is Markdown.
func methodsTable() string {
	var b strings.Builder
	for _, m := range Methods() {
		fmt.Fprintf(&b, "\n`%s` %s (%s).\n\n", m.Name, m.Summary, m.Source)
		b.WriteString("| scheme | | runs on | takes | distance |\n|---|---|---|---|---|\n")
		for _, s := range m.Schemes {
			var processors, takes, counts []string
			if s.CPU() {
				processors = append(processors, "CPU")
			}
			if s.GPU() {
				processors = append(processors, "GPU")
			}
			for _, a := range s.Alphabets {
				takes = append(takes, string(a))
			}
			if s.Sets {
				takes = append(takes, "IUPAC letters")
			}
			if s.Edits {
				counts = append(counts, "edits")
			}
			if s.Substitutions {
				counts = append(counts, "substitutions")
			}
			distance := "none"
			if len(counts) > 0 {
				distance = fmt.Sprintf("%d %s", s.Distance, strings.Join(counts, " or "))
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s, %d letters | %s |\n",
				s.Name, s.Summary, strings.Join(processors, ", "), strings.Join(takes, ", "), s.Longest, distance)
		}
	}
	return b.String() + "\n"
}

// TestMethodsTable compares what docs/search.md says of each method with Methods.
func TestMethodsTable(t *testing.T) {
	const file, end = "../docs/search.md", "<!-- end -->\n"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	from := strings.Index(text, "-update -->\n") + len("-update -->\n")
	to := strings.Index(text, end)
	if from < len("-update -->\n") || to < from {
		t.Fatal("docs/search.md has no place for the table")
	}
	if *update {
		text = text[:from] + methodsTable() + text[to:]
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		to = strings.Index(text, end)
	}
	if got, want := text[from:to], methodsTable(); got != want {
		t.Errorf("docs/search.md differs (-update accepts it); it should have\n%s", want)
	}
}
