package sam

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	hts "github.com/biogo/hts/sam"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

func TestIndexKind(t *testing.T) {
	for _, c := range []struct {
		length int
		want   IndexKind
	}{{1, BAI}, {1 << 29, BAI}, {1<<29 + 1, CSI}, {dna.MaxContigLength, CSI}} {
		if got := IndexKindFor(testHeader(t, HeaderOptions{}, dna.Contig{Name: "a", Length: 5},
			dna.Contig{Name: "b", Length: c.length})); got != c.want {
			t.Errorf("%d bases: %s", c.length, got)
		}
	}
}

// scattered are records in clumps over contigs, with long ones, spliced ones, and
// unmapped ones beside mates.
func scattered(contigs []dna.Contig, n int) []Record {
	random := rand.New(rand.NewPCG(5, 6))
	records := make([]Record, 0, n)
	for len(records) < n {
		index := random.IntN(len(contigs) - 1) // the last one stays empty
		c := contigs[index]
		center := random.IntN(c.Length)
		for range random.IntN(200) {
			length := min(1+random.IntN(300), c.Length)
			pos := min(max(0, center+random.IntN(2000)-1000), c.Length-length)
			r := Record{Name: fmt.Sprint("r", len(records)), Contig: c.Name, ContigIndex: index, Pos: pos, MatePos: -1,
				Bases: letters(300)[:length], Cigar: []hts.CigarOp{cigarOfLength(length)}}
			if gap := random.IntN(1 << random.IntN(28)); random.IntN(20) == 0 && pos+length+gap+1 < c.Length {
				r.Cigar = append(r.Cigar, hts.NewCigarOp(hts.CigarSkipped, gap+1), cigarOfLength(1))
				r.Bases = append(r.Bases, 'A')
			}
			switch random.IntN(30) {
			case 0:
				r.Flags, r.Cigar = hts.Unmapped, nil
			case 1:
				r.Flags, r.Cigar, r.Contig, r.Pos = hts.Unmapped, nil, "", -1
			case 2:
				r.Flags |= hts.Reverse
			}
			records = append(records, r)
		}
	}
	return records
}

func TestSamtoolsReadsIndex(t *testing.T) {
	path := programs.Find(t, "samtools")
	for name, contigs := range map[string][]dna.Contig{
		"bai": {{Name: "a", Length: 3_000_000}, {Name: "b", Length: 500}, {Name: "c", Length: 1 << 29},
			{Name: "empty", Length: 1000}},
		"csi": {{Name: "a", Length: 3_000_000}, {Name: "b", Length: dna.MaxContigLength},
			{Name: "c", Length: 100_000}, {Name: "empty", Length: 1000}},
		"csi, more": {{Name: "b", Length: 1<<29 + 1}, {Name: "empty", Length: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, contigs...)
			records := scattered(contigs, effort.Pick(20_000, 8000))
			file := filepath.Join(t.TempDir(), "x.bam")
			indexFile := file + "." + string(IndexKindFor(h))
			var index bytes.Buffer
			o := WriterOptions{Format: FormatBAM, Compression: 1, Threads: 3, Sort: true, Index: &index}
			bam := write(t, h, o, blocksOf(records, Binary, 1000)...)
			for name, data := range map[string][]byte{file: bam, indexFile: index.Bytes()} {
				if err := os.WriteFile(name, data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			output(t, nil, path, "quickcheck", file)
			checkRegions(t, path, file, contigs, records)

			counts := output(t, nil, path, "idxstats", file)
			if want := countsOf(contigs, records); string(counts) != want {
				t.Errorf("idxstats gives\n%swant\n%s", counts, want)
			}
			// samtools' own index gives the same.
			if err := os.Remove(indexFile); err != nil {
				t.Fatal(err)
			}
			arguments := []string{"index", file}
			if IndexKindFor(h) == CSI {
				arguments = []string{"index", "-c", file}
			}
			output(t, nil, path, arguments...)
			if got := output(t, nil, path, "idxstats", file); !bytes.Equal(got, counts) {
				t.Errorf("samtools' own index has\n%sand ours\n%s", got, counts)
			}
		})
	}
}

// checkRegions compares numbers of records in random regions, many around records.
func checkRegions(t *testing.T, path, file string, contigs []dna.Contig, records []Record) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	found := 0
	for range effort.Pick(150, 50) {
		r := records[random.IntN(len(records))]
		contig, begin := r.ContigIndex, max(r.Pos, 0)
		switch random.IntN(4) {
		case 0:
			contig = random.IntN(len(contigs))
			begin = random.IntN(contigs[contig].Length)
		case 1:
			begin += len(r.Bases) - 1
		case 2:
			begin = max(0, begin-random.IntN(100_000))
		}
		begin = min(begin, contigs[contig].Length-1)
		end := min(begin+1+random.IntN(1<<random.IntN(25)), contigs[contig].Length)
		want := 0
		for _, r := range records {
			length := alignedLength(r.Flags, referenceLength(r.Cigar))
			if r.Contig == contigs[contig].Name && r.Pos < end && begin < r.Pos+length {
				want++
			}
		}
		found += want
		region := fmt.Sprintf("%s:%d-%d", contigs[contig].Name, begin+1, end)
		if got := strings.TrimSpace(string(output(t, nil, path, "view", "-c", file, region))); got != fmt.Sprint(want) {
			t.Errorf("%s: %s records, want %d", region, got, want)
		}
	}
	if found == 0 {
		t.Error("no region has a record")
	}
}

// countsOf is what samtools idxstats prints.
func countsOf(contigs []dna.Contig, records []Record) string {
	var b strings.Builder
	unplaced := 0
	for i, c := range contigs {
		mapped, unmapped := 0, 0
		for _, r := range records {
			switch {
			case r.Contig == "" && i == 0:
				unplaced++
			case r.Contig != c.Name:
			case r.Flags&hts.Unmapped != 0:
				unmapped++
			default:
				mapped++
			}
		}
		fmt.Fprintf(&b, "%s\t%d\t%d\t%d\n", c.Name, c.Length, mapped, unmapped)
	}
	fmt.Fprintf(&b, "*\t0\t0\t%d\n", unplaced)
	return b.String()
}

func TestIndexOfNothing(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, dna.Contig{Name: "a", Length: 10})
	var index bytes.Buffer
	write(t, h, WriterOptions{Format: FormatBAM, Sort: true, Index: &index})
	if want := "BAI\x01\x01\x00\x00\x00" + strings.Repeat("\x00", 16); index.String() != want {
		t.Errorf("%q, want %q", index.String(), want)
	}
}

func TestIndexRefusesRecords(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, dna.Contig{Name: "a", Length: 10})
	for _, c := range []struct {
		record Record
		want   string
	}{
		{Record{Contig: "b", ContigIndex: 1}, "a record has contig 2 of 1"},
		{Record{Contig: "a", Pos: 1<<29 - 1, Cigar: []hts.CigarOp{cigarOfLength(2)}},
			"a record ends at base 536870913 of contig 1, where the index does not reach"},
	} {
		var index bytes.Buffer
		o := WriterOptions{Format: FormatBAM, Sort: true, Index: &index}
		if err := writeBlocks(&bytes.Buffer{}, o, h, [][]byte{c.record.AppendBinary(nil)}); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	o := WriterOptions{Format: FormatBAM, Sort: true, Index: &limitedWriter{left: 9}}
	if err := writeBlocks(&bytes.Buffer{}, o, h, nil); err == nil || err.Error() != "index: "+errFull.Error() {
		t.Errorf("failing writer: %v", err)
	}
}
