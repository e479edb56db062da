package fasta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Pairs reads pairs of mates: two files in which records with the same number are mates, or one in
// which mates alternate. Each file is cut into chunks as Reads does it, and the same goroutines
// parse the chunks of both; Next joins them. One goroutine may call Next.
type Pairs struct {
	cancel     context.CancelFunc
	files      []mateFile // of the first and the second mates, or one of both
	held       parsed     // one file: the last read if its mate is not here yet
	wholeNames bool
	pairs      int64 // so far
	err        error // what Next returns from now on
}

// mateFile is a file, its reads that are parsed and not paired yet, and the error after these.
type mateFile struct {
	reads *Reads
	now   parsed
}

// OpenPairs opens two files of mates, or one in which mates alternate when mates is "". Either of
// two files may be "-", standard input. Both are opened at once, because the writer of two FIFOs
// may open either first. Next returns errors of their content.
//
// The names of mates have to be equal, without a trailing /1 or /2. If they differ only in their
// last byte, 1 in the first mate and 2 in the second, after '.', '_' or '/', these two bytes are
// cut off both. A name that ends in /2 in the first mate or in /1 in the second is an error, and so
// are two comments as Casava 1.8 writes them (1:N:0:ACGT) that do not say 1 and 2.
func OpenPairs(ctx context.Context, reads, mates string, o ReadOptions) (*Pairs, error) {
	return openPairs(ctx, reads, mates, o, chunkText)
}

// openPairs has the size of chunks as a parameter, for tests.
func openPairs(ctx context.Context, reads, mates string, o ReadOptions, chunkSize int) (*Pairs, error) {
	ctx, cancel := context.WithCancel(ctx)
	sources, err := openMates(ctx, cancel, reads, mates)
	if err != nil {
		cancel()
		return nil, err
	}
	p := &Pairs{cancel: cancel, wholeNames: o.WholeNames}
	for _, r := range startReads(o, chunkSize, sources...) {
		p.files = append(p.files, mateFile{reads: r})
	}
	return p, nil
}

// openMates opens one or two files. cancel cancels ctx: the file that does not open ends the wait
// for the other, which may be a FIFO without writer.
func openMates(ctx context.Context, cancel context.CancelFunc, reads, mates string) ([]*source, error) {
	if mates == "" {
		s, err := openSource(ctx, reads)
		return []*source{s}, err
	}
	for _, path := range []string{reads, mates} {
		if path == "-" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fileError(path, err)
		}
	}
	var first, second *source
	var firstErr, secondErr error
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		if second, secondErr = openSource(ctx, mates); secondErr != nil {
			cancel()
		}
	}()
	if first, firstErr = openSource(ctx, reads); firstErr != nil {
		cancel()
	}
	<-opened
	err := firstErr
	if err == nil || errors.Is(err, context.Canceled) && secondErr != nil {
		err = secondErr
	}
	if err == nil {
		err = sameFile(first, second)
	}
	if err == nil {
		return []*source{first, second}, nil
	}
	for _, s := range []*source{first, second} {
		if s != nil {
			_ = s.close() // nothing was read
		}
	}
	return nil, err
}

// sameFile refuses one file given twice. Devices such as /dev/null may be given twice.
func sameFile(first, second *source) error {
	a, err := first.file.Stat()
	if err != nil {
		return fileError(first.name, err)
	}
	b, err := second.file.Stat()
	if err != nil {
		return fileError(second.name, err)
	}
	if os.SameFile(a, b) && a.Mode()&os.ModeDevice == 0 {
		return &Error{File: second.name, Err: fmt.Errorf("is the same file as %s; expected the mates of its reads", first.name)}
	}
	return nil
}

// Next returns some pairs, in the order of the files: the mates of a pair are next to each other,
// the first mate first. The caller owns them. At the end it returns io.EOF. An error comes after
// all pairs before it: of several, that in the first record, and of two in records with the same
// number that in the first file.
func (p *Pairs) Next() ([]Read, error) {
	if p.err != nil {
		return nil, p.err
	}
	var pairs []Read
	var err error
	if len(p.files) == 1 {
		pairs, err = p.alternating()
	} else {
		pairs, err = p.joined()
	}
	if err != nil {
		p.err = err
		_ = p.Close() // no goroutine runs on; Close returns its error again
	}
	if len(pairs) > 0 {
		return pairs, nil
	}
	return nil, p.err
}

// joined returns pairs from two files, as many as both have parsed, and the error after them.
func (p *Pairs) joined() ([]Read, error) {
	first, second := &p.files[0], &p.files[1]
	first.fill()
	if err := first.now.err; err != nil && err != io.EOF {
		return nil, err
	}
	second.fill()
	n := min(len(first.now.reads), len(second.now.reads))
	if n == 0 {
		return nil, p.end(first, second)
	}
	pairs := make([]Read, 0, 2*n)
	for i := range n {
		pairs = append(pairs, first.now.reads[i], second.now.reads[i])
		if err := p.match(&pairs[2*i], &pairs[2*i+1], first.now.digits[i], second.now.digits[i]); err != nil {
			return pairs[:2*i], err
		}
		p.pairs++
	}
	first.drop(n)
	second.drop(n)
	return pairs, nil
}

// fill gets reads if there are none.
func (f *mateFile) fill() {
	if len(f.now.reads) == 0 && f.now.err == nil {
		f.now = f.reads.next()
	}
}

// drop drops reads that were paired.
func (f *mateFile) drop(n int) {
	f.now.reads, f.now.digits = f.now.reads[n:], f.now.digits[n:]
}

// name is what messages call the file.
func (f *mateFile) name() string { return f.reads.source.name }

// end returns the end of two files, io.EOF or an error, where one at least has no more reads; the
// first is not broken here.
func (p *Pairs) end(first, second *mateFile) error {
	switch {
	case second.now.err != nil && second.now.err != io.EOF:
		return second.now.err
	case len(first.now.reads) > 0:
		return p.unequal(second, first)
	case len(second.now.reads) > 0:
		return p.unequal(first, second)
	}
	return io.EOF
}

func (p *Pairs) unequal(short, long *mateFile) error {
	return &Error{File: short.name(), Err: fmt.Errorf("ends after %d records, but %s has more", p.pairs, long.name())}
}

// alternating returns the pairs of the next chunk of the only file, and the error after them.
func (p *Pairs) alternating() ([]Read, error) {
	f := &p.files[0]
	var now parsed
	for len(now.reads) < 2 {
		now = f.reads.next()
		if len(p.held.reads) > 0 {
			if now.err == io.EOF {
				name := word(&p.held.reads[0], p.held.digits[0], p.wholeNames)
				return nil, &Error{File: f.name(), Record: 2*p.pairs + 1, Name: name, Err: errors.New("the file ends without its mate")}
			}
			now.reads = append(p.held.reads, now.reads...)
			now.digits = append(p.held.digits, now.digits...)
			p.held = parsed{}
		}
		if now.err != nil {
			return nil, now.err
		}
		if n := len(now.reads) &^ 1; n < len(now.reads) {
			// A copy, because the caller may append to what it gets.
			p.held = parsed{reads: []Read{now.reads[n]}, digits: []byte{now.digits[n]}}
			now.reads = now.reads[:n]
		}
	}
	for i := 0; i < len(now.reads); i += 2 {
		if err := p.match(&now.reads[i], &now.reads[i+1], now.digits[i], now.digits[i+1]); err != nil {
			return now.reads[:i], err
		}
		p.pairs++
	}
	return now.reads, nil
}

// match checks that two reads are mates and makes their names equal. The digits are from /1 and /2.
func (p *Pairs) match(first, second *Read, digit1, digit2 byte) error {
	name1, name2 := first.Name, second.Name
	if p.wholeNames {
		name1, name2 = withoutDigit(name1, digit1), withoutDigit(name2, digit2)
	}
	common := name1
	if name1 != name2 {
		var ok bool
		if common, ok = commonName(name1, name2); !ok {
			return p.strangers(first, second, digit1, digit2)
		}
	}
	if digit1 == '2' || digit2 == '1' {
		return p.misplaced(first, second, digit1, digit2, digit1 == digit2, "names")
	}
	if casava1, casava2 := casavaDigit(first.Comment), casavaDigit(second.Comment); casava1 != 0 && casava2 != 0 && (casava1 != '1' || casava2 != '2') {
		return p.misplaced(first, second, digit1, digit2, casava1 == casava2, "comments")
	}
	if !p.wholeNames {
		first.Name, second.Name = common, common
	}
	return nil
}

// withoutDigit cuts the /1 or /2 off a whole name that has this digit.
func withoutDigit(name string, digit byte) string {
	if digit == 0 {
		return name
	}
	if name = name[:len(name)-2]; name == "" {
		return "*"
	}
	return name
}

// commonName returns two names without the ending that tells mates apart: a 1 at the end of the
// first and a 2 at the end of the second, and the '.', '_' or '/' before.
func commonName(first, second string) (name string, ok bool) {
	n := len(first) - 1
	if n < 1 || len(second) != n+1 || first[:n] != second[:n] || first[n] != '1' || second[n] != '2' {
		return "", false
	}
	switch first[n-1] {
	case '.', '_', '/':
	default:
		return "", false
	}
	if n == 1 {
		return "*", true
	}
	return first[:n-1], true
}

// casavaDigit returns the number of the mate in a comment as Casava 1.8 and later write it, such as
// 1:N:0:ACGT (mate, whether filtered, control bits, index), 0 in any other.
func casavaDigit(comment string) byte {
	if len(comment) < 6 || comment[0] != '1' && comment[0] != '2' || comment[1] != ':' ||
		comment[2] != 'Y' && comment[2] != 'N' || comment[3] != ':' {
		return 0
	}
	i := 4
	for i < len(comment) && comment[i] >= '0' && comment[i] <= '9' {
		i++
	}
	if i == 4 || i == len(comment) || comment[i] != ':' {
		return 0
	}
	return comment[0]
}

// word is the first word of a read's header.
func word(r *Read, digit byte, wholeNames bool) string {
	if digit == 0 || wholeNames {
		return r.Name
	}
	return r.Name + "/" + string(rune(digit))
}

// strangers is the error of reads with other names.
func (p *Pairs) strangers(first, second *Read, digit1, digit2 byte) error {
	name := quote(word(first, digit1, p.wholeNames))
	if len(p.files) == 1 {
		return p.wrong(second, digit2, fmt.Errorf("the record before it, %s, is not its mate", name))
	}
	return p.wrong(second, digit2, fmt.Errorf("its mate in %s, record %d, is %s", p.files[0].name(), p.pairs+1, name))
}

// misplaced is the error of mates whose names or comments do not call them the first and the
// second.
func (p *Pairs) misplaced(first, second *Read, digit1, digit2 byte, same bool, where string) error {
	before := fmt.Sprintf("the record before it is %s", quote(word(first, digit1, p.wholeNames)))
	question := ""
	if len(p.files) == 2 {
		before = fmt.Sprintf("its mate in %s, record %d, is %s", p.files[0].name(), p.pairs+1, quote(word(first, digit1, p.wholeNames)))
		question = "; are the files swapped?"
		if same {
			question = "; is the same file given twice?"
		}
	}
	what := "the second mate comes first"
	if same {
		what = "both are the same mate"
	}
	return p.wrong(second, digit2, fmt.Errorf("%s; by their %s %s%s", before, where, what, question))
}

// wrong is an error that is told of the second mate of the next pair.
func (p *Pairs) wrong(second *Read, digit byte, err error) error {
	record := p.pairs + 1
	if len(p.files) == 1 {
		record *= 2
	}
	return &Error{File: p.files[len(p.files)-1].name(), Record: record, Name: word(second, digit, p.wholeNames), Err: err}
}

// Busy returns the time that parsing both files has taken so far, summed over its goroutines;
// decompression and cutting the files into chunks do not count.
func (p *Pairs) Busy() time.Duration {
	var sum time.Duration
	for i := range p.files {
		sum += p.files[i].reads.Busy()
	}
	return sum
}

// Close stops reading and closes the files. It may be called at any time and again.
func (p *Pairs) Close() error {
	p.cancel()
	var first error
	for i := range p.files {
		if err := p.files[i].reads.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
