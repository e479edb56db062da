package validate

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// readable checks that samtools finds a file whole, and counts its records.
func (t *Tools) readable(ctx context.Context, file string, records int64, faults *Faults) error {
	if text, err := output(ctx, t.Samtools, "quickcheck", "-v", file); err != nil || text != "" {
		faults.add("samtools quickcheck", "%s %v", text, err)
	}
	text, err := output(ctx, t.Samtools, "view", "-c", file)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return fmt.Errorf("samtools view -c: %w", err)
	}
	want(faults, "samtools view -c", file, n, records)
	return nil
}

// complaint matches a line in which samtools says that something is wrong. markdup -s writes its
// counts to standard error too; harmless is its message where there are no duplicates.
var complaint = regexp.MustCompile(`(?im)^.*(\[[we]::|warning|error|fail|invalid|truncated|coordinate|missing|no .* tag).*$`)

const harmless = "unable to calculate estimated library size"

// markdup runs the usual pipe from the mapper to marked duplicates.
func (t *Tools) markdup(ctx context.Context, file, folder string, faults *Faults) error {
	const line = `"$1" sort -n -u "$2" -T "$3/names" | "$1" fixmate -m -u - - |
		"$1" sort -u -T "$3/places" - | "$1" markdup -s - - | "$1" view -c -`
	stdout, stderr, err := shell(ctx, line, t.Samtools, file, folder)
	if err != nil {
		return fmt.Errorf("samtools sort, fixmate, sort, markdup: %w: %.*q", err, shownOutput, stderr)
	}
	for _, message := range complaint.FindAllString(stderr, -1) {
		if strings.Contains(message, "COMMAND:") || strings.Contains(message, harmless) {
			continue
		}
		faults.add("samtools sort, fixmate, sort, markdup", "%q", message)
	}
	if !strings.Contains(stderr, "DUPLICATE TOTAL") || strings.TrimSpace(stdout) == "" {
		faults.add("samtools sort, fixmate, sort, markdup", "no summary: %q", stderr)
	}
	return nil
}

// Fixmate counts what samtools fixmate changes without being wrong by it.
type Fixmate struct {
	// TemplateLengths are primary records with another TLEN: it measures from 5' end to 5' end.
	TemplateLengths int
	// Proper are primary records with another flag 2: it takes mates of any distance for proper.
	Proper int
}

// fixmate has samtools fill in what mates know of each other, which changes nothing in primary
// records.
func (t *Tools) fixmate(ctx context.Context, file, folder string, faults *Faults) (changes Fixmate, err error) {
	byName := filepath.Join(folder, "names.bam")
	if _, err := output(ctx, t.Samtools, "sort", "-n", "--no-PG", "-o", byName, "-T", filepath.Join(folder, "names"), file); err != nil {
		return changes, err
	}
	fixed := filepath.Join(folder, "fixed.bam")
	if _, err := output(ctx, t.Samtools, "fixmate", "-m", "--no-PG", byName, fixed); err != nil {
		return changes, err
	}
	// It writes secondary records before the primary one, so these alone keep their order.
	const notPrimary = "0x900"
	a, err := open(ctx, t.Samtools, "view", "-F", notPrimary, byName)
	if err != nil {
		return changes, err
	}
	b, err := open(ctx, t.Samtools, "view", "-F", notPrimary, fixed)
	if err != nil {
		return changes, err
	}
	var parseError error
	_, err = lockstep(a, b, func(x, y string) {
		before, errX := parseRecord(x)
		after, errY := parseRecord(y)
		if errX != nil || errY != nil {
			parseError = fmt.Errorf("samtools fixmate: %q and %q", x, y)
			return
		}
		changes.compare(&before, &after, faults)
	})
	if err == nil {
		err = parseError
	}
	return changes, err
}

// compare judges a record before and after fixmate.
func (f *Fixmate) compare(x, y *Record, faults *Faults) {
	if x.TemplateLength != y.TemplateLength {
		f.TemplateLengths++
	}
	if (x.Flags^y.Flags)&flagProper != 0 {
		f.Proper++
	}
	const kept = ^flagProper
	same := x.Name == y.Name && x.Flags&kept == y.Flags&kept && x.Contig == y.Contig && x.Start == y.Start &&
		x.MateContig == y.MateContig && x.MateStart == y.MateStart
	for _, tag := range []string{"MC:Z:", "MQ:i:"} {
		v, okX := x.tag(tag)
		w, okY := y.tag(tag)
		if w == "*" { // what some versions write of an unmapped mate, where Picard wants no MC
			w, okY = "", false
		}
		same = same && okX == okY && v == w
	}
	if !same {
		faults.add("samtools fixmate changes a primary record", "%s and %s", place(x), place(y))
	}
}

// place shows what records of mates tell of each other.
func place(r *Record) string {
	cigar, _ := r.tag("MC:Z:")
	quality, _ := r.tag("MQ:i:")
	return fmt.Sprintf("%s %d %s:%d mate %s:%d MC %q MQ %q", r.Name, r.Flags, r.Contig, r.Start+1, r.MateContig,
		r.MateStart+1, cigar, quality)
}

// calmd has samtools compute NM and MD again, which must change nothing. It skips records without
// SEQ, so secondary ones get the SEQ of the read first; and it loads a contig again wherever the
// contig changes, so records are sorted.
func (t *Tools) calmd(ctx context.Context, c *Case, a *Alignment, folder string, templates []Template, faults *Faults) error {
	inOrder, filled := filepath.Join(folder, "filled.sam"), filepath.Join(folder, "filled.sorted.bam")
	if err := fill(inOrder, a, templates); err != nil {
		return err
	}
	if _, err := output(ctx, t.Samtools, "sort", "--no-PG", "-u", "-T", filepath.Join(folder, "filled"), "-o", filled,
		inOrder); err != nil {
		return err
	}
	whole, err := open(ctx, t.Samtools, "calmd", "--no-PG", filled, c.Reference)
	if err != nil {
		return err
	}
	plain, err := open(ctx, t.Samtools, "view", "-h", "--no-PG", filled)
	if err != nil {
		return err
	}
	_, err = lockstep(plain, whole, func(x, y string) {
		if strings.HasPrefix(x, "@") && x == y {
			return
		}
		before, errX := parseRecord(x)
		after, errY := parseRecord(y)
		if errX != nil || errY != nil {
			faults.add("samtools calmd", "%.80q and %.80q", x, y)
			return
		}
		for _, tag := range []string{"NM:i:", "MD:Z:"} {
			v, _ := before.tag(tag)
			w, _ := after.tag(tag)
			if v != w {
				faults.add("samtools calmd changes NM or MD", "%s %d %s:%d %s: %s%s to %s", before.Name, before.Flags,
					before.Contig, before.Start+1, before.Cigar, tag, v, w)
			}
		}
	})
	return err
}

// fill copies SAM with the bases of the read in every record.
func fill(name string, a *Alignment, templates []Template) error {
	return writeLines(name, func(write func(string)) {
		for _, line := range a.Header {
			write(line)
		}
		walk(a.Records, templates, func(t *Template, records []Record) {
			for i := range records {
				write(filledLine(&records[i], t))
			}
		})
	})
}

func filledLine(r *Record, t *Template) string {
	if r.Bases != "*" || r.mate() >= len(t.Mates) || t.Mates[r.mate()].Bases == "" {
		return r.Line
	}
	f := strings.Split(r.Line, "\t")
	f[9], f[10] = t.Mates[r.mate()].oriented(r.reverse())
	return strings.Join(f, "\t")
}
