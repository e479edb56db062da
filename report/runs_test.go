package report

import (
	"math"
	"math/rand/v2"
	"time"

	"scanmap/mapper"
)

// runs are of every kind that has to be shown.
func runs() map[string]*mapper.Stats {
	return map[string]*mapper.Stats{
		"yeast": yeast(), "lanes": lanes(), "example": example(), "scaffolds": scaffolds(), "empty": {},
		"paired": paired(), "hostile": hostile(), "extremes": extremes(),
	}
}

// hostile has names that a page or a terminal must not obey.
func hostile() *mapper.Stats {
	const name = "</title></script></style><script>alert(1)</script><img src=x onerror='alert(1)' />\"&amp;\x00\x1b[31m\u202e\xff{{.}}"
	s := yeast()
	s.Device = name
	s.Libraries[0].Sample, s.Libraries[0].ReadsFile, s.Libraries[0].MatesFile, s.Libraries[0].ReadGroup = name, name, name, name
	s.Libraries = append(s.Libraries, s.Libraries[0])
	s.PerContig[0].Name = name
	s.PerContig = append(s.PerContig, mapper.ContigStats{Name: name, Length: 10})
	s.Stages[0].Name, s.Stages[0].Unit = name, name
	s.Kernels = []mapper.KernelTime{{Name: name}}
	s.Engines[name] = 1
	return s
}

// extremes has the longest contig, deep and shallow coverage, k = 16,384, and libraries with
// unusual insert sizes.
func extremes() *mapper.Stats {
	const longest = 1<<31 - 1
	s := &mapper.Stats{
		Reads: 12_345_678_901, Mapped: 12_345_678_900, Unique: 12_345_678_899, Multiple: 1, Unmapped: 1, Mappings: 1 << 60,
		ByDistance: make([]int64, 16385), PerRead: make([]int64, 40),
	}
	s.ByDistance[16384], s.ByDistance[3], s.PerRead[39], s.PerRead[1] = 12_345_678_000, 900, 5, 12_345_678_895
	whole := mapper.ContigStats{Name: "longest", Length: longest, Primary: 9, Mappings: 99, BinLength: 1 << 20}
	for i := range longest/whole.BinLength + 1 {
		whole.PrimaryBases = append(whole.PrimaryBases, int64(i)*1000)
		whole.AllBases = append(whole.AllBases, int64(i)*1000+int64(i%7)*1_000_000)
	}
	s.PerContig = []mapper.ContigStats{
		whole,
		{Name: "one base", Length: 1, Primary: 1, Mappings: 1, BinLength: 1000, PrimaryBases: []int64{1}, AllBases: []int64{1}},
		{Name: "deep", Length: 999, Primary: 1, Mappings: 1, BinLength: 100, PrimaryBases: make([]int64, 10),
			AllBases: []int64{1 << 50, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{Name: "no bins", Length: 5000, Primary: 1, Mappings: 1},
		{Name: "no bases", BinLength: 1},
	}
	given := &mapper.PairStats{Pairs: 7, Proper: 5, OneEndAnchored: 2,
		Insert: mapper.InsertStats{Given: true, High: 100_000, Counts: []int64{0, 5}}}
	few := &mapper.PairStats{Insert: mapper.InsertStats{High: 1000}}
	s.Libraries = []mapper.LibraryStats{
		{ReadsFile: "-", Pairs: given}, {ReadsFile: "-", Pairs: few},
		{ReadsFile: "/x/.fastq.gz", MatesFile: "y", Reads: 1, Mapped: 1,
			Pairs: yeastPairs(newRandom(), 2000, 1.5, 1000)},
	}
	return s
}

// yeastContigs are the chromosomes of Saccharomyces cerevisiae R64 and their lengths.
var yeastContigs = []struct {
	name   string
	length int
}{
	{"chrI", 230218}, {"chrII", 813184}, {"chrIII", 316620}, {"chrIV", 1531933}, {"chrV", 576874}, {"chrVI", 270161},
	{"chrVII", 1090940}, {"chrVIII", 562643}, {"chrIX", 439888}, {"chrX", 745751}, {"chrXI", 666816}, {"chrXII", 1078177},
	{"chrXIII", 924431}, {"chrXIV", 784333}, {"chrXV", 1091291}, {"chrXVI", 948066}, {"chrM", 85779},
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

// yeast is like a run of 100,000 pairs of 100 bases on the yeast genome: ribosomal DNA with all its
// copies, many copies of the mitochondrion, repeats at the ends of chromosomes.
func yeast() *mapper.Stats {
	random := rand.New(rand.NewPCG(1, 2))
	s := &mapper.Stats{
		Reads: 200_000, Mapped: 190_400, Unmapped: 9_600, Ambiguous: 410, Unique: 168_300, Multiple: 22_100,
		Bases: 20_000_000, Mappings: 412_345, Reported: 412_345,
		MappedBases: 19_100_000, Shortest: 35, Longest: 151, ClippedReads: 4_321, ClippedBases: 98_765, Options: map[string]string{"min-score": "80%", "report": "all"},
		Sample: &mapper.UnmappedSample{Reads: 1000, WithAdapters: 412, Adapter: "AGATCGGAAGAGC",
			Tried: []mapper.Trial{{Option: "--local", Mapped: 655}, {Option: "-e 8%", Mapped: 120}}},
		ByDistance: []int64{121_000, 41_300, 16_700, 7_900, 3_500},
		PerRead:    []int64{9_600, 168_300, 9_300, 4_100, 3_200, 2_800, 1_500, 900, 300},
		Candidates: 2_345_678, Refused: 1_200_345, Verified: 900_123, ReferenceBases: 12_157_105, Batches: 1,
		Engines: map[mapper.Engine]int64{mapper.EngineSkim: 200_000}, Device: "cpu",
		Stages: []mapper.Stage{
			{Name: "parse", Time: 210 * time.Millisecond, Items: 200_000, Unit: "reads"},
			{Name: "skim", Time: 900 * time.Millisecond, Summed: true, Items: 24_314_210, Unit: "bases"},
			{Name: "verify", Time: 412 * time.Millisecond, Summed: true, Items: 2_345_678, Unit: "candidates"},
			{Name: "align", Time: 388 * time.Millisecond, Summed: true, Items: 412_345, Unit: "locations"},
			{Name: "write", Time: 120 * time.Millisecond, Items: 98_000_000, Unit: "bytes"},
		},
		Elapsed: 1423 * time.Millisecond,
	}
	for _, c := range yeastContigs {
		s.PerContig = append(s.PerContig, yeastContig(random, c.name, c.length))
	}
	s.Libraries = []mapper.LibraryStats{{
		ReadsFile: "SRR1234567_1.fastq.gz", MatesFile: "SRR1234567_2.fastq.gz", ReadGroup: "lane1", Sample: "BY4741",
		Reads: s.Reads, Mapped: s.Mapped, Unique: s.Unique, Ambiguous: s.Ambiguous, Mappings: s.Mappings, Reported: s.Reported,
		Pairs: yeastPairs(random, 312, 45.2, 88_150),
	}}
	return s
}

func yeastContig(random *rand.Rand, name string, length int) mapper.ContigStats {
	c := mapper.ContigStats{Name: name, Length: length, BinLength: 1000}
	for start := 0; start < length; start += c.BinLength {
		bases := float64(min(c.BinLength, length-start))
		depth := 1.4 + 0.25*random.NormFloat64() + 0.2*math.Sin(float64(start)/90_000)
		repeats := math.Max(0, 0.08*random.NormFloat64())
		switch {
		case name == "chrM":
			depth *= 14
		case name == "chrXII" && start >= 451_000 && start < 469_000:
			depth, repeats = 60, 110
		case start < 8_000 || start > length-8_000:
			depth, repeats = 1.1, 5+random.Float64()
		case start/1000%170 == 20:
			repeats = 9
		}
		primary := int64(math.Max(0, depth) * bases)
		c.PrimaryBases = append(c.PrimaryBases, primary)
		c.AllBases = append(c.AllBases, primary+int64(repeats*bases))
	}
	c.Primary, c.Mappings = sum(c.PrimaryBases)/100, sum(c.AllBases)/100
	return c
}

// yeastPairs has proper pairs with insert sizes spread normally.
func yeastPairs(random *rand.Rand, median int, spread float64, proper int64) *mapper.PairStats {
	p := &mapper.PairStats{
		Pairs: 100_000, Proper: proper, Discordant: 94_900 - proper, OtherContig: 2_100, OtherOrientation: 850, TooNear: 600,
		OneEndAnchored: 3_200, Unmapped: 1_900, Rescued: 1_240, Bounded: 17,
		Insert: mapper.InsertStats{
			Estimated: true, From: 10_000, Median: median, Spread: spread, Low: median - int(3*spread), High: median + int(3*spread),
			Counts: make([]int64, 10_001), Longer: 3,
		},
	}
	p.TooFar = p.Discordant - p.OtherContig - p.OtherOrientation - p.TooNear
	for n := p.Insert.Longer; n < proper; {
		size := median + int(math.Round(spread*random.NormFloat64()))
		if size >= p.Insert.Low && size <= p.Insert.High {
			p.Insert.Counts[size]++
			n++
		}
	}
	return p
}

// lanes is the yeast run with three libraries: two lanes of one sample, and a file of single-end
// reads.
func lanes() *mapper.Stats {
	s := yeast()
	first := s.Libraries[0]
	second := first
	second.ReadsFile, second.MatesFile, second.ReadGroup = "lane2_1.fastq.gz", "lane2_2.fastq.gz", "lane2"
	second.Pairs = yeastPairs(newRandom(), 298, 61, 80_000)
	single := mapper.LibraryStats{ReadsFile: "data/old_run.fq.gz", Reads: 50_000, Mapped: 31_000, Unique: 27_000,
		Ambiguous: 12, Mappings: 44_000, Reported: 44_000}
	s.Libraries = []mapper.LibraryStats{first, second, single}
	s.Duplicates = &mapper.DuplicateStats{Examined: 270_000, Pairs: 31_234, Singles: 2_345}
	for _, l := range s.Libraries[1:] {
		s.Reads += l.Reads
		s.Mapped += l.Mapped
		s.Unmapped += l.Reads - l.Mapped
		s.Unique += l.Unique
		s.Multiple += l.Mapped - l.Unique
		s.Ambiguous += l.Ambiguous
		s.Mappings += l.Mappings
		s.Reported += l.Reported
		s.Bases += 100 * l.Reads
		s.ByDistance[0] += l.Mapped
		s.PerRead[0] += l.Reads - l.Mapped
		s.PerRead[1] += l.Unique
		s.PerRead[2] += l.Mapped - l.Unique
	}
	return s
}
