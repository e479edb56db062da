package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"scanmap/fasta"
	"scanmap/tools/sidebyside"
)

// A record is a line of a VCF file.
type record struct {
	contig   string
	position int // 1-based
	old      string
	changed  []string
	genotype string // of the first sample; empty if there is none
}

// readVCF reads a VCF file, compressed or not.
func readVCF(name string) ([]record, error) {
	in, err := fasta.OpenText(context.Background(), name, 1)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var all []record
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if line := lines.Text(); line != "" && line[0] != '#' {
			r, err := parseRecord(line)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, r)
		}
	}
	return all, lines.Err()
}

// parseRecord parses a line of VCF.
func parseRecord(line string) (record, error) {
	fields := strings.Split(line, "\t")
	if len(fields) < 5 {
		return record{}, fmt.Errorf("%q: expected five columns", line)
	}
	position, err := strconv.Atoi(fields[1])
	if err != nil {
		return record{}, fmt.Errorf("%q: %w", line, err)
	}
	r := record{contig: fields[0], position: position, old: strings.ToUpper(fields[3]), changed: strings.Split(strings.ToUpper(fields[4]), ",")}
	if len(fields) > 9 {
		r.genotype, _, _ = strings.Cut(fields[9], ":")
	}
	return r, nil
}

// alleles returns the number of the allele on each haplotype; without a phase they are swapped if
// the caller says so. Not ok is one that is on neither, or not known letter by letter.
func (r *record) alleles(swapped bool) (on [2]int, ok bool) {
	phased := strings.Contains(r.genotype, "|")
	first, second, found := strings.Cut(strings.ReplaceAll(r.genotype, "|", "/"), "/")
	if !found {
		return on, false
	}
	for i, text := range []string{first, second} {
		n, err := strconv.Atoi(text)
		if err != nil || n > len(r.changed) || n > 0 && strings.Trim(r.changed[n-1], "ACGT") != "" {
			return on, false
		}
		on[i] = n
	}
	if swapped && !phased {
		on[0], on[1] = on[1], on[0]
	}
	return on, on != [2]int{} && strings.Trim(r.old, "ACGT") == ""
}

// A span is a stretch [from, to) of a contig, 0-based.
type span struct {
	contig   string
	from, to int
}

var regionForm = regexp.MustCompile(`^(.+):(\d+)-(\d+)$`)

// donorOptions say what a donor is made of.
type donorOptions struct {
	reference, vcf, region string
	spacing                int
	seed                   uint64
}

// A donor has two haplotypes of a region.
type donor struct {
	region     span
	contigs    []string // lines of the header of its VCF file
	variants   []record // what it has, with phases
	haplotypes [2]haplotype
}

// makeDonor makes the donor of a VCF file.
func makeDonor(o *donorOptions) (*donor, error) {
	parts := regionForm.FindStringSubmatch(o.region)
	if parts == nil {
		return nil, fmt.Errorf("-region %q: expected contig:from-to", o.region)
	}
	from, errFrom := strconv.Atoi(parts[2])
	to, errTo := strconv.Atoi(parts[3])
	ref, err := fasta.LoadReference(context.Background(), o.reference, 2)
	if err = errors.Join(err, errFrom, errTo); err != nil {
		return nil, err
	}
	d := &donor{region: span{parts[1], from - 1, to}}
	var letters []byte
	for i := range ref.Contigs {
		c := &ref.Contigs[i]
		d.contigs = append(d.contigs, fmt.Sprintf("##contig=<ID=%s,length=%d>", c.Name, c.Length))
		if c.Name == parts[1] {
			for at := range c.Length {
				letters = append(letters, ref.Letter(c.Start+at))
			}
		}
	}
	if from < 1 || from >= to || to > len(letters) {
		return nil, fmt.Errorf("-region %s: not in the reference, whose contig has %d bases", o.region, len(letters))
	}
	records, err := readVCF(o.vcf)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(o.seed, 1))
	if err := d.choose(records, letters, r); err != nil {
		return nil, err
	}
	if o.spacing > 0 {
		d.plant(o.spacing, letters, r)
	}
	d.haplotypes = [2]haplotype{makeHaplotype(d, letters, 0), makeHaplotype(d, letters, 1)}
	return d, nil
}

// choose keeps the records that the donor has.
func (d *donor) choose(records []record, letters []byte, r *rand.Rand) error {
	slices.SortStableFunc(records, func(a, b record) int { return cmp.Compare(a.position, b.position) })
	past := d.region.from + 1 // the first base that no variant has
	for _, v := range records {
		end := v.position - 1 + len(v.old)
		if v.contig != d.region.contig || v.position-1 < past || end > d.region.to {
			continue
		}
		if of := string(letters[v.position-1 : end]); of != v.old {
			return fmt.Errorf("%s:%d: the VCF file has %s, the reference %s", v.contig, v.position, v.old, of)
		}
		on, ok := v.alleles(r.IntN(2) == 1)
		if !ok {
			continue
		}
		v.genotype = fmt.Sprintf("%d|%d", on[0], on[1])
		d.variants = append(d.variants, v)
		past = end
	}
	return nil
}

// away is the least number of bases between a planted variant and others, or an ambiguous letter.
const away = 100

// plant adds insertions and deletions.
func (d *donor) plant(spacing int, letters []byte, r *rand.Rand) {
	var planted []record
	for at := d.region.from + spacing/2; ; at += spacing/2 + r.IntN(spacing) {
		bounds := [][2]int{{4, 6}, {7, 20}, {21, 60}}[r.IntN(3)]
		n := bounds[0] + r.IntN(bounds[1]-bounds[0]+1)
		from, to := at-away, at+1+n+away
		if to > d.region.to {
			break
		}
		next := sort.Search(len(d.variants), func(i int) bool { return d.variants[i].position-1 >= from })
		near := next < len(d.variants) && d.variants[next].position-1 < to
		if next > 0 {
			before := &d.variants[next-1]
			near = near || before.position-1+len(before.old) > from
		}
		if near || from < d.region.from || !plain(letters[from:to]) {
			continue
		}
		v := record{contig: d.region.contig, position: at + 1, old: string(letters[at]), genotype: []string{"1|1", "1|1", "0|1", "1|0"}[r.IntN(4)]}
		long := string(letters[at : at+1+n])
		switch r.IntN(4) {
		case 0, 1:
			v.old, v.changed = long, []string{v.old}
		case 2:
			v.changed = []string{long}
		default:
			text := []byte(long)
			for i := range text[1:] {
				text[i+1] = "ACGT"[r.IntN(4)]
			}
			v.changed = []string{string(text)}
		}
		planted = append(planted, v)
	}
	d.variants = append(d.variants, planted...)
	slices.SortFunc(d.variants, func(a, b record) int { return cmp.Compare(a.position, b.position) })
}

// plain says whether all letters are bases.
func plain(letters []byte) bool {
	return len(bytes.Trim(letters, "ACGT")) == 0
}

// A block is a stretch of a haplotype whose bases stand for those of the reference one by one; what
// lies between two blocks was inserted.
type block struct{ at, reference, length int }

// A haplotype is the letters of a region with one allele of each variant.
type haplotype struct {
	letters []byte
	blocks  []block
}

// makeHaplotype makes one of the two haplotypes.
func makeHaplotype(d *donor, letters []byte, which int) haplotype {
	var h haplotype
	from := d.region.from
	for i := range d.variants {
		v := &d.variants[i]
		on, _ := v.alleles(false)
		if on[which] == 0 {
			continue
		}
		changed := v.changed[on[which]-1]
		at, shorter := v.position-1, min(len(v.old), len(changed))
		// Letters of both alleles stand for each other from the left, but for those at the end that are
		// the same, which do from the right. What is left of the longer allele is the gap.
		prefix, suffix := 0, 0
		for prefix < shorter && v.old[prefix] == changed[prefix] {
			prefix++
		}
		for suffix < shorter-prefix && v.old[len(v.old)-1-suffix] == changed[len(changed)-1-suffix] {
			suffix++
		}
		h.stand(letters[from:at], from)
		h.stand([]byte(changed[:shorter-suffix]), at)
		h.letters = append(h.letters, changed[shorter-suffix:len(changed)-suffix]...)
		from = at + len(v.old)
		h.stand([]byte(changed[len(changed)-suffix:]), from-suffix)
	}
	h.stand(letters[from:d.region.to], from)
	return h
}

// stand appends letters that stand for those of the reference from a position on.
func (h *haplotype) stand(letters []byte, reference int) {
	if len(letters) > 0 {
		h.blocks = append(h.blocks, block{len(h.letters), reference, len(letters)})
		h.letters = append(h.letters, letters...)
	}
}

// lift returns the 0-based reference position of a letter; of an inserted one that of the next that
// is not.
func (h *haplotype) lift(at int) int {
	next := sort.Search(len(h.blocks), func(i int) bool { return h.blocks[i].at > at })
	if next > 0 {
		if b := h.blocks[next-1]; at < b.at+b.length || next == len(h.blocks) {
			return b.reference + min(at-b.at, b.length)
		}
	}
	return h.blocks[next].reference
}

// writeFiles writes the files of a set that say what the donor is.
func (d *donor) writeFiles(output, reference string) error {
	full, err := filepath.Abs(reference)
	if err != nil {
		return err
	}
	if err := errors.Join(sidebyside.Remove(output+".fa"), os.MkdirAll(filepath.Dir(output), 0o755)); err != nil {
		return err
	}
	if err := os.Symlink(full, output+".fa"); err != nil {
		return err
	}
	// Depth falls towards the ends of the region.
	const edge = 500
	bed := fmt.Sprintf("%s\t%d\t%d\n", d.region.contig, d.region.from+edge, d.region.to-edge)
	if err := os.WriteFile(output+".bed", []byte(bed), 0o644); err != nil {
		return err
	}
	return writeFile(output+".vcf", func(w *bufio.Writer) error {
		_, err := fmt.Fprintf(w, "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n%s\n"+
			"##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"+
			"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tDONOR\n", strings.Join(d.contigs, "\n"))
		for _, v := range d.variants {
			_, wrong := fmt.Fprintf(w, "%s\t%d\t.\t%s\t%s\t50\tPASS\t.\tGT\t%s\n", v.contig, v.position, v.old, strings.Join(v.changed, ","), v.genotype)
			err = errors.Join(err, wrong)
		}
		return err
	})
}
