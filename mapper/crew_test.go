package mapper

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"scanmap/fasta"
	"scanmap/internal/measure"
	"scanmap/internal/truth"
	"scanmap/mapper/find"
)

// A numberedFinder packs as the CPU does. It finds the number of the first read of each part, which
// is the read's length.
type numberedFinder struct {
	find.Finder
	size  int // of a part
	ahead bool
	fails int          // the number of the read that cannot be found; 0 for none
	halts int          // the call of Find that is halted; 0 for none
	calls atomic.Int32 // of Find
	left  atomic.Int32 // results found since the last call of Discard
}

var errFinder = errors.New("the finder fails")

func (f *numberedFinder) Fits(*find.Batch) int { return f.size }

func (f *numberedFinder) Ahead() bool { return f.ahead }

func (f *numberedFinder) Find(b *find.Batch, found *find.Found) (int, error) {
	if n := f.calls.Add(1); int(n) == f.halts {
		return 0, find.ErrHalted
	}
	f.left.Add(1)
	number := len(b.Reads[0].Bases)
	if number == f.fails {
		return 0, errFinder
	}
	found.Counts.Candidates = int64(number)
	return len(b.Reads), nil
}

func (f *numberedFinder) More(*find.Found) (int, error) { return 0, nil }

func (f *numberedFinder) Discard() { f.left.Store(0) }

// numberedFinders makes finders alike.
func numberedFinders(t *testing.T, n int, like *numberedFinder) (all []*numberedFinder, finders []find.Finder) {
	t.Helper()
	ref := truth.Reference(t, "ACGT")
	for range n {
		f := &numberedFinder{Finder: find.OnCPU(ref, find.Options{Threads: 1, Times: &find.Times{}}), size: like.size, ahead: like.ahead, fails: like.fails}
		all, finders = append(all, f), append(finders, f)
	}
	return all, finders
}

// numberedBatches returns n batches of `size` reads each. Read i has i bases, from 1 on.
func numberedBatches(n, size int, l *library) *batches {
	b := &batches{channel: make(chan batch, n)}
	number := 0
	for range n {
		var reads []fasta.Read
		for range size {
			number++
			reads = append(reads, fasta.Read{Bases: []byte(strings.Repeat("A", number))})
		}
		b.channel <- batch{l, [][]fasta.Read{reads}}
	}
	close(b.channel)
	return b
}

func newTestCrew(b *batches) *crew {
	return newCrew(b, func(int) int { return 1 }, &measure.Timer{})
}

// TestCrewKeepsOrder has finders at work on more batches than they are. Parts come in order, and
// neither a batch nor its Found changes while it is used.
func TestCrewKeepsOrder(t *testing.T) {
	t.Parallel()
	const batches, size = 20, 6
	for _, ahead := range []bool{false, true} {
		for _, finders := range []int{1, 4} {
			for _, fits := range []int{1, 3, 100} {
				for _, interleaved := range []bool{false, true} {
					what := fmt.Sprintf("%d finders, ahead %v, parts of %d, pairs %v", finders, ahead, fits, interleaved)
					l := &library{Library: Library{Interleaved: interleaved}}
					_, crew := numberedFinders(t, finders, &numberedFinder{size: fits, ahead: ahead})
					next := 1
					err := newTestCrew(numberedBatches(batches, size, l)).run(context.Background(), crew, nil, func(p part) error {
						if n := len(p.batch.Reads); interleaved && n%2 != 0 {
							t.Fatalf("%s: a part of %d reads", what, n)
						}
						time.Sleep(50 * time.Microsecond) // others may go on
						if got := p.found.Counts.Candidates; got != int64(next) || p.library != l {
							t.Fatalf("%s: part %d came, or was overwritten, where %d was due", what, got, next)
						}
						for i := range p.batch.Reads {
							if got := p.batch.Length(i); got != next {
								t.Fatalf("%s: read %d in the place of read %d", what, got, next)
							}
							next++
						}
						return nil
					})
					if err != nil || next != batches*size+1 {
						t.Errorf("%s: %d reads, %v", what, next-1, err)
					}
				}
			}
		}
	}
}

// TestCrewTakesInOrder has finders that take batches all the time.
func TestCrewTakesInOrder(t *testing.T) {
	const batches = 3000
	_, crew := numberedFinders(t, 4, &numberedFinder{size: 1})
	next := 1
	err := newTestCrew(numberedBatches(batches, 1, &library{})).run(context.Background(), crew, nil, func(p part) error {
		if got := p.batch.Length(0); got != next {
			return fmt.Errorf("read %d in the place of read %d", got, next)
		}
		next++
		return nil
	})
	if err != nil || next != batches+1 {
		t.Errorf("%d reads, %v", next-1, err)
	}
}

// TestCrewDiscards ends runs while finders are at work: their unused parts are given up.
func TestCrewDiscards(t *testing.T) {
	for _, fails := range []int{0, 1, 7} {
		all, crew := numberedFinders(t, 3, &numberedFinder{size: 1, fails: fails})
		err := newTestCrew(numberedBatches(20, 2, &library{})).run(context.Background(), crew, nil, func(part) error { return nil })
		if fails > 0 != errors.Is(err, errFinder) {
			t.Errorf("read %d fails: %v", fails, err)
		}
		for i, f := range all {
			if n := f.left.Load(); n != 0 {
				t.Errorf("read %d fails: finder %d has %d parts", fails, i, n)
			}
		}
	}
}

// TestCrewStopsAtError has a finder fail inside its second batch: it does not go on to another one,
// which it would mix with the rest of this one, and it is not asked for a relief.
func TestCrewStopsAtError(t *testing.T) {
	all, crew := numberedFinders(t, 1, &numberedFinder{size: 1, fails: 5})
	asked := 0
	relieved := func(int, time.Duration) []find.Finder { asked++; return nil }
	err := newTestCrew(numberedBatches(20, 3, &library{})).run(context.Background(), crew, relieved, func(part) error { return nil })
	if calls := all[0].calls.Load(); !errors.Is(err, errFinder) || calls != 5 || asked != 1 {
		t.Errorf("%d calls, asked %d times, %v", calls, asked, err)
	}
}

// TestCrewErrors ends runs by errors of all kinds, which come out as they are.
func TestCrewErrors(t *testing.T) {
	errUse := errors.New("the records cannot be written")
	for _, c := range []struct {
		what  string
		fails int
		use   func(p part, cancel func()) error
		want  error
	}{
		{"a finder", 50, func(part, func()) error { return nil }, errFinder},
		{"the use of a part", 0, func(p part, _ func()) error {
			if len(p.batch.Reads[0].Bases) > 50 {
				return errUse
			}
			return nil
		}, errUse},
		{"the last part", 0, func(p part, _ func()) error {
			if len(p.batch.Reads[0].Bases) == 240 {
				return errUse
			}
			return nil
		}, errUse},
		{"the context", 0, func(p part, cancel func()) error {
			if len(p.batch.Reads[0].Bases) > 50 {
				cancel()
			}
			return nil
		}, context.Canceled},
	} {
		for _, finders := range []int{1, 3} {
			ctx, cancel := context.WithCancel(context.Background())
			_, crew := numberedFinders(t, finders, &numberedFinder{size: 1, fails: c.fails})
			err := newTestCrew(numberedBatches(40, 6, &library{})).run(ctx, crew, nil, func(p part) error { return c.use(p, cancel) })
			cancel()
			if !errors.Is(err, c.want) {
				t.Errorf("%s, %d finders: %v, want %v", c.what, finders, err, c.want)
			}
		}
	}
}

// TestCrewGoesAhead has a finder find the next part while one is used, if it should, and otherwise
// not.
func TestCrewGoesAhead(t *testing.T) {
	for _, ahead := range []bool{true, false} {
		all, crew := numberedFinders(t, 1, &numberedFinder{size: 1, ahead: ahead})
		most := map[bool]int32{true: 1, false: 0}[ahead]
		used := int32(0)
		err := newTestCrew(numberedBatches(1, 6, &library{})).run(context.Background(), crew, nil, func(part) error {
			used++
			deadline := time.Now().Add(20 * time.Second)
			for ahead && used < 6 && all[0].calls.Load() == used {
				if time.Now().After(deadline) {
					return errors.New("the finder waits")
				}
				runtime.Gosched()
			}
			time.Sleep(time.Millisecond)
			if n := all[0].calls.Load() - used; n > most {
				return fmt.Errorf("%d parts were found ahead", n)
			}
			return nil
		})
		if err != nil || used != 6 {
			t.Errorf("ahead %v: %d parts, %v", ahead, used, err)
		}
	}
}

// inOrder uses parts of numberedBatches: next is the number of the read that is due.
func inOrder(next *int) func(p part) error {
	return func(p part) error {
		for i := range p.batch.Reads {
			if p.batch.Length(i) != *next {
				return fmt.Errorf("read %d in the place of read %d", p.batch.Length(i), *next)
			}
			*next++
		}
		return nil
	}
}

// TestCrewRelief has others go on in the place of a finder after its third batch.
func TestCrewRelief(t *testing.T) {
	first, crew := numberedFinders(t, 1, &numberedFinder{size: 100})
	others, relieving := numberedFinders(t, 2, &numberedFinder{size: 1, ahead: true})
	asked := 0
	relieved := func(int, time.Duration) []find.Finder {
		if asked++; asked < 3 {
			return nil
		}
		return relieving
	}
	next := 1
	err := newTestCrew(numberedBatches(20, 6, &library{})).run(context.Background(), crew, relieved, inOrder(&next))
	if err != nil || next != 121 || asked != 3 || first[0].calls.Load() != 3 || others[0].calls.Load()+others[1].calls.Load() != 17*6 {
		t.Errorf("%v, %d reads, asked %d times, the first found %d parts, the others %d and %d", err, next-1, asked,
			first[0].calls.Load(), others[0].calls.Load(), others[1].calls.Load())
	}
}

// A packingFinder counts what it packs.
type packingFinder struct {
	find.Finder
	packed int
}

func (f *packingFinder) Ahead() bool { return true }

func (f *packingFinder) Pack(reads []fasta.Read, together int, k func(int) int) (*find.Batch, error) {
	f.packed += len(reads)
	return nil, errFinder
}

// TestNothingIsPackedInTheEnd has a batch taken when the run is over: its memory may be in use.
func TestNothingIsPackedInTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &packingFinder{}
	c := newCrew(nil, func(int) int { return 0 }, &measure.Timer{})
	left, whole := newMember(f).mapBatch(ctx, c, &task{of: batch{&library{}, [][]fasta.Read{make([]fasta.Read, 3)}}, parts: make(chan part, 1)})
	if left != nil || whole || f.packed > 0 {
		t.Errorf("%d reads are packed (%v, %v)", f.packed, left, whole)
	}
}
