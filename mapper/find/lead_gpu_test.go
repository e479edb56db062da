package find

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/kernels"
	"scanmap/locate"
)

// A leadCase is a read, its copy in the text with faults that cost about what it may lose, and the
// diagonals of the copy's parts, from its first base on.
type leadCase struct {
	read, copied string
	diagonals    []int
}

// drawLeadCase draws a read of m bases that may lose so much, by gaps that cost `most` at the most.
// Beside, 1 is lost for so many inserted bases.
func drawLeadCase(r *rand.Rand, m, left, most, inserted int) leadCase {
	c := leadCase{read: truth.Random(r, m, "ACGT"), diagonals: []int{0}}
	var s strings.Builder
	clip := func() int {
		n := []int{0, 1, r.IntN(6), r.IntN(m / 4)}[r.IntN(4)]
		if n > left+2 {
			n = 0
		}
		left -= n
		return n
	}
	from := clip()
	m -= clip()
	s.WriteString(truth.Random(r, from, "ACGT"))
	gaps, apart := r.IntN(3), 4+r.IntN(m/3)
	for from < m {
		to := min(m, from+1+r.IntN(apart))
		s.WriteString(c.read[from:to])
		if from = to; from == m {
			s.WriteString(truth.Random(r, len(c.read)-m, "ACGT"))
			break
		}
		g := []int{1 + r.IntN(6), 1 + r.IntN(30), 40 + r.IntN(60), locate.LongestGap - r.IntN(4), most - locate.LossLeap + r.IntN(2)}[r.IntN(5)]
		cost := min(6+g, most)
		switch {
		case gaps > 0 && cost <= left && r.IntN(2) == 0:
			gaps, left = gaps-1, left-cost
			s.WriteString(truth.Random(r, g, "ACGT"))
			c.diagonals = append(c.diagonals, s.Len()-from)
		case gaps > 0 && cost+g/inserted <= left && from+g < m:
			gaps, left = gaps-1, left-cost-g/inserted
			from += g
			c.diagonals = append(c.diagonals, s.Len()-from)
		case left >= 5:
			left -= 5
			s.WriteString(truth.Substituted(r, c.read[from:from+1], 1))
			from++
		case m-from <= left+8: // the rest is clipped
			s.WriteString(truth.Random(r, m-from, "ACGT"))
			from = m
		}
	}
	c.copied = s.String()
	return c
}

// farLosses is how much more than the cost of the cap is known of one gap of that cost.
const farLosses = 20

// TestLead has alignments that lose as much as they may, a little less and a little more, and
// candidates on their diagonals and elsewhere. A GPU keeps all candidates that Leads keeps, and
// hardly any more. Exceptions are candidates that Leads keeps by gaps of the cost of the cap,
// though no alignment goes there.
func TestLead(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(67, 68))
	kept, idle, oneGap, capped, dropped, refused, known, unknown, bounds := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for i := range effort.Pick(72, 36) {
		most := []int{20, 20, 14, 40}[i%4]
		part := []int{5, 8, 3}[i/4%3]    // a read may lose 1/part of its bases
		sought := []int{0, 1, 2}[i/12%3] // unless 0, sought/3 of this loss is sought at first
		inserted := 1
		if sought == 0 {
			inserted = part
		}
		var text strings.Builder
		var reads []string
		var at [][]int // of each read where its diagonals are in the text
		for range 150 {
			m := []int{60 + r.IntN(40), 100 + r.IntN(60), 100 + r.IntN(60), 250, 500}[r.IntN(5)]
			left := m / part
			if sought > 0 {
				left = left * sought / 3
			}
			c := drawLeadCase(r, m, left+r.IntN(9)-4, most, inserted)
			text.WriteString(truth.Random(r, 20+r.IntN(120), "ACGT"))
			for j := range c.diagonals {
				c.diagonals[j] += text.Len()
			}
			text.WriteString(c.copied)
			reads, at = append(reads, c.read), append(at, c.diagonals)
		}
		ref := truth.Reference(t, text.String()+truth.Random(r, 300, "ACGT"))
		o := Options{Engine: EngineSkim, Threads: 1, Times: &Times{}, Local: &Local{Cap: most}}
		if sought > 0 {
			o.Sought = func(_, _, m, _ int) int { return m / part * sought / 3 }
		}
		p, b, end := leadPass(t, driver, ref, o, part, reads)
		var candidates []gpuCandidate
		for read, diagonals := range at {
			for _, d := range diagonals {
				for _, off := range []int{0, 0, 1, -2, r.IntN(200) - 100} {
					candidates = append(candidates, gpuCandidate{uint32(read), p.chunk.position(max(d+off, 0))})
				}
			}
		}
		led, least := p.leading(t, candidates)
		local := locate.Local{Reference: ref, Cap: most}
		for _, c := range candidates {
			read, d := int(c.read), int(c.position())-kernels.TextPadding
			lost, piece, each := min(b.Sought(read), b.K(read)), pieceOf(b, read), eachOf(b, read)
			leads := local.Leads(b.Length(read), b.K(read), b.Sought(read), b.strand(read, locate.Forward), locate.At(0, locate.Forward), d)
			switch {
			case leads && !led[c] && lost >= most && (refused%4 != 0 || !throughDiagonal(ref, reads[read], d, piece, lost, each, most)):
				refused++
			case leads && !led[c]:
				t.Fatalf("case %d: of read %s, which may lose %d with gaps of %d, the candidate at %d of %s is dropped",
					i, reads[read], b.loss(read), most, d, text.String()[max(d-100, 0):d+len(reads[read])+100])
			case leads:
				kept++
			case led[c] && lost < most:
				idle++
			case led[c] && lost < most+min(most, farLosses):
				oneGap++
			case led[c]:
				capped++
			default:
				dropped++
			}
			if n := -least[c]; n > 0 && !gapless(least[c]) {
				if bounds++; bounds%64 == 0 && throughDiagonal(ref, reads[read], d, piece, n-1, each, most) {
					t.Fatalf("case %d: read %s loses less than %d through %d", i, reads[read], n, d)
				}
			}
			one := onOne(ref, reads[read], d)
			if !led[c] || one > lost {
				continue
			}
			gaps := one > locate.LossLeap && local.Leads(b.Length(read), b.K(read), one-1, b.strand(read, locate.Forward), locate.At(0, locate.Forward), d)
			switch {
			case gapless(least[c]) && !says(least[c], ref, reads[read], d):
				t.Fatalf("case %d: the best alignment of read %s without a gap loses %d at %d, but it is %d that is known", i, reads[read], one, d, least[c])
			case gapless(least[c]) && gaps && throughDiagonal(ref, reads[read], d, piece, one-1, each, most):
				t.Fatalf("case %d: read %s loses less than %d with gaps, through %d", i, reads[read], one, d)
			case gapless(least[c]):
				known++
			case !gaps && one <= most:
				unknown++
			}
		}
		p.local = kernels.Local{Parts: 1}
		led, _ = p.leading(t, candidates)
		for _, c := range candidates {
			read, d := int(c.read), int(c.position())-kernels.TextPadding
			strand := b.strand(read, locate.Forward)
			if leads := local.LeadsToPart(b.Length(read), strand, locate.At(0, locate.Forward), d); leads != led[c] {
				t.Fatalf("case %d: a part of read %s leads through %d: %t", i, reads[read], d, led[c])
			}
		}
		end()
	}
	if t.Logf("%d lead somewhere, %d do not and are kept, %d for a gap of the cost of the cap and %d for two, %d are dropped, %d that the host keeps",
		kept, idle, oneGap, capped, dropped, refused); dropped < max(100*idle, 10*oneGap, capped) || kept == 0 {
		t.Error("too many that lead to nothing are kept")
	}
	if t.Logf("%d are known to have no gap, %d have none, %d lose some at least with gaps", known, unknown, bounds); known < 100*unknown || bounds < 500 {
		t.Error("too little is known of gaps")
	}
}

// leadPass prepares for candidates of reads, which may lose 1/part of their bases. end gives the
// GPU back.
func leadPass(t *testing.T, driver *gpu.Driver, ref *dna.Reference, o Options, part int, reads []string) (p gpuPass, b *Batch, end func()) {
	t.Helper()
	gpus, err := OnGPUs(ref, device.Choice{Kind: device.CUDA, Driver: driver}, o)
	if err != nil {
		t.Fatal(err)
	}
	w := gpus.Finders()[0].(*gpuFinder)
	if b, err = w.Pack(truth.Reads(reads...), 1, func(m int) int { return m / part }); err != nil {
		t.Fatal(err)
	}
	w.classes.sort(b, &w.shared)
	uploaded := w.upload(b)
	p = gpuPass{gpuFinder: w, gpuPart: &uploaded, queue: w.queue, chunk: &w.device.chunks[0], text: &w.device.chunks[0].text}
	if !p.looks() {
		t.Fatal("reads are too long")
	}
	return p, b, func() {
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLeadRuns has reads and a text with runs of one base, as tails of SINEs, and nothing else in
// common. Candidates on the diagonals of the runs are dropped, though segments of the run win on
// many diagonals beside.
func TestLeadRuns(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(69, 70))
	text := truth.Random(r, 300, "ACGT")
	run := strings.Repeat("T", 40)
	var reads []string
	var inRead, inText []int // where each run is
	for range 20 {
		n := 20 + r.IntN(70)
		reads, inRead = append(reads, truth.Random(r, n, "ACGT")+run+truth.Random(r, 110-n, "ACGT")), append(inRead, n)
		inText = append(inText, len(text))
		text += run + truth.Random(r, 200, "ACGT")
	}
	o := Options{Engine: EngineSkim, Threads: 1, Times: &Times{}, Local: &Local{Cap: locate.DefaultCap}}
	p, _, end := leadPass(t, driver, truth.Reference(t, text+truth.Random(r, 300, "ACGT")), o, 5, reads)
	defer end()
	var candidates []gpuCandidate
	for read := range reads {
		for _, at := range inText {
			candidates = append(candidates, gpuCandidate{uint32(read), p.chunk.position(at - inRead[read] + r.IntN(41) - 20)})
		}
	}
	if led, _ := p.leading(t, candidates); len(led) > len(candidates)/20 {
		t.Errorf("%d of %d candidates are kept", len(led), len(candidates))
	}
}

// TestLeadManyDiagonals has reads and copies with a run of one base. The copies differ beside it,
// every other one too much. Segments win on more diagonals than a warp has lanes.
func TestLeadManyDiagonals(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(83, 84))
	run := strings.Repeat("A", 40)
	text := truth.Random(r, 300, "ACGT")
	var reads []string
	var at []int
	for i := range 20 {
		flank, tail := truth.Random(r, 55, "ACGT"), truth.Random(r, 55, "ACGT")
		reads, at = append(reads, flank+run+tail), append(at, len(text))
		if text += truth.SubstitutedAt(flank, 15, 35) + run + truth.SubstitutedAt(tail, 26); i%2 > 0 {
			text = text[:at[i]] + truth.SubstitutedAt(flank, 5, 15, 25, 35) + run + truth.SubstitutedAt(tail, 12, 26, 40)
		}
		text += truth.Random(r, 300, "ACGT")
	}
	o := Options{Engine: EngineSkim, Threads: 1, Times: &Times{}, Local: &Local{Cap: locate.DefaultCap}}
	p, _, end := leadPass(t, driver, truth.Reference(t, text), o, 5, reads)
	defer end()
	var candidates []gpuCandidate
	for read := range reads {
		candidates = append(candidates, gpuCandidate{uint32(read), p.chunk.position(at[read])})
	}
	led, least := p.leading(t, candidates)
	for i, c := range candidates {
		switch {
		case led[c] != (i%2 == 0):
			t.Errorf("the copy of read %d is kept: %v", i, led[c])
		case led[c] && int32(least[c]) != locate.GaplessWhole(3):
			t.Errorf("of read %d %d is known", i, least[c])
		}
	}
}

// TestLeadRepeats has reads with a tandem repeat, and copies with other units. Segments win on more
// diagonals than half a warp has lanes. A GPU drops no more than the host, which also looks at
// segments in order, and nearly as much.
func TestLeadRepeats(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(79, 80))
	wide, widest, bounded, kept, idle := 0, 0, 0, 0, 0
	for _, sought := range []int{12, 15, 19, 30, 34} {
		text, units := truth.Random(r, 200, "ACGT"), 2
		if sought > 20 {
			units = 14
		}
		var reads []string
		var at []int // of each read's copy
		for range effort.Pick(150, 80) {
			unit := truth.Random(r, 1+r.IntN(3), "ACGT")
			flank, tail := truth.Random(r, 15+r.IntN(40), "ACGT"), truth.Random(r, 15+r.IntN(40), "ACGT")
			repeat := strings.Repeat(unit, 30)[:20+r.IntN(11)]
			other := repeat
			switch r.IntN(4) {
			case 3:
				if sought > 20 { // a gap to a diagonal that another lane has first, or after
					repeat = strings.Repeat(unit[:1], 40)
					if other = repeat[12:]; r.IntN(2) == 0 {
						repeat, other = other, repeat
					}
				}
			case 0: // units more or fewer
				other = strings.Repeat(unit, 60)[:max(len(repeat)+len(unit)*(r.IntN(2*units+1)-units), 0)]
			case 1:
				other = truth.Substituted(r, repeat, 2)
			}
			reads, at = append(reads, flank+repeat+tail), append(at, len(text))
			text += flank + other + truth.Substituted(r, tail, r.IntN(3)) + truth.Random(r, 150, "ACGT")
		}
		ref := truth.Reference(t, text)
		most := locate.DefaultCap
		if sought >= most {
			most = 40 // for a GPU to look at gaps below the cap alone, as the host does
		}
		o := Options{Engine: EngineSkim, Threads: 1, Times: &Times{}, Local: &Local{Cap: most}}
		o.Sought = func(int, int, int, int) int { return sought }
		p, b, end := leadPass(t, driver, ref, o, 3, reads)
		var candidates []gpuCandidate
		for read, from := range at {
			for off := -12; off <= 12; off += 1 + r.IntN(3) {
				candidates = append(candidates, gpuCandidate{uint32(read), p.chunk.position(from + off)})
			}
		}
		led, least := p.leading(t, candidates)
		local := locate.Local{Reference: ref, Cap: most}
		for _, c := range candidates {
			read, d := int(c.read), int(c.position())-kernels.TextPadding
			leads := local.Leads(b.Length(read), b.K(read), sought, b.strand(read, locate.Forward), locate.At(0, locate.Forward), d)
			if leads && !led[c] {
				t.Fatalf("%d are sought: read %s, at %d of %s is dropped", sought, reads[read], d-at[read], text[at[read]:][:len(reads[read])])
			}
			runs := 0 // diagonals with one that wins
			for k := locate.LossLeap - sought; k <= sought-locate.LossLeap; k++ {
				same := 0
				for i := range reads[read] {
					if same++; reads[read][i] != text[d+k+i] {
						same = 0
					}
					if same == locate.LossLeap+1 {
						runs++
						break
					}
				}
			}
			if bound := -least[c]; leads && led[c] && bound > locate.LossLeap && !gapless(least[c]) {
				if local.Leads(b.Length(read), b.K(read), bound-1, b.strand(read, locate.Forward), locate.At(0, locate.Forward), d) {
					t.Errorf("%d are sought: read %s loses %d at least at %d of %s, and less on the host", sought, reads[read],
						bound, d-at[read], text[at[read]:][:len(reads[read])])
				}
				if runs > 32 {
					bounded++
				}
			}
			switch {
			case leads:
				kept++
			case led[c]:
				idle++
			case runs > 32:
				widest++
			case runs > 16:
				wide++
			}
		}
		end()
	}
	t.Logf("%d are kept, and %d in vain; of others %d have many diagonals, and %d more than lanes, as %d of the kept ones", kept, idle, wide, widest, bounded)
	if kept < 100 || wide < 100 || widest < 20 || bounded < 50 || idle > kept {
		t.Error("the test shows little")
	}
}

// A tightCase is a read and its copy in the text. No more than the loss of the copy is sought. Its
// segments are on diagonals, from the first base of the copy.
type tightCase struct {
	read, copied string
	lost         int
	diagonals    []int
}

// tight checks that candidates on the diagonals of cases are kept. Reads may lose 1/part of their
// bases.
func tight(t *testing.T, r *rand.Rand, part int, cases []tightCase) {
	t.Helper()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	var text strings.Builder
	var reads []string
	var candidates []gpuCandidate
	text.WriteString(truth.Random(r, 200, "ACGT"))
	for i, c := range cases {
		reads = append(reads, c.read)
		for _, d := range c.diagonals {
			candidates = append(candidates, gpuCandidate{uint32(i), uint32(text.Len() + d)})
		}
		text.WriteString(c.copied + truth.Random(r, 200, "ACGT"))
	}
	o := Options{Engine: EngineSkim, Threads: 1, Times: &Times{}, Local: &Local{Cap: locate.DefaultCap}}
	o.Sought = func(read, _, _, _ int) int { return cases[read].lost }
	ref := truth.Reference(t, text.String())
	p, b, end := leadPass(t, driver, ref, o, part, reads)
	defer end()
	for i := range candidates {
		candidates[i].diagonal = p.chunk.position(int(candidates[i].diagonal))
	}
	led, _ := p.leading(t, candidates)
	for i, c := range candidates {
		d := int(c.position()) - kernels.TextPadding
		if i%40 == 0 && !throughDiagonal(ref, reads[c.read], d, pieceOf(b, int(c.read)), int(b.loss(int(c.read))), eachOf(b, int(c.read)), locate.DefaultCap) {
			t.Fatalf("no alignment of read %d that loses %d goes through %d", c.read, cases[c.read].lost, d)
		}
		if !led[c] {
			t.Errorf("of read %d, which loses %d, the candidate at %d is dropped", c.read, cases[c.read].lost, d)
		}
	}
}

// TestLeadAnotherGap has reads with a short gap, some bases, and a deletion of the cost of the cap;
// or with many bases between.
func TestLeadAnotherGap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(75, 76))
	var cases []tightCase
	for range effort.Pick(500, 300) {
		m, clip := 200, r.IntN(2)
		inserted, first, deleted := 0, 0, locate.DefaultCap-locate.LossLeap+r.IntN(80)
		if r.IntN(2) == 0 {
			inserted = 1 + r.IntN(3)
		} else {
			first = 1 + r.IntN(5)
		}
		second, third := 9+r.IntN(8), 22+r.IntN(8)
		if r.IntN(3) == 0 {
			second = 50
		}
		a := m - inserted - second - third
		a -= a % 4 * r.IntN(2)
		read := truth.Random(r, m, "ACGT")
		b, c := a+inserted+second, m-clip
		cases = append(cases, tightCase{
			read: read,
			copied: read[:a] + truth.Random(r, first, "ACGT") + read[a+inserted:b] + truth.Random(r, deleted, "ACGT") +
				read[b:c] + truth.Substituted(r, read[c:], clip),
			lost:      locate.LossLeap + first + 2*inserted + locate.DefaultCap + clip,
			diagonals: []int{0},
		})
	}
	tight(t, r, 5, cases)
}

// TestLeadInserted has reads with an insertion of the cost of the cap, forgiven in part.
func TestLeadInserted(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(77, 78))
	var cases []tightCase
	const m, part = 84, 3 // 28 may be lost, a third of it by each inserted base
	for range effort.Pick(500, 300) {
		inserted := []int{21, 21, 18, 15 + r.IntN(10)}[r.IntN(4)]
		clip := m/part - locate.DefaultCap - (inserted+part-1)/part
		a := 20 + 4*r.IntN(5) + r.IntN(2)
		read := truth.Random(r, m, "ACGT")
		cases = append(cases, tightCase{
			read: read, copied: read[:a] + read[a+inserted:m-clip] + truth.Substituted(r, read[m-clip:], clip),
			lost: m, diagonals: []int{0, -inserted},
		})
	}
	tight(t, r, part, cases)
}

// TestLeadNear has several copies of each read, some with letters that match nothing. A GPU drops
// candidates that lead to no near location, and no others.
func TestLeadNear(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(71, 72))
	kept, dropped, refused, idle := 0, 0, 0, 0
	for i := range effort.Pick(24, 8) {
		near, sought := []int{1, 5, 10, 18}[i%4], []int{0, 2}[i/4%2] // as in TestLead
		var text strings.Builder
		var reads []string
		var candidates []gpuCandidate
		text.WriteString(truth.Random(r, 10, "ACGT"))
		for read := range 60 {
			m := 100 + r.IntN(150)
			reads = append(reads, truth.Random(r, m, "ACGT"))
			for range 6 {
				copied := []byte(truth.Substituted(r, reads[read], r.IntN(7)))
				if r.IntN(3) == 0 {
					copied[r.IntN(m)] = 'N'
				}
				at := r.IntN(m)
				deleted := []int{0, 0, 1, 1 + r.IntN(20)}[r.IntN(4)]
				text.WriteString(truth.Random(r, r.IntN(30), "ACGT"))
				for _, d := range []int{text.Len(), text.Len() + deleted, text.Len() + r.IntN(40)} {
					candidates = append(candidates, gpuCandidate{uint32(read), uint32(d)})
				}
				text.Write(copied[:at])
				text.WriteString(truth.Random(r, deleted, "ACGT"))
				text.Write(copied[at:])
			}
		}
		const part = 5
		ref := truth.Reference(t, text.String())
		o := Options{Engine: EngineSkim, Threads: 1, Times: &Times{}, Local: &Local{Cap: locate.DefaultCap}}
		if sought > 0 {
			o.Sought = func(_, _, m, _ int) int { return m / part * sought / 3 }
		}
		p, b, end := leadPass(t, driver, ref, o, part, reads)
		p.near = uint32(near)
		p.keep.noBest(p.queue, len(reads))
		for j := range candidates {
			candidates[j].diagonal = p.chunk.position(int(candidates[j].diagonal))
		}
		led, least := p.leading(t, candidates)
		best := make([]int, len(reads))
		for read := range best {
			best[read] = math.MaxInt32
		}
		for _, c := range candidates {
			best[c.read] = min(best[c.read], onOne(ref, reads[c.read], int(c.position())-kernels.TextPadding))
		}
		local := locate.Local{Reference: ref, Cap: locate.DefaultCap}
		for _, c := range candidates {
			read, d := int(c.read), int(c.position())-kernels.TextPadding
			lost, each := b.Sought(read), eachOf(b, read)
			if n := best[read] + near; n <= int(b.loss(read)) {
				lost, each = n, len(reads[read])
			}
			leads := local.Leads(b.Length(read), b.K(read), lost, b.strand(read, locate.Forward), locate.At(0, locate.Forward), d)
			one := onOne(ref, reads[read], d)
			switch {
			case leads && !led[c] && !throughDiagonal(ref, reads[read], d, pieceOf(b, read), min(lost, b.K(read)), each, locate.DefaultCap):
				refused++
			case leads && !led[c]:
				t.Fatalf("case %d: of read %d, whose best loses %d, the candidate at %d is dropped, which may lose %d", i, read, best[read], d, lost)
			case leads:
				kept++
			case led[c]:
				idle++
			default:
				dropped++
			}
			if led[c] && one <= lost && one <= locate.LossLeap && !gapless(least[c]) {
				t.Fatalf("case %d: it is not known that read %d, which loses %d through %d, has no gap there", i, read, one, d)
			}
		}
		end()
	}
	if t.Logf("%d lead somewhere, %d do not and are kept, %d are dropped, and %d that the host keeps", kept, idle, dropped, refused); kept < 500 || dropped < 500 || 20*idle > dropped {
		t.Error("too few of one kind")
	}
}

// TestLeastInContig has candidates across the border of two contigs: what alignments lose there at
// least is known in neither.
func TestLeastInContig(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(73, 74))
	first, second, read := truth.Random(r, 300, "ACGT"), truth.Random(r, 300, "ACGT"), truth.Random(r, 100, "ACGT")
	o := Options{Engine: EngineSkim, Threads: 1, Times: &Times{}, Local: &Local{Cap: locate.DefaultCap}}
	p, _, end := leadPass(t, driver, truth.Reference(t, first, second), o, 5, []string{read})
	defer end()
	for _, c := range []struct {
		at   int // from the first contig's first base
		code uint32
		want []int32
	}{
		{0, 12, []int32{-12}},
		{200, 12, []int32{-12}},
		{200, 0, []int32{locate.OffContig}},
		{200, kernels.Gapless, []int32{locate.Gapless}},
		{200, kernels.Gapless - 1, []int32{1 - kernels.Gapless}},
		{200, kernels.GaplessLoss, []int32{locate.GaplessLoss(0)}},
		{200, kernels.Whole - 1, []int32{locate.GaplessLoss(kernels.Whole - kernels.GaplessLoss - 1)}},
		{200, kernels.Whole, []int32{locate.GaplessWhole(0)}},
		{200, 1<<7 - 1, []int32{locate.GaplessWhole(1<<7 - 1 - kernels.Whole)}},
		{201, 12, []int32{locate.OffContig}},
		{-1, kernels.Gapless, []int32{locate.OffContig}},
		{220, 12, []int32{locate.OffContig}},
	} {
		l := gpuCandidate{read: c.code << kernels.LeastShift, diagonal: p.chunk.position(c.at)}
		var got []int32
		for _, candidate := range p.localCandidates(nil, l, -1) {
			got = append(got, candidate.Differences)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("at %d with %d: %d, want %d", c.at, c.code, got, c.want)
		}
	}
}

// pieceOf returns the length of the pieces of a read.
func pieceOf(b *Batch, read int) int {
	m := b.Length(read)
	return locate.CutLocal(m, m-int(b.loss(read)), b.local.Cap).Bases
}

// eachOf returns what an inserted base of a read loses beside its gap, in parts of its length.
func eachOf(b *Batch, read int) int {
	if b.Sought(read) > b.K(read) {
		return int(b.loss(read))
	}
	return b.Length(read)
}

// throughDiagonal tells from all cells whether an alignment with a piece on a diagonal of a read
// loses no more than `lost`. An inserted base loses `each` beside its gap, in parts of the read's
// length. Gaps cost `most` at most. Cells that lose more than `lost` lead nowhere.
func throughDiagonal(ref *dna.Reference, read string, diagonal, piece, lost, each, most int) bool {
	const never, reach = 1 << 40, 300 // diagonals on either side
	m := len(read)
	// By base and diagonal, without and with a piece on the diagonal itself.
	cells := make([][2*reach + 1][2]int, m)
	for i := range cells {
		for k := range cells[i] {
			cells[i][k] = [2]int{i * m, never}
		}
	}
	equal := 0 // bases on the diagonal up to one
	for i := range m {
		for k := range cells[i] {
			best, at := cells[i][k], diagonal+k-reach+i
			inside := at >= 0 && at < ref.Contigs[0].Length
			if inside && k == reach {
				if equal++; read[i] != ref.Letter(at) {
					equal = 0
				} else if equal >= piece {
					best[1] = min(best[1], cells[i-piece+1][reach][0])
				}
			}
			if !inside || min(best[0], best[1]) > lost*m {
				cells[i][k] = [2]int{never, never}
				continue
			}
			if read[i] != ref.Letter(at) {
				best[0], best[1] = best[0]+locate.LossMismatch*m, best[1]+locate.LossMismatch*m
			}
			if best[1]+(m-1-i)*m <= lost*m {
				return true
			}
			cells[i][k] = best
			after := func(i, k, cost int) {
				if i < m && k >= 0 && k <= 2*reach {
					to := &cells[i][k]
					to[0], to[1] = min(to[0], best[0]+cost), min(to[1], best[1]+cost)
				}
			}
			after(i+1, k, 0)
			for g := 1; g <= locate.LongestGap; g++ {
				gap := min(locate.LossLeap+g, most) * m
				after(i+1, k+g, gap)
				after(i+1+g, k-g, gap+g*each)
			}
		}
	}
	return false
}

// leading returns the candidates that lead and lead_waves keep, and what alignments with gaps lose
// at least through these.
func (p *gpuPass) leading(t *testing.T, candidates []gpuCandidate) (led map[gpuCandidate]bool, least map[gpuCandidate]int) {
	q, v, n := p.queue, &p.verify, len(candidates)
	counters := make([]uint32, verifyCounters)
	counters[kernels.EmitLeft] = uint32(n)
	device.Upload(q, &v.left, candidates)
	device.Upload(q, &v.counters, counters)
	q.Reserve(&v.grouped, 8*n)
	q.Reserve(&v.windows, 16*n)
	v.lead(p, n)
	device.Download(q, counters, &v.counters, 0)
	if err := q.Wait(); err != nil {
		t.Fatal(err)
	}
	kept := make([]gpuCandidate, counters[kernels.EmitLeads])
	device.Download(q, kept, &v.grouped, 0)
	if err := q.Wait(); err != nil {
		t.Fatal(err)
	}
	led, least = map[gpuCandidate]bool{}, map[gpuCandidate]int{}
	for _, c := range kept {
		known := c.least()
		c.read = c.index()
		led[c], least[c] = true, int(known)
	}
	return led, least
}

// gapless tells whether Differences say that no alignment with gaps loses less than the best
// without.
func gapless(differences int) bool { return differences < -locate.MostLocal }

// says tells whether Differences, which are gapless, say what the best alignment of a read on a
// diagonal loses, and whether it has all bases of the read, or lose too much to say it.
func says(differences int, ref *dna.Reference, read string, diagonal int) bool {
	one, mismatches, whole := onOne(ref, read, diagonal), 0, true
	for i := range read {
		differs := true
		if at := diagonal + i; at >= 0 && at < ref.Contigs[0].Length {
			differs = ref.Letter(at) != read[i] || read[i] == 'N'
		}
		if differs {
			// Without the bases up to this one, or from this one on.
			whole = whole && locate.LossMismatch*(mismatches+1) < i+1
			mismatches++
		}
	}
	for i, left := len(read)-1, 0; i >= 0; i-- {
		if at := diagonal + i; at < 0 || at >= ref.Contigs[0].Length || ref.Letter(at) != read[i] || read[i] == 'N' {
			left++
			whole = whole && locate.LossMismatch*left < len(read)-i
		}
	}
	switch {
	case whole && mismatches < 1<<7-kernels.Whole:
		return differences == int(locate.GaplessWhole(mismatches))
	case one < kernels.Whole-kernels.GaplessLoss:
		return differences == int(locate.GaplessLoss(one))
	}
	return differences == locate.Gapless
}

// onOne returns what the best alignment of a read loses on a diagonal, without a gap, and at most
// its length.
func onOne(ref *dna.Reference, read string, diagonal int) int {
	score, best := 0, 0
	for i := range read {
		if at := diagonal + i; at >= 0 && at < ref.Contigs[0].Length && ref.Letter(at) == read[i] && read[i] != 'N' {
			score++
		} else {
			score = max(0, score+1-locate.LossMismatch)
		}
		best = max(best, score)
	}
	return len(read) - best
}

// TestLeadsInOrder has reads with a candidate at each of many copies, on both strands of three
// contigs: as many as a thread sorts, one more, and more than a block sorts at a time.
func TestLeadsInOrder(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(91, 92))
	copies := []int{1, kernels.OrderSorted, kernels.OrderSorted + 1, effort.Pick(2500, 1100), 0}
	contigs := make([]string, 3)
	var reads []string
	var at []int // of which read each copy is
	for i, n := range copies {
		reads = append(reads, truth.Random(r, 60, "ACGT"))
		at = append(at, slices.Repeat([]int{i}, n)...)
	}
	r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	want := make([][]locate.Candidate, len(reads))
	for i, read := range at {
		contig, strand, s := i*len(contigs)/len(at), r.IntN(2), reads[read]
		if strand == locate.Reverse {
			s = truth.ReverseComplement(s)
		}
		contigs[contig] += truth.Random(r, 10, "ACGT")
		want[read] = append(want[read], locate.Candidate{Place: locate.At(contig, strand), Diagonal: int32(len(contigs[contig]))})
		contigs[contig] += s
	}
	for _, queue := range []int{0, 1 << 8} { // several passes
		o := Options{Engine: EngineSkim, Threads: 2, Times: &Times{}, Local: &Local{Cap: locate.DefaultCap}, Limits: Limits{GPUQueue: queue}}
		gpus, err := OnGPUs(truth.Reference(t, contigs...), device.Choice{Kind: device.CUDA, Driver: driver}, o)
		if err != nil {
			t.Fatal(err)
		}
		w := gpus.Finders()[0].(*gpuFinder)
		b, err := w.Pack(truth.Reads(reads...), 1, func(m int) int { return m / 6 })
		if err != nil {
			t.Fatal(err)
		}
		var f Found
		if _, err = w.Find(b, &f); err != nil {
			t.Fatal(err)
		}
		for i := range reads {
			compare := func(a, b locate.Candidate) int {
				return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Diagonal, b.Diagonal))
			}
			got := slices.Clone(f.Candidates.Of(i))
			if queue == 0 && !slices.IsSortedFunc(got, compare) {
				t.Errorf("the candidates of read %d are in another order: %v", i, got)
			}
			slices.SortFunc(got, compare)
			slices.SortFunc(want[i], compare)
			if !slices.EqualFunc(got, want[i], func(a, b locate.Candidate) bool { return compare(a, b) == 0 && int(a.Read) == i }) {
				t.Errorf("queue %d: read %d has %d candidates, want %d", queue, i, len(got), len(want[i]))
			}
		}
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTakeOrdered compares the candidates of ordered lists, also over borders of contigs, where one
// may be none of the reference, or two, with the candidates of each item.
func TestTakeOrdered(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	r := rand.New(rand.NewPCG(93, 94))
	contigs := []string{truth.Random(r, 300, "ACGT"), truth.Random(r, 150, "ACGT"), truth.Random(r, 9, "ACGT"), truth.Random(r, 200, "ACGT")}
	var reads []string
	for range 2*CutReads + 9 {
		reads = append(reads, truth.Random(r, 60+r.IntN(60), "ACGT"))
	}
	o := Options{Engine: EngineSkim, Threads: 3, Times: &Times{}, Local: &Local{Cap: locate.DefaultCap}}
	p, b, end := leadPass(t, driver, truth.Reference(t, contigs...), o, 5, reads)
	defer end()
	last := p.ref.Contigs[len(contigs)-1].End()
	irregular := 0
	for n := range 40 {
		p.found = gpuFound{}
		want := make([][]locate.Candidate, len(reads))
		inside := n%2 == 0 // no read over a border
		for range 1 + n%3 {
			var left []gpuCandidate
			places := make([]uint32, len(reads))
			for i := range reads {
				var all []gpuCandidate
				for range r.IntN(4) * r.IntN(4) {
					at := r.IntN(last+200) - 100
					if c := p.ref.Contigs[max(p.ref.ContigAt(at), 0)]; inside && (at < c.Start || at+len(reads[i]) > c.End()) {
						continue
					}
					all = append(all, gpuCandidate{read: uint32(i) | uint32(r.IntN(2))*kernels.Strand | kernels.Whole<<kernels.LeastShift, diagonal: p.chunk.position(at)})
				}
				slices.SortFunc(all, func(a, b gpuCandidate) int {
					return cmp.Or(cmp.Compare(a.read&kernels.Strand, b.read&kernels.Strand), cmp.Compare(a.position(), b.position()))
				})
				for _, l := range all {
					made := p.localCandidates(nil, l, -1)
					want[i] = append(want[i], made...)
					if len(made) != 1 {
						irregular++
					}
				}
				left = append(left, all...)
				places[i] = uint32(len(left))
			}
			p.takeOrdered(left, places)
		}
		var f Found
		f.Candidates.Merge(p.found.candidates, p.found.leads, 2)
		if p.found.candidates == nil {
			continue
		}
		for i := range reads {
			compare := func(a, b locate.Candidate) int {
				return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Diagonal, b.Diagonal))
			}
			got := slices.Clone(f.Candidates.Of(i))
			if inside && n%3 == 0 && !slices.IsSortedFunc(got, compare) {
				t.Fatalf("case %d: the candidates of read %d are in another order: %v", n, i, got)
			}
			slices.SortFunc(got, compare)
			slices.SortFunc(want[i], compare)
			if !slices.Equal(got, want[i]) {
				t.Fatalf("case %d: read %d has %v, want %v", n, i, got, want[i])
			}
		}
	}
	if irregular == 0 || b.Length(0) == 0 {
		t.Error("no candidate lies over a border")
	}
}
