package records

import (
	"context"
	"fmt"

	"scanmap/fasta"
	"scanmap/internal/bgzf"
	"scanmap/internal/parallel"
)

// A Folder takes the files of Split.
type Folder interface {
	// Append appends to a file, which is made if there is none. Several goroutines call it at a time,
	// for different files.
	Append(name string, text []byte) error
}

// Split writes the records of each barcode to a file of its own, in the order of the input: the
// best barcode of the record, if it is better than all others by Options.Margin. Other records go
// to the files Ambiguous and Unassigned. A file is called by its barcode, with .fq after it, or .fa
// if the first read has no qualities, and .gz if compressed. One without records is not made. The
// last file is Table: a row for each barcode in the order of the patterns, and then the rows of the
// other two files. Options.CheckBarcodes has to take the patterns.
//
// With Options.Apart the first mates go to files whose names have First after the barcode, and the
// second ones to files that have Second.
func Split(ctx context.Context, o Options, folder Folder, compressed bool) (*Stats, error) {
	if err := o.orDefault(); err != nil {
		return nil, err
	}
	if err := o.CheckBarcodes(); err != nil {
		return nil, err
	}
	k := o.Search.Distance
	reach, err := o.reach()
	if err != nil {
		return nil, err
	}
	o.Search.Distance = reach
	s := &splitter{folder: folder, turn: o.bounds.held, threads: o.Search.Threads, width: k + 1, parts: []string{""}}
	if o.Apart {
		s.parts = []string{First, Second}
	}
	if compressed {
		s.ending = ".gz"
		for range o.Search.Threads {
			s.compressors = append(s.compressors, bgzf.NewCompressor(bgzf.DefaultLevel))
		}
	}
	for i := range o.Patterns {
		s.files = append(s.files, splitFile{name: o.Patterns[i].Name})
	}
	s.files = append(s.files, splitFile{name: Ambiguous}, splitFile{name: Unassigned})
	s.distances = make([]int64, len(o.Patterns)*s.width)
	stats := &Stats{}
	r := &run{options: &o, stats: stats, collect: newCollector(&o, true)}
	cutter := newTrimmer(&o, k, r.collect.sets)
	var places []int // of the records of a batch
	r.write = func(b *batch) error {
		places = places[:0]
		for i := range b.choices {
			places = append(places, s.place(&b.choices[i], o.Margin))
		}
		cutter.trim(b, func(record, _ int) int {
			if place := places[record]; place < len(o.Patterns) {
				return place
			}
			return -1
		})
		for i, place := range places {
			if err := s.add(place, b.reads[i*b.width:(i+1)*b.width]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.all(ctx); err != nil {
		return nil, err
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	for i := range o.Patterns {
		stats.Matched += s.files[i].records
		stats.Counts = append(stats.Counts, s.files[i].records)
	}
	stats.Ambiguous = s.files[len(o.Patterns)].records
	stats.Distances, stats.ByDistance = s.distances, make([]int64, s.width)
	for i, n := range s.distances {
		stats.ByDistance[i%s.width] += n
	}
	return stats, nil
}

// A splitter holds text of many files and writes it by turns, so that few files are open at a time.
// The text of a file does not depend on batches or threads: a turn comes when the text of all files
// has a number of bytes.
type splitter struct {
	folder      Folder
	files       []splitFile
	held, turn  int // bytes of text, and with how many it is written
	threads     int
	compressors []*bgzf.Compressor // of each thread, none for plain text
	ending      string             // of names, after the ending of the format
	parts       []string           // of names, after the barcode: one for each file of a barcode
	formats     [2]string          // of each part, .fq or .fa; "" before the first record
	width       int                // distances that a record may have
	distances   []int64            // of each barcode, records by distance
}

// A splitFile is a file, or two of mates that are apart, and the text that is not written yet.
type splitFile struct {
	name    string
	texts   [2][]byte // of each part
	records int64
	made    bool
}

// place returns the file of a record, and counts its distance.
func (s *splitter) place(c *choice, margin int) int {
	barcodes := len(s.files) - 2
	switch {
	case int(c.distance) >= s.width:
		return barcodes + 1
	case c.second-c.distance < int32(margin):
		return barcodes
	}
	s.distances[int(c.barcode)*s.width+int(c.distance)]++
	return int(c.barcode)
}

// add adds a record to a file.
func (s *splitter) add(file int, reads []fasta.Read) error {
	if s.formats[0] == "" {
		for part := range s.parts {
			s.formats[part] = ".fq"
			if reads[part].Qualities == nil {
				s.formats[part] = ".fa"
			}
		}
	}
	f := &s.files[file]
	f.records++
	for i := range reads {
		text := &f.texts[i%len(s.parts)]
		before := len(*text)
		*text = fasta.AppendFASTQ(*text, &reads[i], "")
		s.held += len(*text) - before
	}
	if s.held < s.turn {
		return nil
	}
	return s.flush()
}

// fileName is the name of a part of a file in the folder.
func (s *splitter) fileName(f *splitFile, part int) string {
	return f.name + s.parts[part] + s.formats[part] + s.ending
}

// flush writes the text of all files.
func (s *splitter) flush() error {
	errs := make([]error, len(s.files))
	parallel.Ranges(s.threads, len(s.files), 1, func(worker, i, _ int) {
		for part := 0; part < len(s.parts) && errs[i] == nil; part++ {
			errs[i] = s.flushPart(&s.files[i], part, worker)
		}
	})
	s.held = 0
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// flushPart writes the text of a part of a file.
func (s *splitter) flushPart(f *splitFile, part, worker int) error {
	text := f.texts[part]
	if len(text) == 0 {
		return nil
	}
	if s.compressors != nil {
		var err error
		if text, err = s.compressors[worker].AppendBlocks(nil, text); err != nil {
			return err
		}
	}
	f.made = true
	if f.texts[part] = f.texts[part][:0]; cap(f.texts[part]) > keptText {
		f.texts[part] = nil
	}
	return s.folder.Append(s.fileName(f, part), text)
}

// keptText is the most memory, in bytes, that a file keeps between turns.
const keptText = 16 << 10

// finish writes the rest, and the table.
func (s *splitter) finish() error {
	if err := s.flush(); err != nil {
		return err
	}
	if s.compressors != nil {
		for i := range s.files {
			for part := 0; part < len(s.parts) && s.files[i].made; part++ {
				if err := s.folder.Append(s.fileName(&s.files[i], part), []byte(bgzf.End)); err != nil {
					return err
				}
			}
		}
	}
	return s.folder.Append(Table, s.table())
}

// table makes the table of counts.
func (s *splitter) table() []byte {
	b := []byte("barcode\tfile\trecords")
	for d := range s.width {
		b = fmt.Appendf(b, "\tdistance_%d", d)
	}
	if len(s.parts) > 1 {
		b = append(b, "\tmates_file"...)
	}
	b = append(b, '\n')
	for i := range s.files {
		f := &s.files[i]
		names := [2]string{".", "."}
		for part := 0; part < len(s.parts) && f.made; part++ {
			names[part] = s.fileName(f, part)
		}
		b = fmt.Appendf(b, "%s\t%s\t%d", f.name, names[0], f.records)
		for d := range s.width {
			if i >= len(s.files)-2 {
				b = append(b, "\t."...)
				continue
			}
			b = fmt.Appendf(b, "\t%d", s.distances[i*s.width+d])
		}
		if len(s.parts) > 1 {
			b = fmt.Appendf(b, "\t%s", names[1])
		}
		b = append(b, '\n')
	}
	return b
}
