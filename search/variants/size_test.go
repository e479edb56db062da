package variants

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/temporary"
	"scanmap/internal/truth"
	"scanmap/search"
)

// readChunks reads all sites, with as many goroutines and bytes of a chunk as are given, and
// returns them, with their alleles' numbers, and the counts of alleles that were left out.
func readChunks(t interface{ Fatalf(string, ...any) }, contigs []string, text string, threads, chunk int) (shows []string, err error) {
	v := newVCFReader("v.vcf", strings.NewReader(text), truthReference(t, contigs))
	v.threads, v.chunk = threads, chunk
	if err := v.header(); err != nil {
		return nil, err
	}
	for {
		s, err := v.site()
		if err != nil || s == nil {
			return append(shows, fmt.Sprintf("%+v", v.left)), err
		}
		line := show(s)
		for _, a := range s.alleles {
			line += fmt.Sprintf(" %d %s", a.id, a.name)
		}
		shows = append(shows, line)
	}
}

// TestLongestLine has a line as long as one may be, and longer ones, in the header and after it.
func TestLongestLine(t *testing.T) {
	const longest = 1000
	record := func(n int) string {
		return "c0\t1\t" + strings.Repeat("x", n-len("c0\t1\t\tA\tG\t.\t.\t.\n")) + "\tA\tG\t.\t.\t.\n"
	}
	comment := func(n int) string { return "##" + strings.Repeat("x", n-3) + "\n" }
	for name, c := range map[string]struct {
		comment, record int
		want            string
	}{
		"as long as one may be": {longest, longest, "<nil>"},
		"a header":              {70_000, 100, "v.vcf: line 2: it has more than 1000 bytes"},
		"a record":              {100, longest + 2, "v.vcf: line 4: it has more than 1000 bytes"},
	} {
		text := "##fileformat=VCFv4.2\n" + comment(c.comment) + columnNames + "\n" + record(c.record) + record(100)
		v := newVCFReader("v.vcf", strings.NewReader(text), truthReference(t, []string{"ACGT"}))
		v.chunk, v.maxLine = 50, longest
		err := v.header()
		for s := new(site); err == nil && s != nil; {
			s, err = v.site()
		}
		if fmt.Sprint(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestChunks reads the same sites, and the same error after them, whatever the chunks and threads.
func TestChunks(t *testing.T) {
	check(t, effort.Pick(5, 3), func(rt *rapid.T) {
		c := drawCase(rt)
		lines := strings.SplitAfter(c.vcf(), "\n")
		if rapid.Bool().Draw(rt, "wrong") {
			at := rapid.IntRange(2, len(lines)-1).Draw(rt, "at")
			wrong := rapid.SampledFrom([]string{"c0\n", "\n", "c9\t1\t.\tA\tG\t.\t.\t.\n", "c0\t1\t.\tA\tG\t.\t.\t.\tGT\t0|9\n", "\r\n", lines[len(lines)-2]}).Draw(rt, "line")
			lines = slices.Insert(lines, at, wrong)
		}
		text := strings.Join(lines, "")
		if rapid.Bool().Draw(rt, "without the last line feed") {
			text = strings.TrimSuffix(text, "\n")
		}
		want, wantErr := readChunks(rt, c.contigs, text, 1, 1<<20)
		threads, chunk := rapid.IntRange(1, 4).Draw(rt, "threads"), rapid.IntRange(1, 200).Draw(rt, "chunk")
		got, err := readChunks(rt, c.contigs, text, threads, chunk)
		if !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("%d threads, chunks of %d: %q %v, want %q %v\n%s", threads, chunk, got, err, want, wantErr, text)
		}
	})
}

// TestCallsWhereverGTIs reads the same from calls that begin with the genotype, mostly read by a
// short cut, as from calls that begin with something else.
func TestCallsWhereverGTIs(t *testing.T) {
	check(t, effort.Pick(5, 3), func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "samples")
		sets := rapid.Bool().Draw(rt, "sets")
		more := rapid.Bool().Draw(rt, "more")
		calls := rapid.SampledFrom([]string{"0|0", "0|0", "0|0", "0/0", "0|1", "1|0", "1|1", "1/1", "0/1", "2|1", "2/2", "0", "1", ".", "./.", ".|1", "3|3", "4|0", "10|0", "0|0|0", "0|", "|0|1", ""})
		var first, second strings.Builder
		head := "##fileformat=VCFv4.2\n" + columnNames + "\tFORMAT"
		for i := range n {
			head += fmt.Sprintf("\ts%d", i)
			call := calls.Draw(rt, "call")
			tail := ""
			if sets {
				tail = rapid.SampledFrom([]string{":5", ":.", ":6", ""}).Draw(rt, "set")
			}
			end := ""
			if more {
				end = rapid.SampledFrom([]string{":1,2", ""}).Draw(rt, "more")
			}
			if sets && tail == "" {
				end = ""
			}
			first.WriteString("\t" + call + tail + end)
			second.WriteString("\t9:" + call + tail + end)
		}
		format := "GT"
		if sets {
			format += ":PS"
		}
		if more {
			format += ":AD"
		}
		line := "c0\t4\t.\tT\tA,<X>,TG\t.\t.\t.\t"
		got, err := readChunks(rt, []string{"ACGTACGT"}, head+"\n"+line+format+first.String()+"\n", 1, 1<<20)
		want, wantErr := readChunks(rt, []string{"ACGTACGT"}, head+"\n"+line+"DP:"+format+second.String()+"\n", 1, 1<<20)
		if !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("%s%s: %q %v, want %q %v", format, first.String(), got, err, want, wantErr)
		}
	})
}

// drawCarriers draws copies in ascending order.
func drawCarriers(rt *rapid.T, label string) (carriers []uint32) {
	most := rapid.SampledFrom([]int{3, 40, 400}).Draw(rt, label+" most")
	for c := range uint32(most) {
		if rapid.IntRange(0, 3).Draw(rt, label) == 0 {
			carriers = append(carriers, c)
		}
	}
	return carriers
}

// TestLists compares the elements that lists share, and the others, with a look at each element.
func TestLists(t *testing.T) {
	check(t, effort.Pick(3, 1), func(rt *rapid.T) {
		list, other := drawCarriers(rt, "list"), drawCarriers(rt, "other")
		var both, one []uint32
		for _, c := range list {
			if slices.Contains(other, c) {
				both = append(both, c)
			} else {
				one = append(one, c)
			}
		}
		if got := with(slices.Clone(list), other); !slices.Equal(got, both) {
			rt.Fatalf("%v with %v: %v", list, other, got)
		}
		if got := without(slices.Clone(list), other); !slices.Equal(got, one) {
			rt.Fatalf("%v without %v: %v", list, other, got)
		}
	})
}

// TestClasses has for each carrier of an allele the alleles that it has near it, once for all that
// have the same.
func TestClasses(t *testing.T) {
	var c classes
	check(t, effort.Pick(3, 1), func(rt *rapid.T) {
		var near []*allele
		for range rapid.IntRange(1, 6).Draw(rt, "alleles") {
			near = append(near, &allele{carriers: drawCarriers(rt, "carriers")})
		}
		x := near[rapid.IntRange(0, len(near)-1).Draw(rt, "x")]
		c.split(near, x)
		var before [][]*allele
		for i, carrier := range x.carriers {
			var want []*allele
			for _, a := range near {
				if a.carriedBy(carrier) {
					want = append(want, a)
				}
			}
			same := func(list []*allele) bool { return slices.Equal(list, want) }
			got, first := c.list(i)
			switch {
			case first == slices.ContainsFunc(before, same):
				rt.Fatalf("copy %d: first is %v", carrier, first)
			case first && !same(got):
				rt.Fatalf("copy %d: %d alleles, want %d", carrier, len(got), len(want))
			case first:
				before = append(before, slices.Clone(got))
			}
		}
	})
}

// TestGroups puts two samples into one group if they have the same calls.
func TestGroups(t *testing.T) {
	var g groups
	check(t, effort.Pick(3, 1), func(rt *rapid.T) {
		const samples = 6
		var near []*allele
		for range rapid.IntRange(1, 4).Draw(rt, "sites") {
			s := &site{loose: map[int]looseCall{}}
			for range rapid.IntRange(1, 2).Draw(rt, "alleles") {
				s.alleles = append(s.alleles, &allele{site: s})
			}
			for sample := range samples {
				switch a := s.alleles[rapid.IntRange(0, len(s.alleles)-1).Draw(rt, "allele")]; rapid.IntRange(0, 3).Draw(rt, "call") {
				case 0:
					s.samples = append(s.samples, sample)
					s.loose[sample] = looseCall{rapid.SampledFrom([][]int{{-1, 0}, {0, -1}, {0}}).Draw(rt, "numbers"), rapid.IntRange(0, 2).Draw(rt, "set")}
				case 1:
					a.carriers = append(a.carriers, copyOf(sample, 0), copyOf(sample, 1))
				case 2:
					a.carriers = append(a.carriers, copyOf(sample, 15))
				}
			}
			near = append(near, s.alleles...)
		}
		calls := make([]string, samples)
		for i := range calls {
			for _, a := range near {
				call, loose := a.site.loose[i]
				calls[i] += fmt.Sprint(loose, call)
				for c := range copiesOfSample {
					calls[i] += fmt.Sprint(a.carriedBy(copyOf(i, c)))
				}
			}
		}
		g.find(near)
		for i := range calls {
			if has := slices.ContainsFunc(near, func(a *allele) bool { return slices.Contains(a.site.samples, i) }); g.has(i) != has {
				rt.Fatalf("sample %d is in a group: %v", i, !has)
			}
			for j := range calls {
				if g.has(i) && g.has(j) && (calls[i] == calls[j]) != (g.of(i) == g.of(j)) {
					rt.Fatalf("samples %d and %d: %v\n%s\n%s", i, j, g.group, calls[i], calls[j])
				}
			}
		}
	})
}

// manySites is a VCF of more sites than have their windows made at a time, of many samples.
func manySites(rt *rapid.T, letters string) string {
	var b strings.Builder
	b.WriteString("##fileformat=VCFv4.2\n" + columnNames + "\tFORMAT")
	const samples = 20
	for i := range samples {
		fmt.Fprintf(&b, "\ts%d", i)
	}
	b.WriteByte('\n')
	phased := rapid.Bool().Draw(rt, "phased")
	for at := 3; at < len(letters)-8; at += rapid.IntRange(1, 12).Draw(rt, "gap") {
		alt := letters[at:at+1] + drawAlt(rt)
		if rapid.IntRange(0, 4).Draw(rt, "SNV") > 0 {
			alt = rapid.SampledFrom([]string{"A", "C", "G", "T"}).Draw(rt, "base")
		}
		fmt.Fprintf(&b, "c0\t%d\t.\t%s\t%s\t.\t.\t.\tGT", at+1, letters[at:at+rapid.SampledFrom([]int{1, 1, 1, 4}).Draw(rt, "ref")], alt)
		often := rapid.IntRange(1, 9).Draw(rt, "often")
		for range samples {
			x := rapid.Uint64().Draw(rt, "calls")
			one, two := x%10 < uint64(often)/2, x/10%10 < uint64(often)/2
			sign := "|"
			if !phased && x/100%8 == 0 {
				sign = "/"
			}
			number := map[bool]int{true: 1}
			fmt.Fprintf(&b, "\t%d%s%d", number[one], sign, number[two])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestThreads has the same bytes for any number of goroutines and bounds, where there are many
// sites.
func TestThreads(t *testing.T) {
	folder := t.TempDir()
	p, err := search.NewPattern("p", []byte("ACGTAC"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	n := effort.Pick(1500, 500)
	effort.Cases(t, 40)
	for range effort.Pick(2, 1) {
		rapid.Check(t, func(rt *rapid.T) {
			letters := rapid.StringOfN(rapid.SampledFrom([]rune("ACGT")), n, n, -1).Draw(rt, "letters")
			o := Options{VCF: filepath.Join(folder, "v.vcf"), Samples: 5, Rows: search.RowOptions{Format: search.TSV}, Temporary: temporary.In(folder)}
			if err := os.WriteFile(o.VCF, []byte(manySites(rt, letters)), 0o600); err != nil {
				rt.Fatal(err)
			}
			o.Search.Distance, o.Search.Device = 1, device.Choice{Kind: device.CPU}
			o.Search.Substitutions = rapid.Bool().Draw(rt, "substitutions")
			run := func(threads int, b bounds) (string, Stats) {
				o.Search.Threads, o.bounds = threads, b
				var out bytes.Buffer
				stats, err := Run(tContext, truth.Reference(rt, letters), []search.Pattern{p}, o, &out)
				if err != nil {
					rt.Fatal(err)
				}
				return out.String(), *stats
			}
			want, wantStats := run(1, bounds{})
			got, stats := run(rapid.IntRange(2, 5).Draw(rt, "threads"), bounds{batch: 2000, calls: 500, rows: spilling(2000)})
			if got != want || stats.Windows != wantStats.Windows || stats.LeftOut != wantStats.LeftOut {
				rt.Fatalf("%+v, want %+v\n%s\n%s", stats, wantStats, got, want)
			}
		})
	}
}

// TestInsertionsAtOnePlace has two records that insert at one place on the same copy, before the
// letter that both begin with: the first counts.
func TestInsertionsAtOnePlace(t *testing.T) {
	vcf := vcfSamples + "c0\t3\t.\tG\tAG\t.\t.\t.\tGT\t1|0\t0|0\nc0\t3\t.\tG\tCG\t.\t.\t.\tGT\t1|1\t0|1\n"
	sites, v, err := readVCF(t, vcf)
	if err != nil || v.left.Overlapping != 1 {
		t.Fatalf("%+v, %v", v.left, err)
	}
	if got := show(sites[1]); got != "0:2 2-2:C[1 17]" {
		t.Error(got)
	}
}

// TestManyWindows has sites with more windows than are held of one.
func TestManyWindows(t *testing.T) {
	const sites = 12 // 2^11 windows begin with the first
	vcf := vcfHead
	for i := range sites {
		vcf += fmt.Sprintf("c0\t%d\t.\tA\tC\t.\t.\t.\n", 3+i)
	}
	file := filepath.Join(t.TempDir(), "v.vcf")
	if err := os.WriteFile(file, []byte(vcf), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := search.NewPattern("p", []byte("T"+strings.Repeat("M", sites)+"G"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 3} {
		o := Options{VCF: file, Haplotypes: 1 << sites, Rows: search.RowOptions{Format: search.TSV}, Temporary: temporary.In(t.TempDir())}
		o.Search.Device, o.Search.Threads = device.Choice{Kind: device.CPU}, threads
		var out bytes.Buffer
		stats, err := Run(tContext, truth.Reference(t, "TT"+strings.Repeat("A", sites)+"GG"), []search.Pattern{p}, o, &out)
		if err != nil {
			t.Fatal(err)
		}
		// All sets of alleles but the empty one have a window, and a place in it.
		if n := strings.Count(out.String(), "\n") - 1; stats.Windows != 1<<sites-1 || n != 1<<sites {
			t.Errorf("%d threads: %d windows and %d rows", threads, stats.Windows, n)
		}
		o.Haplotypes = 1<<11 - 1
		want := file + ": c0:3:A>C is on more than 2047 haplotypes of 27 letters; --max-haplotypes allows more, and takes longer"
		if _, err := Run(tContext, truth.Reference(t, "TT"+strings.Repeat("A", sites)+"GG"), []search.Pattern{p}, o, &out); err == nil || err.Error() != want {
			t.Errorf("%d threads: %v, want %s", threads, err, want)
		}
	}
}

// TestBatchOfCalls counts the calls of an allele once for all windows of a batch.
func TestBatchOfCalls(t *testing.T) {
	r := &runner{o: Options{bounds: bounds{batch: 1 << 20, calls: 100}}, batches: 1}
	a := &allele{site: &site{}, carriers: make([]uint32, 60)}
	for range 3 {
		if err := r.window(&window{text: []byte("ACGT"), placed: []placed{{a, 0}}}); err != nil {
			t.Fatal(err)
		}
	}
	if r.calls != 60 || len(r.batch.windows) != 3 {
		t.Errorf("%d calls of %d windows", r.calls, len(r.batch.windows))
	}
}
