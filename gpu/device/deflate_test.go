package device

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/gpu"
	"scanmap/internal/bgzf"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// texts are texts of all kinds to compress: of one byte and of all, with and without matches, far
// and near, of the longest lengths and distances, and codes that have to be cut.
func texts() map[string][]byte {
	r := rand.New(rand.NewPCG(5, 5))
	random := func(n int, letters string) []byte {
		b := make([]byte, n)
		for i := range b {
			if b[i] = byte(r.Uint32()); letters != "" {
				b[i] = letters[r.IntN(len(letters))]
			}
		}
		return b
	}
	all := map[string][]byte{
		"zeros": make([]byte, 0xff00), "noise": random(3000, ""), "bases": random(0xff00, "ACGT"),
		"far": append(random(32768, "ACGTNacgtn"), random(200, "ACGT")...),
	}
	for _, n := range []int{1, 2, 7, 8, 9, 31, 32, 33, 40, 257, 258, 259, 300} {
		all[fmt.Sprint("same ", n)] = bytes.Repeat([]byte{7}, n)
		all[fmt.Sprint("bases ", n)] = random(n, "ACGT")
	}
	all["far"] = append(all["far"], all["far"][:3000]...) // 32768 and a little more between
	var records []byte
	for i := 0; len(records) < 0xff00-400; i++ {
		records = binary.LittleEndian.AppendUint32(records, uint32(i))
		records = fmt.Appendf(records, "read.%d:%d", i, r.IntN(1000))
		records = append(records, random(75, "\x11\x12\x14\x18\x21\x22\x24\x28\x41\x42\x44\x48")...)
		records = append(records, random(100, "FFFFFFFFFFFF:,#")...)
		records = append(records, "NMC\x00MDZ100\x00"...)
	}
	all["records"] = records
	// Few bytes are common, most of them in matches.
	var skewed []byte
	for i, a, b := 0, 1, 1; len(skewed)+a < 0xff00; i, a, b = i+1, b, a+b {
		skewed = append(skewed, bytes.Repeat([]byte{byte(i)}, a)...)
	}
	r.Shuffle(len(skewed), func(i, j int) { skewed[i], skewed[j] = skewed[j], skewed[i] })
	all["skewed"] = skewed
	// Rare bytes of these frequencies have codes of more than 15 bits among common ones without
	// matches.
	var rare []byte
	for i, a, b := 0, 2, 4; i < 11; i, a, b = i+1, b, a+b {
		rare = append(rare, bytes.Repeat([]byte{byte(i)}, a)...)
	}
	for len(rare) < 0xff00 {
		rare = append(rare, byte(20+r.IntN(200)))
	}
	r.Shuffle(len(rare), func(i, j int) { rare[i], rare[j] = rare[j], rare[i] })
	all["rare"] = rare
	// Four long matches far away have many bits among hundreds of short ones nearby.
	long := append(random(1500, ""), make([]byte, 17_000)...)
	for i := range 4 {
		long = append(append(long, random(30+7*i, "")...), long[300*i:300*i+140+33*i]...)
	}
	for n := range 700 {
		near := len(long) - 50<<(n%7)
		long = append(append(long, random(30, "")...), long[near:near+9+n%5]...)
	}
	all["long"] = long
	for i := range 12 { // pieces of themselves
		text := random(1+r.IntN(300), "")
		for len(text) < 2000+r.IntN(6000) {
			if from := r.IntN(len(text)); r.IntN(4) == 0 {
				text = append(text, random(r.IntN(20), "ACGT")...)
			} else {
				text = append(text, text[from:min(len(text), from+r.IntN(400))]...)
			}
		}
		all[fmt.Sprint("pieces ", i)] = text
	}
	return all
}

// TestDeflate compresses as the CPU does.
func TestDeflate(t *testing.T) {
	t.Parallel()
	for _, variant := range emulator.Variants() {
		t.Run(string(variant), func(t *testing.T) {
			t.Parallel()
			g, err := OpenGPU(emulator.Driver(t, variant, gpu.EmulatorOptions{}), 0, true)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			var names []string
			var lengths []uint32
			all := texts()
			d, err := g.NewDeflater(len(all))
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range all {
				copy(d.Text(len(names)), text)
				names, lengths = append(names, name), append(lengths, uint32(len(text)))
			}
			if err := d.Deflate(lengths); err != nil {
				t.Fatal(err)
			}
			for i, name := range names {
				block, err := bgzf.NewCompressor(bgzf.SharedLevel).AppendBlocks(nil, all[name])
				if err != nil {
					t.Fatal(err)
				}
				z, err := gzip.NewReader(bytes.NewReader(block))
				if err != nil {
					t.Fatal(err)
				}
				if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, all[name]) {
					t.Errorf("%s: the CPU's block is another text (error %v)", name, err)
				}
				want := block[18 : len(block)-8]
				if want[0]&6 == 0 {
					want = nil // stored
				}
				if got := d.Packed(i); !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, the CPU has %d", name, len(got), len(want))
				}
			}
			if times := g.KernelTimes(); len(times) != 1 || !strings.Contains(strings.Join(emulator.KernelsOf("device"), " "), times[0].Name) {
				t.Errorf("kernels %v", times)
			}
		})
	}
	if kernels.DeflateStride != 1<<16 {
		t.Error("a block of BGZF has 64 KiB")
	}
}
