package main

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/mapper"
	"scanmap/mapper/depth"
	"scanmap/track"
)

// partDepths are the tracks of --depth of parts, which are read side by side. Each has a value for
// every base, so that their sum changes only where a track does.
type partDepths struct {
	ctx     context.Context
	parts   []string // names of JSON, for errors
	tracks  []string
	depths  []*depth.Summary // as the JSON has them
	ref     *dna.Reference   // contigs alone
	options depth.Options
	summed  *depth.Sums // of a first pass
	reading *depthPass  // where the next values are likely to begin, nil for none
	exact   bool        // values of tracks have to be exact, because the JSON lacks some
}

// newPartDepths refuses parts without depth, and with depth of other options or references.
func newPartDepths(ctx context.Context, j *mergeJob, names []string, depths []*depth.Summary, contigs []mapper.ContigStats) (*partDepths, error) {
	p := &partDepths{ctx: ctx, parts: names, tracks: j.tracks, depths: depths, ref: &dna.Reference{}}
	for i, d := range depths {
		if d == nil {
			return nil, fmt.Errorf("%s: has no depth: its map had no --depth beside --stats", names[i])
		}
		first := depths[0]
		for _, o := range [][3]string{{"depth-of", string(d.Of), string(first.Of)}, {"weights", string(d.Weights), string(first.Weights)}} {
			if o[1] != o[2] {
				return nil, fmt.Errorf("%s: option --%s was %s, but %s for %s: their depths do not add up", names[i], o[0], o[1], o[2], names[0])
			}
		}
		if err := d.SameReference(first); err != nil {
			return nil, fmt.Errorf("%s: %w in %s: their depths do not add up", names[i], err, names[0])
		}
	}
	without := slices.IndexFunc(depths, func(d *depth.Summary) bool { return len(d.Contigs) != len(contigs) })
	p.options, p.exact = depths[0].Options, j.counts.depth+j.counts.regionDepth != "" || without >= 0
	for _, f := range []namedOutput{{"abundance", j.counts.abundance}, {"genome-abundance", j.counts.ofGenomes}} {
		if f.name == "" {
			continue
		}
		if p.options.Of == depth.Starts {
			return nil, fmt.Errorf("option --%s tells of covered bases, but %s is of --depth-of starts", f.option, names[0])
		}
		if without >= 0 {
			return nil, fmt.Errorf("%s: has no counts of contigs for --%s: an older scanmap wrote it", names[without], f.option)
		}
	}
	for i := range contigs {
		p.ref.Contigs = append(p.ref.Contigs, dna.Contig{Name: contigs[i].Name, Length: contigs[i].Length})
	}
	if err := inputsExist(p.tracks...); err != nil {
		return nil, err
	}
	for _, name := range p.tracks {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: is no regular file, and a track of a part is read more than once", name)
		}
	}
	return p, nil
}

// sum reads the tracks for the first time, compares each with what its run counted, and sums up.
func (p *partDepths) sum(o *counts) error {
	if err := firstError(o.readRegions(p.ctx, p.ref), o.readGenomes(p.ctx, p.ref)); err != nil {
		return err
	}
	p.summed = depth.NewSums(p.options, p.ref.Contigs, o.regionsRead, 0, nil)
	pass := p.begin()
	defer pass.close()
	for pass.next() {
		if err := p.summed.Add(pass.contig, pass.start, pass.end, pass.depth); err != nil {
			return err
		}
	}
	if pass.err != nil {
		return pass.err
	}
	for i, c := range pass.all {
		if c.rounded { // the JSON alone knows the sum
			c.sum = 0
			for _, n := range p.depths[i].Contigs {
				c.sum += n.Depth
			}
		}
		if err := p.depths[i].Holds(c.covered, c.sum); err != nil {
			return fmt.Errorf("%s: %w in %s: it is not the --depth of that run", p.tracks[i], err, p.parts[i])
		}
	}
	o.summed, o.abundant = p.summed.Summary(p.depths), p.summed
	return nil
}

// open opens the files of sums.
func (p *partDepths) open(results *resultFiles, o *counts) (files []statisticsFile, err error) {
	for _, f := range []struct {
		what, name string
		write      func(*output, *mapper.Stats) error
	}{
		{"depth", o.depth, func(to *output, _ *mapper.Stats) error {
			defer func() { p.reading.close() }()
			// One goroutine, which asks for one stretch after the other.
			err := writeTrack(results, to, o.format, trackContigs(p.ref.Contigs), p.values, 1)
			if p.reading != nil && p.reading.err != nil {
				return partError{p.reading.err}
			}
			return err
		}},
		{"depth of regions", o.regionDepth, func(to *output, _ *mapper.Stats) error { return p.writeRegions(to, o) }},
		{"abundance", o.abundance, o.writeAbundance},
		{"abundance of genomes", o.ofGenomes, o.writeGenomeAbundance},
	} {
		if f.name == "" {
			continue
		}
		file, err := results.openLater(f.name)
		if err != nil {
			return nil, err
		}
		if f.name == o.depth && o.format == track.BigWig && file.temporary == "" {
			return nil, file.fail(errNoSeek)
		}
		files = append(files, statisticsFile{f.what, file, func(_ io.Writer, s *mapper.Stats) error { return f.write(file, s) }})
	}
	return files, nil
}

// values are the sums as a writer of tracks asks for them. One that asks for earlier bases makes
// the tracks be read again.
func (p *partDepths) values(contig, from, to int, yield func(start, end int, value float32) error) error {
	if from >= to {
		return nil // of a contig without bases
	}
	if r := p.reading; r == nil || r.contig > contig || r.contig == contig && r.start > from {
		r.close()
		p.reading = p.begin()
		p.reading.next()
	}
	r := p.reading
	unit := float64(p.options.Unit())
	for r.err == nil && (r.contig < contig || r.contig == contig && r.start < to) {
		if r.contig == contig && r.end > from {
			if err := yield(max(from, r.start), min(to, r.end), float32(float64(r.depth)/unit)); err != nil {
				return err
			}
			if r.end > to {
				break // which goes on there
			}
		}
		if !r.next() {
			break
		}
	}
	return r.err
}

// writeRegions writes the depth of regions or windows.
func (p *partDepths) writeRegions(to io.Writer, o *counts) error {
	w := regionWriter{to: to, contigs: p.ref.Contigs}
	if err := w.begin(); err != nil {
		return err
	}
	if o.window == 0 {
		for _, d := range p.summed.Regions() {
			if err := w.put(d); err != nil {
				return err
			}
		}
		return w.end()
	}
	windows := depth.NewSums(p.options, p.ref.Contigs, nil, o.window, w.put)
	pass := p.begin()
	defer pass.close()
	for pass.next() {
		if err := windows.Add(pass.contig, pass.start, pass.end, pass.depth); err != nil {
			return err
		}
	}
	if pass.err != nil {
		return partError{pass.err}
	}
	return w.end()
}

// A depthPass reads the tracks once, from the first base to the last, in runs of equal depths of
// all. Its heap has the parts by the end of the run that each is in.
type depthPass struct {
	of      *partDepths
	all     []*partCursor // in the order of the parts
	by      []*partCursor // the heap
	started bool
	// The run at hand, its depth in units.
	contig, start, end int
	depth              int64
	runs               int
	err                error
}

func (d *depthPass) Len() int           { return len(d.by) }
func (d *depthPass) Less(i, j int) bool { return d.by[i].end < d.by[j].end }
func (d *depthPass) Swap(i, j int)      { d.by[i], d.by[j] = d.by[j], d.by[i] }
func (d *depthPass) Push(x any)         { d.by = append(d.by, x.(*partCursor)) }
func (d *depthPass) Pop() any           { d.by = d.by[:len(d.by)-1]; return nil }

// begin starts a pass.
func (p *partDepths) begin() *depthPass {
	d := &depthPass{of: p}
	for _, name := range p.tracks {
		c := newPartCursor(p, name)
		d.all, d.by = append(d.all, c), append(d.by, c)
	}
	return d
}

// close closes the tracks.
func (d *depthPass) close() {
	if d != nil {
		for _, c := range d.all {
			c.stop()
		}
	}
}

// next goes on to the next run, and tells whether there is one.
func (d *depthPass) next() bool {
	contigs := d.of.ref.Contigs
	if d.runs++; d.runs%4096 == 0 && d.err == nil {
		d.err = context.Cause(d.of.ctx)
	}
	if d.err != nil {
		return false
	}
	if d.started {
		d.start = d.end
	}
	// The first run of a contig needs all parts.
	if !d.started || d.start == contigs[d.contig].Length {
		if d.started {
			d.contig++
		}
		for d.contig < len(contigs) && contigs[d.contig].Length == 0 {
			d.contig++
		}
		d.started, d.start, d.depth = true, 0, 0
		for _, c := range d.all {
			if d.err = c.next(d.contig, 0); d.err != nil {
				return false
			}
			d.depth += c.units
		}
		if d.contig == len(contigs) {
			return false
		}
		heap.Init(d)
	} else {
		for d.by[0].end == d.start {
			c := d.by[0]
			d.depth -= c.units
			if d.err = c.next(d.contig, d.start); d.err != nil {
				return false
			}
			d.depth += c.units
			heap.Fix(d, 0)
		}
	}
	d.end = d.by[0].end
	return true
}

// A partCursor is where a pass is in the track of a part.
type partCursor struct {
	of    *partDepths
	name  string
	pull  func() (partRun, bool)
	stop  func()
	err   error // of reading
	end   int
	units int64
	// Bases with depth so far, and the sum of their depth in units.
	covered, sum int64
	rounded      bool // a value may be
}

// partRun is an interval of a track.
type partRun struct {
	contig     string
	start, end int
	value      float32
}

// errStopped ends the reading of a track.
var errStopped = errors.New("no more is read")

// newPartCursor returns a cursor before the first base.
func newPartCursor(p *partDepths, name string) *partCursor {
	c := &partCursor{of: p, name: name}
	c.pull, c.stop = iter.Pull(func(yield func(partRun) bool) {
		file, err := fasta.OpenFile(p.ctx, name)
		if err != nil {
			c.err = cause(err)
			return
		}
		defer func() { _ = file.Close() }() // it was only read
		c.err = track.Read(plainErrors{file}, func(contig string, start, end int, value float32) error {
			if !yield(partRun{contig, start, end, value}) {
				return errStopped
			}
			return nil
		})
	})
	return c
}

// mostUnits is a bound up to which float32, the values of a track, has all whole numbers.
const mostUnits = 1 << 24

// next goes on to the run that begins at a base of a contig, or to the end of the track behind the
// last contig. Errors name the track.
func (c *partCursor) next(contig, at int) error {
	r, ok := c.pull()
	contigs := c.of.ref.Contigs
	switch behind := contig == len(contigs); {
	case !ok && c.err != nil:
		return fmt.Errorf("%s: %w", c.name, c.err)
	case !ok && behind:
		c.end, c.units = 0, 0
		return nil
	case !ok:
		return fmt.Errorf("%s: ends before base %d of contig %q; map --depth writes a value for every base", c.name, at, contigs[contig].Name)
	case behind:
		return fmt.Errorf("%s: has contig %q behind the last one of %s", c.name, r.contig, c.of.parts[0])
	case r.contig != contigs[contig].Name || r.start != at:
		return fmt.Errorf("%s: goes on at base %d of contig %.100q, but a depth of the reference of %s at base %d of %.100q",
			c.name, r.start, r.contig, c.of.parts[0], at, contigs[contig].Name)
	case r.end > contigs[contig].Length:
		return fmt.Errorf("%s: contig %q has bases up to %d, but %d of them in %s", c.name, r.contig, r.end, contigs[contig].Length, c.of.parts[0])
	}
	unit := c.of.options.Unit()
	units := float64(r.value) * float64(unit)
	switch {
	case units < 0 || units != float64(int64(units)):
		return fmt.Errorf("%s: contig %q, base %d: %g is no depth of --weights %s", c.name, r.contig, r.start, r.value, c.of.options.Weights)
	case units >= mostUnits && c.of.exact:
		return fmt.Errorf("%s: contig %q, base %d: the depth %g is not below %d, up to which a track has exact values with --weights %s; "+
			"map more and smaller parts", c.name, r.contig, r.start, r.value, mostUnits/unit, c.of.options.Weights)
	}
	c.end, c.units, c.rounded = r.end, int64(units), c.rounded || units >= mostUnits
	if c.units > 0 {
		c.covered += int64(r.end - r.start)
		c.sum += c.units * int64(r.end-r.start)
	}
	return nil
}
