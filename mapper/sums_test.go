package mapper

import (
	"testing"

	"scanmap/internal/truth"
)

// TestAddsUpEach has another prime for each number that workers count, libraries and pairs
// included: numbers of a sum are the sums of these.
func TestAddsUpEach(t *testing.T) {
	// Fields that describe one library, and fields that workers do not count.
	fixed := []string{"Libraries.Skip", "Libraries.Take", "Libraries.Pairs.Insert.From", "Libraries.Pairs.Insert.Median", "Libraries.Pairs.Insert.Mean",
		"Libraries.Pairs.Insert.Spread", "Libraries.Pairs.Insert.Low", "Libraries.Pairs.Insert.High", "Reads", "Mapped", "Unmapped", "Ambiguous",
		"Unique", "Multiple", "Unsought", "Mappings", "Reported", "Candidates", "Refused", "Verified", "ReferenceBases", "Batches", "Elapsed", "Shortest", "Longest"}
	counts := func() *Stats {
		return &Stats{ByDistance: make([]int64, 3), PerRead: make([]int64, 2), Libraries: []LibraryStats{
			{}, {Pairs: &PairStats{Insert: InsertStats{Counts: make([]int64, 4)}}}}}
	}
	a, b, sum := counts(), counts(), counts()
	truth.Primes(b, truth.Primes(a, 1, fixed...), fixed...)
	sum.add(a)
	sum.add(b)
	a.Reads, b.Reads = 1, 1
	sum.AddLengths(a, true)
	sum.AddLengths(b, false)
	for _, wrong := range truth.Sums(sum, fixed, a, b) {
		t.Error(wrong)
	}

	// The sums over the libraries.
	sum = counts()
	truth.Primes(sum, 1, append(fixed, "Libraries.Pairs")...)
	one, two := sum.Libraries[0], sum.Libraries[1]
	sum.Reads = 1000
	sum.gatherLibraries()
	if sum.Mapped != one.Mapped+two.Mapped || sum.Ambiguous != one.Ambiguous+two.Ambiguous || sum.Unique != one.Unique+two.Unique ||
		sum.Mappings != one.Mappings+two.Mappings || sum.Reported != one.Reported+two.Reported || sum.Multiple != sum.Mapped-sum.Unique ||
		sum.Unmapped != 1000-sum.Mapped {
		t.Errorf("%+v", sum)
	}

	var c, d ContigStats
	c.PrimaryBases, c.AllBases, d.PrimaryBases, d.AllBases = make([]int64, 2), make([]int64, 2), make([]int64, 2), make([]int64, 2)
	truth.Primes(&d, truth.Primes(&c, 1, "Length", "BinLength"), "Length", "BinLength")
	both := ContigStats{PrimaryBases: make([]int64, 2), AllBases: make([]int64, 2)}
	both.Add(&c)
	both.Add(&d)
	for _, wrong := range truth.Sums(&both, []string{"Length", "BinLength"}, &c, &d) {
		t.Error(wrong)
	}
}
