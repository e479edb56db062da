package mapper

import (
	"cmp"
	"math"

	"scanmap/mapper/find"
)

// Locations far behind the best one of a read are not reported, unless all are, and they hardly
// change its quality. Therefore near locations alone count: they have a limited number of edits
// more than the best one. The horizon of a read is their largest distance, k at most. Locations
// beyond it are not known, and count for MAPQ as locations beyond k do.
//
// Mates count by their near locations, if these have a proper combination with at most as many
// edits more than both best locations together. Otherwise they count by all locations up to k with
// few enough edits more than the best to be chosen (wide). Local locations beyond near ones count
// then only where they are proper beside a near location of the other mate (partners.go). No mate
// is sought in the whole reference for this.
//
// Lemma 1. Let all locations of a read be known up to a distance s. If the best known location has
// b edits, and b + near <= s or s = k, then all near locations of the read are known.
//
// Proof. None has less than b edits, so the best of all has b. The near ones have b + near at most,
// and k at most. ∎
//
// Local locations may lose more than k, if they qualify by their inserted bases. A distance of k +
// 1 says that all are known (find.Batch.All), which is s = k in the lemma.
//
// Lemma 2. For each mate let all locations up to some distance be known, one at least, and let
// these have a proper combination as above. Then the pair counts by near locations.
//
// Proof. The best ones are known, and the mates of that combination are near ones, as neither has
// fewer edits than the best of its mate: no more than `near` are left for the other. ∎
//
// Lemma 4. Let an alignment of a read lose x, and all its local locations be known that lose x +
// near at most. Then all near locations of the read are known.
//
// Proof. The best alignment of all is the first location, and loses x at most. ∎
//
// Where candidates show such an x, others are not settled (find.Reader.Near). Records and
// statistics are the same as if all were, with one exception: of more than MostLocations, which are
// counted and not held, locations of as many edits, inserted bases forgiven, are not counted where
// they lose more.
//
// Therefore all reads are sought up to a small distance first, by few and long pieces. Reads with
// too little known after that are sought again (seek.go). Edits are lost score where locations are
// local.

// nearEdits is how many edits a near location may have more than the best. A location one edit
// beyond has 3 edits more, 74 dB, so that a quality of 60, the highest, can still be told from a
// lower one.
const nearEdits = 2

// nearOfMates is nearEdits for mates whose local locations are sought: with an insert size that
// fits, 2 edits more, 49 dB, mostly make a location wrong by a quality of 60. Among 975,000 pairs
// of a human-like gigabase, as many were wrong at 30 and above as with 2. Mates whose edits are
// sought stay as they are, as that saves nothing there.
//
// A pair counts by near locations alone then if the best ones of both are a proper combination. To
// seek other pairs in the whole reference, as far as whole reads are, took a third of the time
// (November 2026, 500,000 pairs of that gigabase), and gave two mates of a million another place.
const nearOfMates = 1

// near returns how much farther than the best a near location of a read without a mate may be, or
// -1 where all locations count.
func (o *Options) near() int32 { return o.nearBy(nearEdits) }

// nearMate is near for mates.
func (o *Options) nearMate() int32 { return o.nearBy(mateEdits(o.Local != nil)) }

// mateEdits is nearEdits for mates, with local locations or with others.
func mateEdits(local bool) int32 {
	if local {
		return nearOfMates
	}
	return nearEdits
}

// nearAlone tells whether local locations that are not near are not settled, where they do not
// count.
func (o *Options) nearAlone() bool { return o.Local != nil && o.near() >= 0 && !o.limits.settleAll }

// nearOf returns find.Batch.Near for the reads of a library. While the insert size is being
// estimated, all locations count.
func (o *Options) nearOf(l *library) func() int {
	switch {
	case !o.nearAlone():
		return nil
	case !l.paired():
		return func() int { return int(o.near()) }
	}
	return func() int {
		if l.insert.Load() == nil {
			return 0
		}
		return int(o.nearMate())
	}
}

func (o *Options) nearBy(edits int32) int32 {
	n := edits * oddsOf(o).each
	switch o.Report.Mode {
	case ReportAll, "":
		return -1
	case ReportStrata:
		return max(n, int32(o.Report.Strata))
	case ReportBest, ReportOne, ReportUnique:
	}
	return n
}

// sought returns find.Options.Sought, nil where all is sought at first.
func (o *Options) sought() func(read, of, length, k int) int {
	if o.near() < 0 || o.Engine == EngineScan || o.limits.atOnce {
		return nil
	}
	return func(_, of, length, k int) int { return o.first(of, length, k) }
}

// first returns the distance up to which a read of a length, with a largest distance of k, is
// sought at first, one of a batch of `of` reads. This distance makes the near locations of most
// reads known. Where that saves little, first returns k (savesFew).
func (o *Options) first(of, length, k int) int {
	all := k
	if o.Local != nil {
		all++
	}
	near, edits, least := int(o.near()), plannedEdits(length), 4
	if o.shared != nil {
		edits += int(o.shared.more.Load())
	}
	if o.savesFew(of) {
		least = 1
	}
	if o.Local != nil {
		edits, least = edits*localDistance, 1
	}
	if first := near + edits; first+least <= k {
		return first
	}
	return all
}

// InSteps tells whether a CPU seeks a read of a length in steps, one of a batch of `of` reads, if
// the reference is repetitive.
func (o *Options) InSteps(of, length int) bool {
	run := *o
	run.limits.stepReads = firstReads
	sought, k := run.sought(), run.largest(length)
	return sought != nil && sought(0, of, length, k) < k
}

// savesFew tells whether a batch of `of` reads is sought in steps even where the first step saves
// a few edits alone, of 6 for example: most candidates come from repeats, and the reads are worth
// another pass over the reference. With 100,000 reads and more, on human-like references of 200 Mb
// and 1 Gb, this saves 15 to 40 % of the CPU time. With C. elegans it takes 10 % more, and with 200
// Mb of random bases 30 %. On a GPU, where `of` is 0, 4 M pairs of the gigabase take 9 s in steps,
// and 5 s otherwise.
func (o *Options) savesFew(of int) bool {
	return (o.limits.stepReads > 0 || o.repetitive()) && of >= cmp.Or(o.limits.stepReads, firstReads)
}

// firstReads is how many reads the first batch has on the CPU where reads are sought in steps:
// enough to tell how far the first step should go, and to be worth a second one.
const firstReads = 1 << 16

// repetitive tells whether a finder of the CPU has found that the reference is.
func (o *Options) repetitive() bool { return o.shared != nil && o.shared.Repetitive() }

// plannedEdits is how many edits the best location of a read may have so that its near ones are
// known after the first step, unless many reads have more.
func plannedEdits(length int) int { return 1 + length/200 }

// planned returns the distance up to which the locations of a read of a length are known at least,
// if k is not less: it has the near locations of a read with plannedEdits.
func (o *Options) planned(length int) int32 {
	return oddsOf(o).each * int32(nearEdits+plannedEdits(length))
}

// words returns what finders share, or nil.
func (r *sharedReference) words() *find.Words {
	if r == nil {
		return nil
	}
	return &r.Words
}

// count counts reads of a batch that were sought at first, and are to be sought again up to some
// distances. When there are enough it decides on more.
func (r *sharedReference) count(o *Options, b *find.Batch, toSeek []int32) {
	if r.decided {
		return
	}
	each := oddsOf(o).each
	for i, k := range toSeek {
		if b.Sought(i) >= b.All(i) {
			continue
		}
		n := 0
		if k != notAgain {
			planned := o.near() + each*int32(plannedEdits(b.Length(i)))
			n = int(max(k-planned+each-1, 0) / each)
		}
		r.planned[min(n, len(r.planned)-1)]++
	}
	all := 0
	for _, n := range r.planned {
		all += n
	}
	if all < decideReads {
		return
	}
	r.decided = true
	growth := 1.5
	switch {
	case o.Local != nil:
		growth = 2
	case o.repetitive():
		growth = 1.3
	}
	r.more.Store(int32(r.cheapest(growth)))
}

// cheapest returns how many more edits cost least where to seek an edit further takes `growth`
// times as long. Reads that are sought again cost twice. On a human-like gigabase it is 1.3, and 2
// for local locations. On references that are not repetitive, and where GPUs are at work from the
// start, it is taken to be 1.5.
func (r *sharedReference) cheapest(growth float64) (best int) {
	least := math.Inf(1)
	for more := range r.planned {
		cost := 0.0
		for needed, n := range r.planned {
			if cost += float64(n) * math.Pow(growth, float64(more)); needed > more {
				cost += float64(n) * math.Pow(growth, float64(needed))
			}
		}
		if cost < least {
			best, least = more, cost
		}
	}
	return best
}

// decideReads is how many reads tell how many are sought again.
const decideReads = 1 << 12

// widest returns the most that wide is for a reference of a length. The densities of insert sizes
// that are estimated are less than 1.
func (o *Options) widest(bases int64) int32 {
	highest := 1.0
	if given := o.Pairs.given(); given != nil {
		highest = max(highest, given.highest())
	}
	return int32((penaltyOf(discordantDensity(bases)) - penaltyOf(highest)) / oddsOf(o).penalty)
}
