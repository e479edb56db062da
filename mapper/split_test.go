package mapper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/temporary"
	"scanmap/internal/truth"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// A splitPart is where bases [from, to) of a read come from.
type splitPart struct {
	contig, strand, at, from, to int
	repeated                     bool // it fits in two places
}

// A splitRead is a read with its parts, or that has a local location where it has none.
type splitRead struct {
	bases string
	parts []splitPart
}

// A splitInput draws reads of two contigs, which share an element.
type splitInput struct {
	r       *rand.Rand
	contigs [2]string
}

// Where the element is, and the bases that it has.
var splitElement = [2]int{2000, 1000}

const splitElementBases = 200

func newSplitInput(seed uint64) *splitInput {
	r := rand.New(rand.NewPCG(seed, 30))
	element := truth.Random(r, splitElementBases, "ACGT")
	d := &splitInput{r: r}
	for c, at := range splitElement {
		d.contigs[c] = truth.Random(r, at, "ACGT") + element + truth.Random(r, 3000-at, "ACGT")
	}
	return d
}

// part adds bases of a contig to a read.
func (d *splitInput) part(s *splitRead, contig, strand, at, n int) {
	bases := d.contigs[contig][at : at+n]
	if d.r.IntN(3) == 0 { // an edit far from both ends
		bases = bases[:n/2] + truth.Substituted(d.r, bases[n/2:n/2+1], 1) + bases[n/2+1:]
	}
	from := len(s.bases)
	inside := splitElement[contig]
	s.bases += truth.Strand(bases, strand)
	s.parts = append(s.parts, splitPart{contig, strand, at, from, from + n, at >= inside && at+n <= inside+splitElementBases})
}

// read draws a read of 150 bases of some kind.
func (d *splitInput) read(kind int) (s splitRead) {
	n := 60 + d.r.IntN(31)
	at, other := 200+d.r.IntN(600), 1300+d.r.IntN(500)
	c, strand := d.r.IntN(2), d.r.IntN(2)
	switch kind {
	case 0: // another contig
		d.part(&s, c, 0, at, n)
		d.part(&s, 1-c, 0, other, 150-n)
	case 1: // the other strand
		d.part(&s, c, strand, at, n)
		d.part(&s, c, 1-strand, other, 150-n)
	case 2: // a deletion
		d.part(&s, 0, 0, at, n)
		d.part(&s, 0, 0, at+n+500, 150-n)
	case 3: // an adapter
		d.part(&s, c, strand, at, 90)
		s.bases += truth.Random(d.r, 60, "ACGT")
	case 4: // the second part in two places
		d.part(&s, c, 0, at, 85)
		d.part(&s, c, strand, splitElement[c]+d.r.IntN(100), 65)
	case 5: // the first part in two places
		d.part(&s, c, strand, splitElement[c]+d.r.IntN(100), 85)
		d.part(&s, 1-c, 0, at, 65)
	case 6: // a whole read
		s.bases = truth.Strand(d.contigs[c][other:other+150], strand)
	default: // nothing
		s.bases = truth.Random(d.r, 150, "ACGT")
	}
	return s
}

const splitKinds = 8

// mate returns the mate of a read, beside one of its parts if it has some.
func (d *splitInput) mate(s *splitRead) string {
	if len(s.parts) == 0 || d.r.IntN(6) == 0 {
		return truth.Random(d.r, 150, "ACGT")
	}
	p := s.parts[d.r.IntN(len(s.parts))]
	text := d.contigs[p.contig]
	insert := 350 + d.r.IntN(50)
	if p.strand == 0 {
		from := min(p.at-p.from+insert-150, len(text)-150)
		return truth.ReverseComplement(text[from:][:150])
	}
	return text[max(p.at+p.to-insert, 0):][:150]
}

// writeSplit writes the reference, reads of all kinds in turn, and their mates.
func writeSplit(t *testing.T, n int) (reference string, mates [2]string, reads []splitRead) {
	t.Helper()
	d := newSplitInput(1)
	var files [2]strings.Builder
	for i := range n {
		s := d.read(i % splitKinds)
		reads = append(reads, s)
		for x, bases := range []string{s.bases, d.mate(&s)} {
			fmt.Fprintf(&files[x], "@%d\n%s\n+\n%s\n", i, bases, strings.Repeat("F", 149)+"!")
		}
	}
	folder := t.TempDir()
	reference, mates = folder+"/ref.fa", [2]string{folder + "/1.fq", folder + "/2.fq"}
	for name, content := range map[string]string{
		reference: ">c0\n" + d.contigs[0] + "\n>c1\n" + d.contigs[1] + "\n", mates[0]: files[0].String(), mates[1]: files[1].String(),
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return reference, mates, reads
}

// A splitRecord is a line of SAM.
type splitRecord struct {
	flags, contig, at, mapQ int
	cigar, bases, qualities string
	tags                    map[string]string
}

const (
	splitReverse, splitUnmapped, splitSecond, splitSecondary, splitSupplementary = 16, 4, 128, 256, 2048
)

// splitRecords returns the records of first mates, or of reads that have none, by read.
func splitRecords(t *testing.T, text string, reads int) [][]splitRecord {
	t.Helper()
	all := make([][]splitRecord, reads)
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for line := range strings.Lines(text) {
		if line[0] == '@' {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		r := splitRecord{flags: number(f[1]), contig: -1, at: number(f[3]) - 1, mapQ: number(f[4]), cigar: f[5], bases: f[9], qualities: f[10], tags: map[string]string{}}
		if f[2] != "*" {
			r.contig = number(f[2][1:])
		}
		for _, tag := range f[11:] {
			r.tags[tag[:2]] = tag[5:]
		}
		if i := number(f[0]); r.flags&splitSecond == 0 {
			all[i] = append(all[i], r)
		}
	}
	return all
}

// clips returns the bases clipped at both ends, by any clip.
func (r *splitRecord) clips() (left, right int) {
	for i, n := 0, 0; i < len(r.cigar); i++ {
		switch c := r.cigar[i]; {
		case c >= '0' && c <= '9':
			n = 10*n + int(c-'0')
		case c != 'S' && c != 'H':
			left, n = max(left, 0), 0
			right = 0
		default:
			if i == strings.IndexAny(r.cigar, "SHMIDX=") {
				left = n
			} else {
				right = n
			}
			n = 0
		}
	}
	return left, right
}

// isPart tells whether a record lies where a part of a read of m bases comes from. Where one part
// ends and the other begins, some bases may fit both.
func (r *splitRecord) isPart(p *splitPart, m int) bool {
	left, right := r.clips()
	from, to, at := p.from, p.to, p.at
	if p.strand == 1 {
		from, to = m-p.to, m-p.from
	}
	near := func(x, y int) bool { return max(x-y, y-x) <= 8 }
	return r.contig == p.contig && r.flags&splitReverse>>4 == p.strand && near(left, from) && near(m-right, to) && near(r.at-left, at-from)
}

// sa returns the value of SA that names a record.
func (r *splitRecord) sa() string {
	return fmt.Sprintf("c%d,%d,%c,%s,%d,%s;", r.contig, r.at+1, "+-"[r.flags&splitReverse>>4], strings.ReplaceAll(r.cigar, "H", "S"), r.mapQ, r.tags["NM"])
}

// checkSplit returns an error for wrong records of a read.
func checkSplit(read *splitRead, records []splitRecord) error {
	m := len(read.bases)
	var primary, supplement *splitRecord
	secondary := 0
	for i := range records {
		r := &records[i]
		switch {
		case r.flags&splitSupplementary != 0 && (supplement != nil || r.flags&splitSecondary != 0):
			return fmt.Errorf("another supplementary record")
		case r.flags&splitSupplementary != 0:
			supplement = r
		case r.flags&splitSecondary != 0:
			secondary++
			if _, ok := r.tags["SA"]; ok {
				return fmt.Errorf("a secondary record with SA")
			}
		case primary != nil:
			return fmt.Errorf("two primary records")
		default:
			primary = r
		}
	}
	if primary == nil {
		return fmt.Errorf("no primary record")
	}
	whole := func(r *splitRecord) string { return truth.Strand(read.bases, r.flags&splitReverse>>4) }
	if primary.bases != whole(primary) || strings.Contains(primary.cigar, "H") {
		return fmt.Errorf("the primary record has other bases")
	}
	if (supplement != nil) != (len(read.parts) == 2) {
		return fmt.Errorf("%d parts", len(read.parts))
	}
	if len(read.parts) == 0 {
		return nil
	}
	if len(read.parts) == 1 {
		if _, ok := primary.tags["SA"]; ok || !primary.isPart(&read.parts[0], m) || !strings.Contains(primary.cigar, "S") {
			return fmt.Errorf("its only part is another")
		}
		return nil
	}
	places := 2
	for _, r := range []*splitRecord{primary, supplement} {
		i := slices.IndexFunc(read.parts, func(p splitPart) bool { return r.isPart(&p, m) || r.isRepeated(&p, m) })
		if i < 0 {
			return fmt.Errorf("a part lies elsewhere: %+v", *r)
		}
		p := &read.parts[i]
		if _, ok := r.tags["XS"]; r == primary && ok != p.repeated {
			return fmt.Errorf("XS of a part in two places is %v, of another %v", p.repeated, ok)
		}
		if p.repeated {
			places++
			if r.mapQ > 10 { // not 0 where a base or two beside the part fit one place by chance
				return fmt.Errorf("MAPQ %d in two places", r.mapQ)
			}
		} else if r.mapQ < 20 {
			return fmt.Errorf("MAPQ %d", r.mapQ)
		}
	}
	left, right := supplement.clips()
	qualities := strings.Repeat("F", m-1) + "!"
	if supplement.flags&splitReverse != 0 {
		qualities = "!" + strings.Repeat("F", m-1)
	}
	switch {
	case secondary != places-2:
		return fmt.Errorf("%d secondary records", secondary)
	case primary.tags["SA"] != supplement.sa() || supplement.tags["SA"] != primary.sa():
		return fmt.Errorf("SA of the primary record is %s, not %s, that of the other %s, not %s", primary.tags["SA"], supplement.sa(), supplement.tags["SA"], primary.sa())
	case strings.Contains(supplement.cigar, "S") || left+right == 0:
		return fmt.Errorf("the supplementary record has a soft clip")
	case supplement.bases != whole(supplement)[left:m-right] || supplement.qualities != qualities[left:m-right]:
		return fmt.Errorf("the supplementary record has other bases")
	}
	return nil
}

// isRepeated is isPart for the other place of a part in the element.
func (r *splitRecord) isRepeated(p *splitPart, m int) bool {
	if !p.repeated {
		return false
	}
	other := *p
	other.contig = 1 - p.contig
	other.at += splitElement[other.contig] - splitElement[p.contig]
	return r.isPart(&other, m)
}

// TestSplit has reads of two halves, single and in pairs, with other numbers of threads and reads
// at a time.
func TestSplit(t *testing.T) {
	t.Parallel()
	reference, mates, reads := writeSplit(t, effort.Pick(200, 80))
	for paired, libraries := range localLibraries(mates) {
		o := Options{Reference: reference, Libraries: libraries, Threads: 1, Local: &Local{Score: DefaultScore, Split: true}, Report: Report{Mode: ReportAll}}
		want, _ := runText(t, o)
		for i, records := range splitRecords(t, want, len(reads)) {
			if err := checkSplit(&reads[i], records); err != nil {
				t.Errorf("%d mates, read %d, %+v: %v\n%+v", 1+paired, i, reads[i], err, records)
			}
		}
		for _, threads := range []int{1, 4} {
			for _, batch := range []int{0, 2, 14} {
				o.Threads, o.BatchReads = threads, batch
				if got, _ := runText(t, o); got != want {
					t.Errorf("%d mates, %d threads, %d reads at a time: another output", 1+paired, threads, batch)
				}
			}
		}
	}
}

// TestSplitBesideBorders has reads of both sides of a border, with as many bases between as lie
// between the contigs, so that both parts lie on one diagonal of the reference's bases.
func TestSplitBesideBorders(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 32))
	const of, n = 20 * dna.WordBases, 60
	first, second := truth.Random(r, of, "ACGT"), truth.Random(r, of, "ACGT")
	var reads strings.Builder
	for i := range 8 {
		read := truth.Strand(first[of-n:]+truth.Random(r, dna.Padding, "ACGT")+second[:n], i%2)
		fmt.Fprintf(&reads, "@%d\n%s\n+\n%s\n", i, read, strings.Repeat("F", len(read)))
	}
	folder := t.TempDir()
	for name, content := range map[string]string{"/ref.fa": ">c0\n" + first + "\n>c1\n" + second + "\n", "/1.fq": reads.String()} {
		if err := os.WriteFile(folder+name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Reference: folder + "/ref.fa", Libraries: []Library{{Reads: folder + "/1.fq"}}, Local: &Local{Score: DefaultScore, Split: true}, Report: Report{Mode: ReportOne}}
	for _, o.Threads = range []int{1, 2} {
		text, _ := runText(t, o)
		for i, records := range splitRecords(t, text, 8) {
			if len(records) != 2 {
				t.Errorf("%d threads, read %d: %d parts", o.Threads, i, len(records))
			}
		}
	}
}

// TestSplitUnclipped has reads whose two parts lie on one diagonal. With a clip penalty the primary
// record has all bases, and there is no other.
func TestSplitUnclipped(t *testing.T) {
	t.Parallel()
	contig := truth.Random(rand.New(rand.NewPCG(33, 34)), 600, "ACGT")
	read := []byte(contig[100:250])
	for i := 66; i < 84; i += 3 {
		read[i] = "CATG"[strings.IndexByte("ACGT", read[i])]
	}
	read[85] = "CATG"[strings.IndexByte("ACGT", read[85])]
	folder := t.TempDir()
	for name, content := range map[string]string{"/ref.fa": ">c0\n" + contig + "\n", "/1.fq": fmt.Sprintf("@0\n%s\n+\n%s\n", read, strings.Repeat("F", len(read)))} {
		if err := os.WriteFile(folder+name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for penalty, want := range map[int]string{0: "66M84S 86H64M", 5: "150M"} {
		o := Options{Reference: folder + "/ref.fa", Libraries: []Library{{Reads: folder + "/1.fq"}}, Threads: 1,
			Local: &Local{Score: DefaultScore, Split: true, ClipPenalty: penalty}, Report: Report{Mode: ReportOne}}
		text, stats := runText(t, o)
		var cigars []string
		for _, r := range splitRecords(t, text, 1)[0] {
			cigars = append(cigars, r.cigar)
			if _, sa := r.tags["SA"]; sa != (penalty == 0) {
				t.Errorf("penalty %d: %+v", penalty, r)
			}
		}
		if got := strings.Join(cigars, " "); got != want {
			t.Errorf("penalty %d: %s, want %s", penalty, got, want)
		}
		if clipped := penalty == 0; (stats.ClippedReads == 1) != clipped || (stats.ClippedBases == 84) != clipped {
			t.Errorf("penalty %d: %d clipped bases of %d reads", penalty, stats.ClippedBases, stats.ClippedReads)
		}
	}
}

// TestSplitOnGPU has local locations from candidates of a GPU, beside parts.
func TestSplitOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	reference, mates, _ := writeSplit(t, effort.Pick(48, 24))
	for _, libraries := range localLibraries(mates) {
		o := Options{Reference: reference, Libraries: libraries, Threads: 2, Local: &Local{Score: DefaultScore, Split: true}, Report: Report{Mode: ReportAll}}
		want, _ := runText(t, o)
		for _, batch := range []int{0, 8} {
			o.BatchReads = batch
			onGPU(t, o, driver, want)
		}
	}
}

// TestSplitInPieces has few candidates and reads in memory at a time, in both passes, with each
// report mode, and with several libraries.
func TestSplitInPieces(t *testing.T) {
	t.Parallel()
	reference, mates, _ := writeSplit(t, effort.Pick(100, 32))
	all := localLibraries(mates)
	for _, libraries := range append(all, slices.Concat(all[0], all[1], all[0])) {
		for _, mode := range []ReportMode{ReportAll, ReportBest, ReportOne, ReportUnique} {
			o := Options{Reference: reference, Libraries: libraries, Threads: 2, Local: &Local{Score: DefaultScore, Split: true}, Report: Report{Mode: mode}}
			o.limits.estimatePairs = 5
			want, _ := runText(t, o)
			if strings.Count(want, "\tSA:Z:") < 10 {
				t.Errorf("%s: %d records with SA", mode, strings.Count(want, "\tSA:Z:"))
			}
			for _, l := range []find.Limits{{Handed: 1}, {Handed: 20, Found: 1, CountedBases: 1}} {
				o.limits.find = l
				if got, _ := runText(t, o); got != want {
					t.Errorf("%s, limits %+v: another output\n%s", mode, l, firstDifference(want, got))
				}
			}
		}
	}
}

// TestSplitFails has the temporary file of either pass fail, and the run cancelled while there are
// reads without a location.
func TestSplitFails(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 30))
	unit := truth.Random(r, 60, "ACGT")
	reference, mates, _ := writeSplit(t, 8)
	files := map[string]string{reference: ">c\n" + strings.Repeat(unit, 270) + "\n", mates[0]: ""}
	for range 2 { // one that fits in part, and one that does whole
		for _, read := range []string{(unit + unit)[:90] + truth.Random(r, 60, "ACGT"), strings.Repeat(unit, 3)[:150]} {
			files[mates[0]] += "@r\n" + read + "\n+\n" + strings.Repeat("F", 150) + "\n"
		}
	}
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(ctx context.Context, f *faultyFiles, progress func(Progress)) (*Stats, error) {
		f.Files, f.made = temporary.In(t.TempDir()), map[string]int{}
		o := Options{
			Reference: reference, Libraries: []Library{{Reads: mates[0]}}, Threads: 1, Local: &Local{Score: DefaultScore, Split: true},
			BatchReads: 2, Temporary: f, Progress: progress, limits: limits{find: find.Limits{Found: 1, Handed: 1000}},
		}
		return Run(ctx, o, sam.HeaderOptions{}, Outputs{Records: io.Discard})
	}
	counting := &faultyFiles{}
	stats, err := run(context.Background(), counting, nil)
	if err != nil || counting.open != 0 || stats.Mapped != 4 {
		t.Fatalf("%v, %d files are open, %d reads are mapped", err, counting.open, stats.Mapped)
	}
	if counting.made["create"] != 4 { // for two batches, in two passes
		t.Errorf("%d files", counting.made["create"])
	}
	for _, kind := range []string{"create", "write", "read", "close"} {
		for number := 1; number <= counting.made[kind]; number += max((counting.made[kind]-1)/3, 1) {
			f := &faultyFiles{fails: kind, number: number}
			if _, err := run(context.Background(), f, nil); !errors.Is(err, syscall.EIO) || f.open != 0 {
				t.Errorf("%s %d: error %v, %d files are open", kind, number, err, f.open)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &faultyFiles{}
	if _, err := run(ctx, f, func(Progress) { cancel() }); !errors.Is(err, context.Canceled) || f.open != 0 {
		t.Errorf("a cancelled run: error %v, %d files are open", err, f.open)
	}
	cancel()
}
