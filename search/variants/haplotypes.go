package variants

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/parallel"
)

// family says which haplotypes there are.
type family int

const (
	// anySet are all sets of alleles that one place can touch, on the reference: of a VCF without
	// genotypes.
	anySet family = iota
	// called are the haplotypes that the genotypes of samples allow.
	called
	// chosen are the haplotypes with a base for each IUPAC letter.
	chosen
)

// A maker makes the windows of the haplotypes of a family, from sites that come in the order of
// their positions, contig by contig. It holds sites that lie near each other. Windows of several
// sites are made at a time, and used in order.
type maker struct {
	ref     *dna.Reference
	name    string // of the VCF, for messages
	family  family
	reach   int  // the most letters of a place
	flank   int  // the letters of a window before and after its alleles
	most    int  // haplotypes that begin or go on with one allele
	compare bool // windows are compared with the reference (changes.go)
	threads int
	use     func(*window) error
	sites   []*site // of one contig; elements are not changed, because jobs have them
	next    int     // of sites, the first that has no job yet
	trimAt  int     // the number of sites from which on trim looks for sites to drop
	jobs    []job
	shapers []*shaper // of each goroutine
}

// A job is a site whose windows are to be made, with the sites that may be in them.
type job struct {
	site    *site
	sites   []*site
	windows []*window
	err     error // after these windows
}

const (
	// jobsAtOnce is how many sites have their windows made at a time: some 0.5 ms of work.
	jobsAtOnce = 128
	// jobWindows is how many windows of a site are held. A site with more has them made one by one.
	jobWindows = 1024
)

// errMany is the error of a job with more than jobWindows windows.
var errMany = errors.New("many windows")

// add takes the next site.
func (m *maker) add(s *site) error {
	if n := len(m.sites); n > 0 && m.sites[n-1].contig != s.contig {
		if err := m.finish(); err != nil {
			return err
		}
	}
	m.sites = append(m.sites, s)
	for m.next < len(m.sites)-1 && m.complete(m.sites[m.next], s.position) {
		if err := m.windows(); err != nil {
			return err
		}
	}
	m.trim()
	return nil
}

// finish takes the end of a contig, or of all.
func (m *maker) finish() error {
	for m.next < len(m.sites) {
		if err := m.windows(); err != nil {
			return err
		}
	}
	m.sites, m.next = nil, 0
	return m.flush()
}

// windows puts the next site among the jobs.
func (m *maker) windows() error {
	m.jobs = append(m.jobs, job{site: m.sites[m.next], sites: m.sites})
	m.next++
	if len(m.jobs) < jobsAtOnce {
		return nil
	}
	return m.flush()
}

// flush makes the windows of the jobs, and uses them.
func (m *maker) flush() error {
	threads := max(m.threads, 1)
	for len(m.shapers) < threads {
		m.shapers = append(m.shapers, &shaper{maker: m, seen: map[string]bool{}, lists: map[string]bool{}})
	}
	parallel.Ranges(threads, len(m.jobs), max(1, jobsAtOnce/(8*threads)), func(worker, from, to int) {
		for i := from; i < to; i++ {
			j := &m.jobs[i]
			j.err = m.shapers[worker].windows(j, func(w *window) error {
				if len(j.windows) == jobWindows {
					return errMany
				}
				j.windows = append(j.windows, w)
				return nil
			})
		}
	})
	defer func() {
		clear(m.jobs)
		m.jobs = m.jobs[:0]
	}()
	for i := range m.jobs {
		j := &m.jobs[i]
		if j.err == errMany {
			j.windows = nil
			if err := m.shapers[0].windows(j, m.use); err != nil {
				return err
			}
			continue
		}
		for _, w := range j.windows {
			if err := m.use(w); err != nil {
				return err
			}
		}
		if j.err != nil {
			return j.err
		}
	}
	return nil
}

// complete tells whether no site from a position on can be in a window of a site: whether every
// haplotype has at least m.flank letters between them.
//
// Lemma: if p - e - saved(sites, e, p) >= m.flank, e being the end of an allele, no haplotype's
// window has an allele that starts at p or later, where sites has all that start before p.
//
// Proof. Go along the haplotype from e on. If it has no allele that reaches over p, its letters up
// to p are p - e less the letters that its alleles save, at most `saved`. Otherwise let [s, t) be
// replaced by l letters, s < p < t. Up to s and with the l it has p - e letters less the letters
// that its alleles save, where this one, cut at p, saves (p - s) - l. The letters saved are at most
// `saved`, too: if it is negative, without this allele the haplotype saves no less. ∎
func (m *maker) complete(s *site, p int) bool {
	if p-s.last < m.flank {
		return false
	}
	first := s.last
	for _, a := range s.alleles {
		first = min(first, a.end)
	}
	return p-s.last-saved(m.sites, first, p) >= m.flank
}

// trim drops the sites that no later window can reach: the letters between such a site and a later
// one are at least the contig's less the letters saved before the next site, and after it no more
// can be saved than there is, except by one allele that reaches beyond.
func (m *maker) trim() {
	if len(m.sites) < m.trimAt || m.next == len(m.sites) {
		return
	}
	at := m.sites[m.next].position
	before := m.flank + saved(m.sites, 0, at) + MaxAllele
	drop := 0
	for drop < m.next && m.sites[drop].last+before <= at {
		drop++
	}
	m.sites = slices.Clone(m.sites[drop:])
	m.next -= drop
	m.trimAt = 2*len(m.sites) + 8
}

// A shaper makes the windows of one site after the other.
type shaper struct {
	*maker
	use     func(*window) error // called, and not the maker's
	crossed bool                // alleles near the site overlap, of genotypes
	// For one allele: the alleles of its windows, and the alleles near it of haplotypes with
	// genotypes.
	seen, lists map[string]bool
	key         []byte
	classes     classes
	groups      groups
}

// windows makes the windows of the alleles of a job's site.
func (m *shaper) windows(j *job, use func(*window) error) error {
	m.use = use
	s := j.site
	var near []*allele
	within := m.flank + saved(j.sites, 0, m.ref.Contigs[s.contig].Length)
	for _, other := range j.sites {
		for _, a := range other.alleles {
			if a.end+within >= s.position && a.start <= s.last+within {
				near = append(near, a)
			}
		}
	}
	slices.SortFunc(near, inOrder)
	m.crossed = m.family == called && crossed(near)
	if m.family == called {
		m.groups.find(near)
	}
	for _, x := range s.alleles {
		clear(m.seen)
		clear(m.lists)
		var err error
		switch m.family {
		case anySet:
			err = m.sets(near, x)
		case called:
			err = m.called(near, x)
		case chosen:
			err = m.choices(near, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tooMany is the error of an allele on too many haplotypes.
func (m *shaper) tooMany(x *allele) error {
	err := fmt.Errorf("%s is on more than %d haplotypes of %d letters; --max-haplotypes allows more, and takes longer",
		x.name, m.most, x.end-x.start+2*m.flank)
	if m.name != "" {
		return &fasta.Error{File: m.name, Err: err}
	}
	return err
}

// put makes the window of a haplotype, unless there was one like it: the window has alleles first
// to last of list, and others as far as the flanks go.
func (m *shaper) put(near, list []*allele, first, last int) error {
	w := build(m.ref, m.flank, list, first, last)
	if w == nil {
		return nil
	}
	m.key = m.key[:0]
	for _, p := range w.placed {
		m.key = append(strconv.AppendInt(m.key, int64(p.id), 36), ',')
	}
	if m.compare {
		w.central, w.haplotype = list[first:last+1], list
		m.key = append(m.key, ';')
		for _, a := range list {
			if a.end+m.reach > list[first].start && a.start < list[last].end+m.reach {
				m.key = append(strconv.AppendInt(m.key, int64(a.id), 36), ',')
			}
		}
	}
	if m.seen[string(m.key)] {
		return nil
	}
	if m.seen[string(m.key)] = true; len(m.seen) > m.most {
		return m.tooMany(list[first])
	}
	w.near, w.crossed, w.most = near, m.crossed, m.most
	return m.use(w)
}

// sets makes the windows of all sets of alleles that begin with x and that one place can touch.
//
// Lemma: a place of at most m.reach letters that touches the alleles x, ..., y of a haplotype has
// at most m.reach - 2 letters between x and y. Proof: it has a letter that is x's, or the one
// before it if x has no letters, and one that is y's, or the one after it. ∎
func (m *shaper) sets(near []*allele, x *allele) error {
	at := slices.Index(near, x)
	var extend func(list []*allele, at, between int) error
	extend = func(list []*allele, at, between int) error {
		if err := m.put(near, list, 0, len(list)-1); err != nil {
			return err
		}
		last := list[len(list)-1]
		for i := at + 1; i < len(near); i++ {
			y := near[i]
			n := between + y.start - last.end
			if y.start < last.end || n > m.reach-2 || slices.ContainsFunc(list, y.overlaps) {
				continue
			}
			longer := append(slices.Clone(list), y)
			if err := extend(longer, i, n+len(y.letters)); err != nil {
				return err
			}
		}
		return nil
	}
	return extend([]*allele{x}, at, 0)
}

// choices makes the windows of all choices of bases for IUPAC letters, with x.
func (m *shaper) choices(near []*allele, x *allele) error {
	var extend func(list []*allele, rest []*allele, at int) error
	extend = func(list, rest []*allele, at int) error {
		if len(rest) == 0 {
			return m.put(near, list, at, at)
		}
		s := rest[0].site
		count := 1
		for count < len(rest) && rest[count].site == s {
			count++
		}
		for _, a := range rest[:count] {
			if s == x.site && a != x {
				continue
			}
			here := at
			if a == x {
				here = len(list)
			}
			if err := extend(append(slices.Clone(list), a), rest[count:], here); err != nil {
				return err
			}
		}
		return nil
	}
	var reached []*allele
	for _, a := range near {
		if a.end+m.flank > x.start && a.start < x.end+m.flank {
			reached = append(reached, a)
		}
	}
	return extend(nil, reached, 0)
}

// called makes the windows of the haplotypes with x that genotypes allow.
func (m *shaper) called(near []*allele, x *allele) error {
	done := make([]bool, len(m.groups.samples)) // by group
	try := func(sample int) error {
		group := m.groups.of(sample)
		if done[group] {
			return nil
		}
		done[group] = true
		return m.combinations(near, x, sample)
	}
	m.classes.split(near, x)
	for i, c := range x.carriers {
		if sample := int(c / copiesOfSample); m.groups.has(sample) {
			if err := try(sample); err != nil {
				return err
			}
		} else if list, first := m.classes.list(i); first {
			if err := m.putWith(near, list, x); err != nil {
				return err
			}
		}
	}
	for _, sample := range x.site.samples {
		if err := try(sample); err != nil {
			return err
		}
	}
	return nil
}

// putWith makes the window around x of a haplotype, if x is on it: of alleles that overlap it has
// the alleles of the record that comes first. list is in order.
func (m *shaper) putWith(near, list []*allele, x *allele) error {
	kept := apart(list)
	at := slices.Index(kept, x)
	if at < 0 {
		return nil
	}
	// Most copies have the alleles of another, which need not be put into letters to be seen.
	m.key = m.key[:0]
	for _, a := range kept {
		m.key = append(strconv.AppendInt(m.key, int64(a.id), 36), ',')
	}
	if m.lists[string(m.key)] {
		return nil
	}
	m.lists[string(m.key)] = true
	return m.put(near, kept, at, at)
}

// apart returns the alleles of a list, which is in order and has at most one of a site, without
// alleles that overlap a returned one that was read before.
func apart(list []*allele) []*allele {
	kept := slices.Clone(list)
	if !crossed(kept) {
		return kept
	}
	slices.SortFunc(kept, func(a, b *allele) int { return a.id - b.id })
	n := 0
	for _, a := range kept {
		if !slices.ContainsFunc(kept[:n], a.overlaps) {
			kept[n] = a
			n++
		}
	}
	kept = kept[:n]
	slices.SortFunc(kept, inOrder)
	return kept
}

// combinations makes the windows around x of the haplotypes that the genotypes of a sample allow.
func (m *shaper) combinations(near []*allele, x *allele, sample int) error {
	tried := 0
	return combine(near, x, sample, func(list []*allele) error {
		if tried++; tried > m.most {
			return m.tooMany(x)
		}
		return m.putWith(near, list, x)
	})
}

// combine gives the alleles near x, in order, of each copy with x that the genotypes of a sample
// allow, overlapping ones too. An error of use ends it.
//
// Alleles on one copy of a chromosome stay together: calls that are the same on all copies or
// phased without a set, and the calls of each phase set. Unphased calls go with everything. There
// are as many copies as the calls have alleles.
func combine(near []*allele, x *allele, sample int, use func(list []*allele) error) error {
	// Each variable has one of its options, and each of these some alleles.
	var variables [][][]*allele
	copies := make([][]*allele, copiesOfSample)
	ploidy := 0
	sets := map[int]int{} // the variable of each phase set
	seen := map[*site]bool{}
	for _, a := range near {
		call, ok := a.site.loose[sample]
		if !ok {
			for _, carrier := range a.copiesOf(sample) {
				c := int(carrier % copiesOfSample)
				copies[c] = append(copies[c], a)
				ploidy = max(ploidy, c+1)
			}
			continue
		}
		if seen[a.site] {
			continue
		}
		seen[a.site] = true
		ploidy = max(ploidy, len(call.alleles))
		if call.set == 0 {
			var options [][]*allele
			numbers := slices.Clone(call.alleles)
			slices.Sort(numbers)
			for _, n := range slices.Compact(numbers) {
				if n < 0 {
					options = append(options, nil)
				} else {
					options = append(options, []*allele{a.site.alleles[n]})
				}
			}
			variables = append(variables, options)
			continue
		}
		v, ok := sets[call.set]
		if !ok {
			v = len(variables)
			sets[call.set] = v
			variables = append(variables, nil)
		}
		for c, n := range call.alleles {
			if len(variables[v]) <= c {
				variables[v] = append(variables[v], nil)
			}
			if n >= 0 {
				variables[v][c] = append(variables[v][c], a.site.alleles[n])
			}
		}
	}
	variables = append(variables, copies[:ploidy])
	for i := range variables {
		variables[i] = distinct(variables[i])
	}
	var choose func(list []*allele, rest [][][]*allele) error
	choose = func(list []*allele, rest [][][]*allele) error {
		if len(rest) == 0 {
			all := slices.Clone(list)
			slices.SortFunc(all, inOrder)
			return use(all)
		}
		for _, option := range rest[0] {
			if err := choose(append(slices.Clone(list), option...), rest[1:]); err != nil {
				return err
			}
		}
		return nil
	}
	// Options without x, where others have it, need not be tried.
	for i, options := range variables {
		if slices.ContainsFunc(options, func(o []*allele) bool { return slices.Contains(o, x) }) {
			variables[i] = slices.DeleteFunc(slices.Clone(options), func(o []*allele) bool { return !slices.Contains(o, x) })
		}
	}
	return choose(nil, variables)
}

// distinct returns the options, each once: copies may be alike.
func distinct(options [][]*allele) (kept [][]*allele) {
	for _, o := range options {
		if !slices.ContainsFunc(kept, func(k []*allele) bool { return slices.Equal(k, o) }) {
			kept = append(kept, o)
		}
	}
	return kept
}
