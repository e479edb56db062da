package mapper

import (
	"scanmap/locate"
	"scanmap/mapper/find"
)

// finding returns the options for finders.
func (o *Options) finding(t *find.Times) find.Options {
	return find.Options{
		Engine: o.Engine, Metric: o.Metric, Local: o.local(), Threads: o.Threads, Want: o.want(), BatchReads: o.BatchReads, Times: t,
		Temporary: o.Temporary, Limits: o.limits.find, Sought: o.sought(), Again: searchesOnGPU * len(o.seeks()), Words: o.shared.words(),
	}
}

// searchesOnGPU is how many finders of a seeker may seek reads again at a time on a GPU: one seeks
// while records are made of what the other found.
const searchesOnGPU = 2

// again returns the options for finders of reads that are sought again, whose near locations are
// wanted.
func (o *Options) again() find.Options {
	again := o.finding(&find.Times{})
	again.Want.Strata = again.Want.Near
	return again
}

// want says which locations finders have to hand on, and which of these are reported. Finders know
// no local locations.
func (o *Options) want() find.Want {
	if o.Local != nil {
		return find.Want{}
	}
	w := o.Report.want()
	w.Reported, w.Drop = o.MaxLocations, o.Over == OverDrop
	if w.Best {
		w.Near = int(o.near())
	}
	if w.Best && o.shared != nil {
		w.Mates = int(max(o.near(), o.widest(o.shared.bases)))
	}
	return w
}

// want says which locations finders have to hand on: all that may be reported.
func (r Report) want() find.Want {
	switch r.Mode {
	case ReportBest, ReportOne, ReportUnique:
		return find.Want{Best: true, One: r.Mode == ReportOne, Unique: r.Mode == ReportUnique}
	case ReportStrata:
		return find.Want{Best: true, Strata: r.Strata}
	case ReportAll:
	}
	return find.Want{}
}

// largest returns the largest distance of a location of a read of a length.
func (o *Options) largest(length int) int {
	if o.Local != nil {
		return length - o.Local.Score.For(length)
	}
	return o.Distance.For(length)
}

// local returns the finders' options for local locations.
func (o *Options) local() *find.Local {
	if o.Local == nil {
		return nil
	}
	return &find.Local{Cap: LocalCap}
}

// A step says what a seeker seeks.
type step int

const (
	seekNext  step = iota // distances at which more may be known
	seekLong              // the largest at which pieces are as long as they may be
	seekShort             // the largest at which they are three quarters of that
	seekLast              // distances at which all is known
	seekParts
)

// pieces returns the least bases of the pieces by which a step seeks reads without a location, or 0
// for a step with others.
func (s step) pieces() int {
	switch s {
	case seekLong:
		return locate.LongestPiece
	case seekShort:
		return locate.LongestPiece * 3 / 4
	case seekNext, seekLast, seekParts:
	}
	return 0
}

// usualLength is how many bases reads are taken to have that are not yet read.
const usualLength = 150

// seeks are what the seekers of a run seek, in order.
func (o *Options) seeks() (all []step) {
	// Locations that an estimate does not hold are sought again, too.
	if o.sought() != nil || o.near() >= 0 && o.estimates() {
		all = append(all, seekNext)
		// Most reads without a location so far have one that loses much less than k, and the
		// shortest pieces have by far the most candidates.
		for _, s := range []step{seekLong, seekShort} {
			if o.Local != nil && locate.CutLocal(usualLength, o.Local.Score.For(usualLength), LocalCap).Bases <= s.pieces()*3/4 {
				all = append(all, s)
			}
		}
		all = append(all, seekLast)
	}
	if o.Local != nil && o.Local.Split {
		all = append(all, seekParts)
	}
	return all
}
