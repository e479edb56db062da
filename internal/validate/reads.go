package validate

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
)

// Read is a record of the input.
type Read struct {
	Name             string // without a comment, /1 and /2
	Bases, Qualities string
}

// Template is a fragment that was sequenced as one: a read, or two mates.
type Template struct {
	Name  string
	Mates []Read
}

// ReadTemplates reads one file of four-line FASTQ, or two whose records are mates.
func ReadTemplates(files ...string) ([]Template, error) {
	var templates []Template
	for mate, file := range files {
		reads, err := readFASTQ(file)
		if err != nil {
			return nil, err
		}
		if mate == 0 {
			templates = make([]Template, len(reads))
		}
		if len(reads) != len(templates) {
			return nil, fmt.Errorf("%s: %d reads, but %d mates", file, len(reads), len(templates))
		}
		for i, read := range reads {
			if mate > 0 && read.Name != templates[i].Name {
				return nil, fmt.Errorf("%s: record %d is %q, but its mate %q", file, i+1, read.Name, templates[i].Name)
			}
			templates[i].Name = read.Name
			templates[i].Mates = append(templates[i].Mates, read)
		}
	}
	return templates, nil
}

// readFASTQ reads a four-line FASTQ file, which may be compressed.
func readFASTQ(file string) ([]Read, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	lines := newLines(r)
	var reads []Read
	var record [4]string
	n := 0
	for ; lines.Scan(); n++ {
		record[n%4] = lines.Text()
		if n%4 < 3 {
			continue
		}
		if !strings.HasPrefix(record[0], "@") || !strings.HasPrefix(record[2], "+") || len(record[1]) != len(record[3]) {
			return nil, fmt.Errorf("%s: record %d is not four lines of FASTQ", file, n/4+1)
		}
		name, _, _ := strings.Cut(record[0][1:], " ")
		name, _, _ = strings.Cut(name, "\t")
		name = strings.TrimSuffix(strings.TrimSuffix(name, "/1"), "/2")
		reads = append(reads, Read{name, record[1], record[3]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if n%4 != 0 {
		return nil, fmt.Errorf("%s: %d lines, not four a record", file, n)
	}
	return reads, nil
}

// repeatedNames tells whether two templates have one name: samtools fixmate and Picard take them
// for mates.
func repeatedNames(templates []Template) bool {
	seen := make(map[string]bool, len(templates))
	for _, t := range templates {
		if seen[t.Name] {
			return true
		}
		seen[t.Name] = true
	}
	return false
}

// complements pairs the letters of DNA.
var complements = func() (c [256]byte) {
	for i := range c {
		c[i] = byte(i)
	}
	const letters, paired = "ACGTUMRWSYKVHDBNacgtumrwsykvhdbn", "TGCAAKYWSRMBDHVNtgcaakywsrmbdhvn"
	for i := range len(letters) {
		c[letters[i]] = paired[i]
	}
	return c
}()

// oriented returns bases and qualities of a read as a record of the given strand has them.
func (r *Read) oriented(reverse bool) (bases, qualities string) {
	if !reverse {
		return r.Bases, r.Qualities
	}
	n := len(r.Bases)
	b, q := make([]byte, n), make([]byte, n)
	for i := range n {
		b[n-1-i], q[n-1-i] = complements[r.Bases[i]], r.Qualities[i]
	}
	return string(b), string(q)
}
