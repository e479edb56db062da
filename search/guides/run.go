package guides

import (
	"context"

	"scanmap/dna"
	"scanmap/search"
)

// Search finds all places of guides in a reference, and returns a summary of each guide. The
// function each, if it is not nil, gets every place. The statistics are of the search for places;
// without guides there are none.
//
// Where edits count, scored guides take a second search: the published scores are of substitutions,
// and of all places with at most k substitutions. A location with edits leaves out others beside
// it.
func Search(
	ctx context.Context, ref *dna.Reference, patterns []search.Pattern, o Options, how search.Options, each func(*Place) error,
) ([]Summary, *search.Stats, error) {
	o.reach, o.noBulges, o.ReferenceIUPAC = how.Distance, how.Substitutions, how.ReferenceIUPAC
	if l := how.Limits; l != nil {
		o.reach = min(how.Distance, min(l.Mismatches, how.Distance)+min(l.DNABulges, how.Distance)+min(l.RNABulges, how.Distance))
		o.noBulges = l.DNABulges == 0 && l.RNABulges == 0
	}
	counter := NewCounter(ref, patterns, o)
	if len(patterns) == 0 {
		return nil, nil, nil
	}
	text := search.NewDNA(ref)
	stats, err := search.Run(ctx, text, patterns, how, func(l []search.Location) error {
		if how.Substitutions {
			counter.Score(l)
		}
		return counter.Count(l, each)
	})
	if err == nil {
		err = counter.Finish(each)
	}
	if err == nil && counter.Scores() && !how.Substitutions {
		if how.Substitutions = how.Limits == nil; !how.Substitutions {
			how.Limits = &search.Limits{Mismatches: how.Limits.Mismatches}
		}
		_, err = search.Run(ctx, text, patterns, how, func(l []search.Location) error {
			counter.Score(l)
			return ctx.Err()
		})
	}
	return counter.Summaries(), stats, err
}
