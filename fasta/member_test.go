package fasta

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"scanmap/internal/effort"
)

// inflateBy returns what a gzipReader makes of data.
func inflateBy(t testing.TB, data []byte, threads int, sizes memberSizes) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &source{ctx: ctx, cancel: cancel}
	defer s.running.Wait()
	defer cancel()
	return io.ReadAll(&gzipReader{in: bufio.NewReaderSize(bytes.NewReader(data), 65<<10), s: s, threads: threads, sizes: sizes})
}

// drawMember draws text of some kind: FASTQ, few letters, bytes, runs, copies from far back.
func drawMember(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	for kind := r.IntN(6); b.Len() < n; {
		if r.IntN(20) == 0 {
			kind = r.IntN(6)
		}
		letters := "ACGT"
		switch kind {
		case 0:
			m := 50 + r.IntN(100)
			fmt.Fprintf(&b, "@read%d/1 lane:%d\n", b.Len(), r.IntN(8))
			for range m {
				b.WriteByte(letters[r.IntN(4)])
			}
			b.WriteString("\n+\n")
			for range m {
				b.WriteByte("FFFFFF:,#"[r.IntN(9)])
			}
			b.WriteByte('\n')
		case 1:
			for range 1000 {
				b.WriteByte(letters[r.IntN(4)])
			}
		case 2:
			for range 1000 {
				b.WriteByte(byte(r.Uint32()))
			}
		case 3:
			b.WriteString(strings.Repeat(string(rune('A'+r.IntN(4))), 1+r.IntN(5000)))
		case 4:
			back := min(b.Len(), 1+r.IntN(windowSize))
			b.Write(bytes.Clone(b.Bytes()[b.Len()-back:][:min(back, 1+r.IntN(500))]))
		default:
			fmt.Fprintf(&b, "%d ", r.IntN(1000))
		}
	}
	return b.Bytes()[:n]
}

// deflated writes a member of a text, with flushes.
func deflated(t testing.TB, r *rand.Rand, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	level := []int{gzip.HuffmanOnly, gzip.NoCompression, 1, 2, 5, 6, 6, 9}[r.IntN(8)]
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if r.IntN(3) == 0 {
		w.Name, w.Comment, w.Extra = "reads.fq", "a comment", []byte("extra")
	}
	for len(text) > 0 {
		n := len(text)
		if r.IntN(3) == 0 {
			n = 1 + r.IntN(len(text))
		}
		if _, err := w.Write(text[:n]); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
		if r.IntN(4) == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// drawSizes draws sizes that cut members often.
func drawSizes(r *rand.Rand) memberSizes {
	return memberSizes{chunk: 100 + r.IntN(40_000), text: 1 << (10 + r.IntN(10)), least: 1 + r.IntN(3000)}
}

// TestManyMembers inflates members one after the other: when one has ended, nobody works for it any
// more, and what reads the next one does not go through what read it.
func TestManyMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var data, text []byte
	for range 60 {
		one := drawMember(r, effort.Pick(100_000, 40_000))
		text, data = append(text, one...), append(data, deflated(t, r, one)...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &source{ctx: ctx, cancel: cancel}
	defer s.running.Wait()
	defer cancel()
	const threads = 3
	g := &gzipReader{in: bufio.NewReaderSize(bytes.NewReader(data), 65<<10), s: s, threads: threads, sizes: memberSizes{chunk: 4000, text: 1 << 20, least: 500}}
	before, most := runtime.NumGoroutine(), 0
	got, part := make([]byte, 0, len(text)), make([]byte, 30_000)
	for err := error(nil); err == nil; {
		var n int
		n, err = g.Read(part)
		got = append(got, part[:n]...)
		most = max(most, runtime.NumGoroutine()-before)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, text) {
		t.Error("other text")
	}
	// Goroutines of a member that has just ended may also be there.
	if most > 4*(threads+1) {
		t.Errorf("%d goroutines at a time", most)
	}
	layers := 0
	for in := g.beneath; in != nil; layers++ {
		switch next := in.(type) {
		case *memberRest:
			in = next.in
		case *buffered:
			in = next.beneath
		default:
			in = nil
		}
	}
	if layers > 8 {
		t.Errorf("%d readers lie in each other", layers)
	}
}

// TestMembers inflates members by several goroutines, in chunks of all sizes, and compares with
// compress/gzip.
func TestMembers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(effort.Pick(100, 25)) {
		r := rand.New(rand.NewPCG(seed, 1951))
		var want, data []byte
		for range 1 + r.IntN(3)*r.IntN(2) {
			text := drawMember(r, r.IntN(effort.Pick(400_000, 200_000)))
			want, data = append(want, text...), append(data, deflated(t, r, text)...)
		}
		sizes, threads := drawSizes(r), 2+r.IntN(3)
		got, err := inflateBy(t, data, threads, sizes)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("seed %d, %+v: %d bytes of %d, %v", seed, sizes, len(got), len(want), err)
		}
	}
}

// TestTinyChunks has chunks of fewer bytes than a deflater takes at a time, so that it ends one or
// more chunks before the chunk that it took last.
func TestTinyChunks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(effort.Pick(40, 5)) {
		r := rand.New(rand.NewPCG(seed, 1955))
		text := drawMember(r, 2000)
		data := append(deflated(t, r, text[:1500]), deflated(t, r, text[1500:])...)
		for chunk := 1; chunk < 20; chunk++ {
			got, err := inflateBy(t, data, 2, memberSizes{chunk: chunk, text: 1 << 12, least: 2})
			if err != nil || !bytes.Equal(got, text) {
				t.Fatalf("seed %d, chunks of %d bytes: %d bytes, %v", seed, chunk, len(got), err)
			}
		}
	}
}

// TestMembersGuess tells that most chunks of a member are guessed, as nothing is gained otherwise.
func TestMembersGuess(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1951))
	var text []byte
	for i := range 20_000 {
		text = fmt.Appendf(text, "@read%d/1\n", i)
		for line := range 2 {
			for range 150 {
				text = append(text, [2]string{"ACGT", "F:,#"}[line][r.IntN(4)])
			}
			text = append(text, "\n+\n"[:3-2*line]...)
		}
	}
	in := bufio.NewReaderSize(bytes.NewReader(gzipped(t, text)), 65<<10)
	if _, err := gzip.NewReader(in); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &source{ctx: ctx, cancel: cancel}
	m := newMemberReader(s, in, 2, memberSizes{chunk: 64 << 10, text: 1 << 20})
	guessed, all := 0, 0
	for m.err == nil {
		before := m.job
		if m.err = m.decode(); m.job != before {
			all++
			if m.position == m.job.stop {
				guessed++
			}
		}
	}
	cancel()
	s.running.Wait()
	if m.err != io.EOF || guessed < all*9/10 || all < 10 {
		t.Errorf("%d of %d chunks were guessed, %v", guessed, all, m.err)
	}
}

// TestDamagedMembers cuts and changes members: a member that compress/gzip refuses is refused, with
// the same text before the fault or less, and an accepted member is the same.
func TestDamagedMembers(t *testing.T) {
	t.Parallel()
	refused := 0
	for seed := range uint64(effort.Pick(700, 100)) {
		r := rand.New(rand.NewPCG(seed, 1952))
		data := deflated(t, r, drawMember(r, 1+r.IntN(60_000)))
		switch r.IntN(3) {
		case 0:
			data = data[:r.IntN(len(data)+1)]
		case 1:
			data = append(data, []byte("more than gzip")[:1+r.IntN(13)]...)
		default:
			for range 1 + r.IntN(3) {
				data[r.IntN(len(data))] ^= 1 << r.IntN(8)
			}
		}
		want, wantErr := inflateBy(t, data, 1, usualSizes)
		sizes := drawSizes(r)
		got, err := inflateBy(t, data, 3, sizes)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("seed %d, %+v: %d bytes, %v; compress/gzip has %d bytes, %v", seed, sizes, len(got), err, len(want), wantErr)
		}
		if err != nil {
			refused++
			if a, b := kindOf(err), kindOf(wantErr); a != b {
				t.Fatalf("seed %d: %q, want %q", seed, err, wantErr)
			}
			if !bytes.HasPrefix(got, want[:min(len(want), len(got))]) {
				t.Fatalf("seed %d: other text before the error", seed)
			}
		}
	}
	if refused < effort.Pick(700, 100)/2 {
		t.Errorf("%d members were refused: the test shows little", refused)
	}
}

// kindOf is an error without where it was found.
func kindOf(err error) string {
	if at := new(flate.CorruptInputError); errors.As(err, at) {
		return "corrupt input"
	}
	return err.Error()
}

// FuzzMember compares with compress/gzip, whatever the bytes are.
func FuzzMember(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1953))
	for range 8 {
		f.Add(deflated(f, r, drawMember(r, 3000)), uint16(200), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, chunk uint16, least uint8) {
		want, wantErr := inflateBy(t, data, 1, usualSizes)
		got, err := inflateBy(t, data, 2, memberSizes{chunk: 16 + int(chunk), text: 1 << 12, least: 1 + int(least)})
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v; compress/gzip has %d bytes, %v", len(got), err, len(want), wantErr)
		}
	})
}

// TestBlocksAsFlate decodes members of BGZF, sound and damaged, as compress/flate does, by one
// deflater after another, so that nothing of a member shows in the next.
func TestBlocksAsFlate(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 1951))
	var d deflater[byte]
	z := flate.NewReader(nil)
	// decode takes what comes after the head of a member.
	decode := func(body []byte) ([]byte, error) {
		deflated, tail := body[:len(body)-8], body[len(body)-8:]
		in := bytes.NewReader(deflated)
		_ = z.(flate.Resetter).Reset(in, nil)
		text, err := io.ReadAll(io.LimitReader(z, bgzfText+1))
		if err == nil && in.Len() > 0 {
			err = errors.New("more follows")
		}
		if n := binary.LittleEndian.Uint32(tail[4:]); err == nil && (n > bgzfText || int(n) != len(text) || crc32.ChecksumIEEE(text) != binary.LittleEndian.Uint32(tail)) {
			err = errors.New("another text")
		}
		return text, err
	}
	sound, damaged := 0, 0
	for range effort.Pick(8000, 2000) {
		text := drawMember(r, r.IntN(3000))
		if r.IntN(200) == 0 { // the room that there is
			text = drawMember(r, bgzfText)[:bgzfText-r.IntN(3)]
		}
		var b bytes.Buffer
		b.WriteString("\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00BC\x02\x00\x00\x00")
		w, _ := flate.NewWriter(&b, r.IntN(12)-2)
		_, _ = w.Write(text[:len(text)/2])
		if r.IntN(3) == 0 {
			_ = w.Flush() // several blocks
		}
		_, _ = w.Write(text[len(text)/2:])
		_ = w.Close()
		m := binary.LittleEndian.AppendUint32(b.Bytes(), crc32.ChecksumIEEE(text))
		m = binary.LittleEndian.AppendUint32(m, uint32(len(text)))
		switch body := m[18:]; r.IntN(6) {
		case 0: // nothing
		case 1:
			m = append(m[:18+r.IntN(len(body)-8)], body[len(body)-8:]...)
		case 2:
			m = append(m[:len(m)-8], append([]byte{byte(r.Uint32())}, body[len(body)-8:]...)...)
		default:
			body[r.IntN(min(len(body), 100))] ^= 1 << r.IntN(8)
		}
		want, wantErr := decode(m[18:])
		before := []byte("before")
		got, err := inflateMember(&d, m, append(make([]byte, 0, len(before)+bgzfText+roomOfMany), before...))
		if (err == nil) != (wantErr == nil) || err == nil && string(got) != string(before)+string(want) || err != nil && string(got) != string(before) {
			t.Fatalf("%d bytes, %v; compress/flate has %d, %v: % x", len(got), err, len(want), wantErr, m)
		}
		if err == nil {
			sound++
		} else {
			damaged++
		}
	}
	if sound < 300 || damaged < 300 {
		t.Errorf("%d sound members, and %d others", sound, damaged)
	}
}

// TestMemberBeforeItsStart has copies from before the text, at the start and later, which a guess
// cannot tell.
func TestMemberBeforeItsStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, chunk int }{{0, 0, 300}, {100, 0, 300}, {30_000, 0, 300}, {0, 3 * flushed, 1 << 20}} {
		before := c.before
		// A preset dictionary has the copied bytes.
		dictionary := bytes.Repeat([]byte("GATTACA-"), 100)
		r := rand.New(rand.NewPCG(4, 1951))
		text := append(append(drawMember(r, before), dictionary...), make([]byte, c.after)...)
		var b bytes.Buffer
		b.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
		w, err := flate.NewWriterDict(&b, 6, dictionary)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(text)
		_ = w.Close()
		data := binary.LittleEndian.AppendUint32(b.Bytes(), crc32.ChecksumIEEE(text))
		data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
		_, wantErr := inflateBy(t, data, 1, usualSizes)
		_, err = inflateBy(t, data, 2, memberSizes{chunk: c.chunk, text: 1 << 20, least: 1})
		if err == nil || wantErr == nil || kindOf(err) != kindOf(wantErr) {
			t.Errorf("%d bytes before: %v, want %v", before, err, wantErr)
		}
	}
}

// TestMemberTrailer changes the bytes of checksum and length.
func TestMemberTrailer(t *testing.T) {
	t.Parallel()
	data := gzipped(t, drawMember(rand.New(rand.NewPCG(5, 1951)), 5000))
	for i := range 8 {
		changed := bytes.Clone(data)
		changed[len(data)-1-i] ^= 1
		if _, err := inflateBy(t, changed, 2, memberSizes{chunk: 300, text: 1 << 20, least: 1}); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("byte %d from the end: %v", i, err)
		}
	}
}

// TestCodes makes codes: full codes, and codes of one symbol of one bit or of none, as in
// compress/flate.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lengths []uint8
		want    bool
	}{
		{[]uint8{1, 1}, true},
		{[]uint8{0, 1, 0, 1}, true},
		{[]uint8{1}, true},
		{[]uint8{0, 0, 1}, true},
		{[]uint8{0, 0}, true},
		{[]uint8{2}, false},
		{[]uint8{1, 2}, false},
		{[]uint8{1, 1, 1}, false},
		{[]uint8{1, 2, 2}, true},
		{[]uint8{1, 2, 2, 15}, false},
		{[]uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15}, true},
		{[]uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, false},
	} {
		var h huffman
		if got := h.set(c.lengths, entriesOfLengths[:]); got != c.want {
			t.Errorf("lengths %v: %v", c.lengths, got)
		}
	}
}

// TestMemberCancelled cancels while members are read: that is the error, and not that the data is
// truncated.
func TestMemberCancelled(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 1951))
	text := drawMember(r, 300_000)
	data := deflated(t, r, text)
	cancelled, times := 0, effort.Pick(80, 24)
	for i := range times {
		ctx, cancel := context.WithCancel(context.Background())
		s := &source{ctx: ctx, cancel: cancel}
		g := &gzipReader{in: bufio.NewReaderSize(bytes.NewReader(data), 65<<10), s: s, threads: 3, sizes: memberSizes{chunk: 500, text: 1 << 16, least: 1}}
		got, err := io.ReadAll(io.LimitReader(g, int64(i*200_000/times)))
		cancel()
		if err == nil {
			var more []byte
			more, err = io.ReadAll(g)
			got = append(got, more...)
		}
		s.running.Wait()
		switch {
		case err == nil && bytes.Equal(got, text):
		case err == nil || err.Error() != context.Canceled.Error():
			t.Fatalf("cancelled after %d bytes of text: %d bytes, %v", i*200_000/times, len(got), err)
		default:
			cancelled++
		}
	}
	if cancelled < times/2 {
		t.Errorf("%d were cut off: the test shows little", cancelled)
	}
}
