package mapper

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"scanmap/fasta"
	"scanmap/internal/truth"
	"scanmap/sam"
)

// TestWatch sees how far a run has come after each part, and inside a pass over the reference.
func TestWatch(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	text := truth.Random(r, 5000, "ACGT")
	var reads []fasta.Read
	for i := range 100 {
		read := text[40*i : 40*i+60]
		if i%4 == 3 {
			read = truth.Random(r, 60, "ACGT")
		}
		reads = append(reads, fasta.Read{Name: fmt.Sprint("r", i), Bases: []byte(read)})
	}
	source, err := fasta.FromMemory(reads)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWatch()
	if now := w.Now(); now != (Progress{}) {
		t.Errorf("before the run: %+v", now)
	}
	parts := 0
	o := Options{Packed: truth.Reference(t, text), Libraries: []Library{{Reads: "reads", Source: source}}, Distance: DefaultDistance, BatchReads: 30,
		Watch: w, Progress: func(p Progress) {
			parts++
			now := w.Now()
			if !now.Loaded || now.Reads != p.Reads || now.Mapped != p.Mapped || now.Parsed < p.Reads || now.Parsed > 100 || now.Batch != 0 {
				t.Errorf("%+v, of %+v", now, p)
			}
			w.begin(30)
			if now := w.Now(); now.Batch != 30 || now.Pass != 1 { // the pass before is done
				t.Errorf("%+v after a pass", now)
			}
			w.halt.Begin(4)
			w.halt.Unit()
			if now := w.Now(); now.Pass != 0.25 {
				t.Errorf("%+v in a pass", now)
			}
		}}
	s, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if now := w.Now(); parts < 4 || now.Reads != 100 || now.Mapped != s.Mapped || now.Parsed != 100 {
		t.Errorf("%d parts, %+v in the end", parts, now)
	}
}
