package primers

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/gpu/device"
	"scanmap/internal/truth"
	"scanmap/search"
)

// tempered is the temperature of a primer that lies on a stretch, which is 5' to 3' of the primer.
func tempered(t *testing.T, m Melting, primer, site string) float64 {
	t.Helper()
	d, err := newDuplexes(&m)
	if err != nil {
		t.Fatal(err)
	}
	ref := truth.Reference(t, site)
	a := &alignment{}
	a.set(ref, 0, 0, len(site), false, []byte(primer), nil, false)
	celsius, ok := d.temperature(a)
	if !ok {
		return math.NaN()
	}
	b := &alignment{}
	b.set(truth.Reference(t, truth.ReverseComplement(site)), 0, 0, len(site), true, []byte(primer), nil, false)
	if other, _ := d.temperature(b); other != celsius {
		t.Errorf("%s on %s: %v on the other strand, not %v", primer, site, other, celsius)
	}
	return celsius
}

// near tells whether two temperatures agree to a millionth, or neither is known.
func near(a, b float64) bool {
	return math.Abs(a-b) < 2e-6 || math.IsNaN(a) && math.IsNaN(b)
}

// TestPerfectMelting has values of primer3-py 2.4.0 (libprimer3 2.6.1):
//
//	primer3.calc_tm(seq, dna_conc=c, mv_conc=m, dv_conc=d, dntp_conc=n)
//
// The first concentrations are its defaults. The third primer is its own reverse complement.
func TestPerfectMelting(t *testing.T) {
	for _, c := range []struct {
		primer                              string
		strands, monovalent, divalent, dntp float64
		want                                float64
	}{
		{"GAGTTTTATCGCTTCCATGAC", 50, 50, 1.5, 0.6, 55.053210},
		{"GAGTTTTATCGCTTCCATGAC", 250, 100, 3, 0.8, 59.788096},
		{"GAGTTTTATCGCTTCCATGAC", 200, 20, 0, 0.6, 46.883535},
		{"GAGTTTTATCGCTTCCATGAC", 200, 20, 0.3, 0.6, 46.883535}, // less divalent salt than dNTP
		{"AACACAATGTGACTCATATCT", 50, 50, 1.5, 0.6, 52.562085},
		{"AACACAATGTGACTCATATCT", 250, 100, 3, 0.8, 57.445896},
		{"AACACAATGTGACTCATATCT", 200, 20, 0, 0.6, 44.148281},
		{"GGGGCCCCAATTGGGGCCCC", 50, 50, 1.5, 0.6, 71.531167},
		{"GGGGCCCCAATTGGGGCCCC", 250, 100, 3, 0.8, 76.883926},
		{"GGGGCCCCAATTGGGGCCCC", 200, 20, 0, 0.6, 62.630572},
		{"AC", 50, 50, 1.5, 0.6, -169.566287},
		{"AC", 250, 100, 3, 0.8, -163.122169},
		{"AC", 200, 20, 0, 0.6, -165.899057},
		{"TATCACACCCAA", 50, 50, 1.5, 0.6, 34.058742},
		{"TATCACACCCAA", 250, 100, 3, 0.8, 40.160836},
		{"TATCACACCCAA", 200, 20, 0, 0.6, 27.736426},
		{"CTTCAAATGCCGTGCC", 50, 50, 1.5, 0.6, 53.449264},
		{"CTTCAAATGCCGTGCC", 250, 100, 3, 0.8, 58.676752},
		{"CTTCAAATGCCGTGCC", 200, 20, 0, 0.6, 46.166396},
		{"CTAACGCCCTAATCCTGCGCTAGGGGTTGCAGCGA", 50, 50, 1.5, 0.6, 75.939464},
		{"CTAACGCCCTAATCCTGCGCTAGGGGTTGCAGCGA", 250, 100, 3, 0.8, 80.195433},
		{"CTAACGCCCTAATCCTGCGCTAGGGGTTGCAGCGA", 200, 20, 0, 0.6, 66.127784},
		{"CAGATGGCATCGTTAAG", 50, 50, 1.5, 0.6, 49.700685},
		{"CAGATGGCATCGTTAAG", 250, 100, 3, 0.8, 54.781629},
		{"CAGATGGCATCGTTAAG", 200, 20, 0, 0.6, 42.244667},
		{"ACCGCCTATGGTAAT", 50, 50, 1.5, 0.6, 46.684045},
		{"ACCGCCTATGGTAAT", 250, 100, 3, 0.8, 52.308183},
		{"ACCGCCTATGGTAAT", 200, 20, 0, 0.6, 39.315537},
		{"TAGTTGCAATGTCACA", 50, 50, 1.5, 0.6, 46.716039},
		{"TAGTTGCAATGTCACA", 250, 100, 3, 0.8, 52.058032},
		{"TAGTTGCAATGTCACA", 200, 20, 0, 0.6, 39.285806},
	} {
		m := Melting{SantaLucia1998, c.strands, c.monovalent, c.divalent, c.dntp}
		if got := tempered(t, m, c.primer, c.primer); !near(got, c.want) {
			t.Errorf("%s at %v: %.6f, not %.6f", c.primer, m, got, c.want)
		}
	}
}

// TestMismatchedMelting has values of Biopython 1.88, primer and site 5' to 3' of the primer:
//
//	MeltingTemp.Tm_NN(primer, c_seq=complement(site), nn_table=DNA_NN3 or DNA_NN4,
//		dnac1=25, dnac2=25, Na=50, Mg=1.5, dNTPs=0.6, saltcorr=5)
//
// NaN stands for its error that there is no data, for two mismatches side by side.
func TestMismatchedMelting(t *testing.T) {
	for _, c := range []struct {
		primer, site   string
		of1998, of2004 float64
	}{
		{"ACCGCTTCCTGTGCGAGCGTCAATCCCTGC", "AGCGCTGCCTGTGCGAGCGTCAATCCCTCA", math.NaN(), math.NaN()},
		{"GGCGTCCCGACAGTGTGGTT", "GGCGTCCAGACAGTGTGGTA", 55.302165, 55.224683},
		{"GGAAGCTTCAGGATCTCAATTTGTT", "GGAAGCTTCAGGATCTCAATTCGTT", 56.686606, 56.596757},
		{"ATGATGTCTCATATTTC", "ATGATGTCTCATAATTG", 30.657677, 30.495142},
		{"GGGTGGTTGACCGCAAGGT", "GGGTGGTTGACCGCAGGGT", 55.856883, 55.763789},
		{"AGACCGCGTTGGACCCTCTTC", "AGACCGCGTTGGACCCTCTTT", 63.623913, 63.566145},
		{"ATGCCTGCCATTGCAGCAAAAG", "GTGCCTGTCATTGCAGCAAAAG", 54.746693, 54.627754},
		{"AAATCGCAGACTGAGCCTGTTCGA", "GAATCGCAGACTGAGCCTGTTCGA", 64.536488, 64.488849},
		{"ATTAACATGTGATCCTCTCTCCGGA", "TTTAACATGTGATCCTCTCTCCGGA", 61.365569, 61.308878},
		{"TTGCAGGCGGGCACG", "TTGCAGGCGGGCACT", 58.412627, 58.314095},
		{"GTCGAATAAACCG", "ATCGAATAAACCG", 36.041745, 35.727633},
		{"ACGTGGAGACTTCT", "ACGTGGAGACTCCT", 36.731346, 36.619075},
		{"CATCATGAGTGGTGATACG", "TATCATGAGTGGTGATACG", 51.336909, 51.262304},
		{"CGCGAGGTTGGCGCAT", "CGGGAGGTTGGCGCAT", 47.091713, 46.962468},
		{"TACTGAGGGTATAAAGCTTTTGCAACAC", "CACTGAGGGTAAAGAGCTTTTGCAACAC", 54.195206, 54.093274},
		{"GAGTCGCGATCT", "GAGTCGCGCTCT", 34.354590, 34.234180},
		{"GGCGTACGACTAAGTAGGTCGACCAT", "GGCGTACGAGTCAGTAGGTCGATCAG", 45.756641, 45.684014},
		{"GGGGGAGGCACCGTATAAC", "TGGGGAGGCACCGTATAAC", 57.995457, 57.914234},
		{"CTTGGTGCCGCCCTATTGAGATTA", "CTTGGTGCCGCCCAATTGAGATTG", 59.814043, 59.746888},
		{"AGCCCTCTCTCCAATCCATTCTCG", "GACCCTCTCTCCAATCCATTCTCG", math.NaN(), math.NaN()},
		{"TCACGCATTACCTACCTATAGAA", "CCACGCATTACCTACCTATAGAT", 55.416650, 55.342785},
		{"GTAAATGGGATAGACGTAAGTGGCGGGATA", "GTAAATGGGATAGACGTAAGTGGAGGTATA", 55.982582, 55.907518},
		{"CTGATTACGTTGGCTCCAG", "TTGATTACGTTGGCTCCAG", 54.322468, 54.222439},
		{"CAACAAGTTACCTATTAACATCACCGCCG", "CAACAAGTTACCTATTAACATCACTGCCG", 57.862065, 57.792612},
	} {
		for stacks, want := range map[Stacks]float64{SantaLucia1998: c.of1998, SantaLucia2004: c.of2004} {
			m := DefaultMelting
			m.Stacks = stacks
			if got := tempered(t, m, c.primer, c.site); !near(got, want) {
				t.Errorf("%s on %s, %s: %.6f, not %.6f", c.primer, c.site, stacks, got, want)
			}
		}
	}
}

// TestMeltingOfLetters has IUPAC letters, which count as the base they lie on, and sites without a
// temperature.
func TestMeltingOfLetters(t *testing.T) {
	plain := tempered(t, DefaultMelting, "ACCTGATCGAGG", "ACCTGATCGAGG")
	if got := tempered(t, DefaultMelting, "ACCTGRTCGAGG", "ACCTGATCGAGG"); got != plain || math.IsNaN(plain) {
		t.Error(got, plain)
	}
	for _, c := range [][2]string{{"ACCTGRTCGAGG", "ACCTGTTCGAGG"}, {"ACCTGATCGAGG", "ACCTGNTCGAGG"}, {"A", "A"}} {
		if got := tempered(t, DefaultMelting, c[0], c[1]); !math.IsNaN(got) {
			t.Error(c, got)
		}
	}
}

// TestMeltingRows has the columns: a mismatch, and a gap, which has no temperature.
func TestMeltingRows(t *testing.T) {
	ref := truth.Reference(t, "TTACCTGTTCGAGGCCGGAAGTCTAAGACTTGCATGG"+truth.ReverseComplement("GGCATCAGTCCA"))
	pairs := []Pair{{Name: "p", Forward: []byte("ACCTGATCGAGG"), Reverse: []byte("GGCATTCAGTCCA")}}
	var b strings.Builder
	rows, err := NewRows(&b, ref, pairs, TSV)
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Melt(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	o := Options{Least: 20, Most: 200, Melting: &DefaultMelting, Search: search.Options{Distance: 1, Device: device.Choice{Kind: device.CPU}}}
	if _, err := Run(ctx, ref, pairs, o, func(a *Amplicon) error { return rows.Add(ctx, a) }); err != nil {
		t.Fatal(err)
	}
	if err := rows.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	const want = "\tforward_cigar\treverse_cigar\tforward_tm\treverse_tm\n" +
		"p/F\tp/R\tc0\t2\t49\t+\t47\t1\t1\t0\t0\t5=1X6=\t4=1I8=\t27.52\t.\n"
	if got := b.String(); !strings.HasSuffix(got, want) {
		t.Errorf("%q does not end with %q", got, want)
	}
}

// TestMeltingOfAmplicons compares what amplicons carry with the temperature of each primer on the
// letters of its site, also around the end of a circular contig and on the other strand.
func TestMeltingOfAmplicons(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	known, none := 0, 0
	for range 30 {
		text := truth.Random(r, 400, "ACGT")
		ref := truth.Reference(t, text)
		at := r.IntN(len(text))
		around := text + text
		forward, reverse := []byte(around[at:at+14]), []byte(truth.ReverseComplement(around[at+60:at+76]))
		for _, p := range [][]byte{forward, reverse} {
			first := r.IntN(len(p) - 1)
			for i := range r.IntN(3) { // side by side, which most tables lack
				p[first+i] = "ACGT"[r.IntN(4)]
			}
		}
		pairs := []Pair{{Name: "p", Forward: forward, Reverse: reverse}}
		if r.IntN(2) == 0 {
			pairs[0].Forward, pairs[0].Reverse = reverse, forward // then the product is on the other strand
		}
		o := Options{Least: 20, Most: 200, Circular: []int{0}, Melting: &DefaultMelting,
			Search: search.Options{Distance: 2, Substitutions: true, Device: device.Choice{Kind: device.CPU}}}
		_, err := Run(context.Background(), ref, pairs, o, func(a *Amplicon) error {
			for _, s := range []*Site{&a.Forward, &a.Reverse} {
				site := around[s.Start:s.End]
				if (s == &a.Reverse) != a.Minus {
					site = truth.ReverseComplement(site)
				}
				want := tempered(t, DefaultMelting, string(s.Primer.letters(pairs)), site)
				if !near(s.Tm, want) {
					t.Errorf("%s on %s: %v, not %v", s.Primer.letters(pairs), site, s.Tm, want)
				}
				if math.IsNaN(want) {
					none++
				} else {
					known++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if known < 30 || none == 0 {
		t.Errorf("%d temperatures, %d sites without", known, none)
	}
}

func TestMeltingRefuses(t *testing.T) {
	for want, m := range map[string]Melting{
		"a concentration of -1 is not a number from 0 on":                                  {SantaLucia1998, -1, 50, 0, 0},
		"a concentration of NaN is not a number from 0 on":                                 {SantaLucia1998, 50, math.NaN(), 0, 0},
		"melting temperatures need primer and salt, monovalent or more divalent than dNTP": {SantaLucia1998, 50, 0, 1, 1},
		`parameters "breslauer" are not one of santalucia1998, santalucia2004`:             {"breslauer", 50, 50, 0, 0},
	} {
		if _, err := newDuplexes(&m); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	rows, err := NewRows(nil, nil, nil, BED)
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Melt(); err == nil || err.Error() != "melting temperatures are columns of TSV" {
		t.Error(err)
	}
}
