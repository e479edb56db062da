package variants

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/biogo/hts/bgzf"
	"github.com/klauspost/compress/zstd"

	"scanmap/internal/effort"
)

// bzip2OfVCF is the VCF of TestDamagedVCF as bzip2 writes it; Go has no writer for bzip2.
const bzip2OfVCF = "425a683931415926535997c9feec0000115f80003008057e022fe7ff002b269d0420006a1aa9ed29a68f6a686a69ea313d43" +
	"1a189a8453f4a32340000681a0016ee815510499918e6cb0bb36f4873b053506b0b0c1dfd5c006e42291320640a53f87c182" +
	"605b0874a68cd1a8bc8100b0b27b051a0c3124a096233bc7e343df2f825e21194ca6c136c3708fe2ee48a70a1212f93fdd80"

// TestDamagedVCF changes each byte of a compressed file, and cuts it off behind each: the run names
// the fault of the file in one line, or the rows are the same as of the whole file.
func TestDamagedVCF(t *testing.T) {
	const reference, pattern = "TTAGCTTACGTTTT", "CGC"
	text := vcfSamples + "c0\t3\t.\tA\tC\t.\t.\t.\tGT\t0|1\t1|1\nc0\t5\t.\tC\tCG,T\t.\t.\t.\tGT\t1|2\t0|2\n"
	bz, err := hex.DecodeString(bzip2OfVCF)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(bz)))
	if err != nil || string(plain) != text {
		t.Fatalf("the text of bzip2OfVCF is %q, %v; make it again of %q", plain, err, text)
	}
	var gz, zst, blocks bytes.Buffer
	zw, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{gzip.NewWriter(&gz), zw, bgzf.NewWriter(&blocks, 1)} {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want, _, err := runOn(t, reference, text, pattern, Options{})
	if err != nil || len(want) == 0 {
		t.Fatalf("%q, %v", want, err)
	}
	for name, file := range map[string][]byte{"gzip": gz.Bytes(), "BGZF": blocks.Bytes(), "bzip2": bz, "zstd": zst.Bytes()} {
		judge := func(what string, damaged []byte, mayFit bool) {
			rows, _, err := runOn(t, reference, string(damaged), pattern, Options{})
			switch {
			case err != nil && (!strings.Contains(err.Error(), "v.vcf: ") || strings.Contains(err.Error(), "\n") || len(rows) > 0):
				t.Errorf("%s, %s: %q, rows %q", name, what, err, rows)
			case err == nil && (!mayFit || !slices.Equal(rows, want)):
				t.Errorf("%s, %s: rows %q, want %q", name, what, rows, want)
			}
		}
		if rows, _, err := runOn(t, reference, string(file), pattern, Options{}); err != nil || !slices.Equal(rows, want) {
			t.Errorf("%s: %q, %v, want %q", name, rows, err, want)
		}
		for i := range file {
			// By default one fault each in the middle, and one bit of a byte.
			end := i < 20 || i >= len(file)-20
			if effort.Full() || end || i%2 == 0 {
				judge(fmt.Sprintf("cut at byte %d", i), file[:i], false)
			}
			for bit := range 8 {
				if effort.Full() || bit == i/2%8 && (end || i%2 == 1) {
					damaged := slices.Clone(file)
					damaged[i] ^= 1 << bit
					judge(fmt.Sprintf("byte %d, bit %d", i, bit), damaged, true)
				}
			}
		}
	}
}
