package fasta

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/fuzzing"
)

// inflateFile reads a file as readers do, a few bytes at a time.
func inflateFile(path string, threads, step int) ([]byte, error) {
	s, err := openSource(context.Background(), path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.close() }()
	r, err := s.text(threads)
	if err != nil {
		return nil, err
	}
	var all []byte
	buffer := make([]byte, step)
	for {
		n, err := r.Read(buffer)
		all = append(all, buffer[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// plainGunzip is the standard library's reader of all members.
func plainGunzip(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// checkCompressed reads data with one thread and with several, and returns the outcome. If data is
// gzip and accepted, the standard library reads the same text.
func checkCompressed(t *testing.T, path string, data []byte) (text []byte, err error) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err = inflateFile(path, 1, 1<<16)
	again, errAgain := inflateFile(path, 3, 7)
	if (err == nil) != (errAgain == nil) || err == nil && !bytes.Equal(text, again) || err != nil && err.Error() != errAgain.Error() {
		t.Fatalf("one thread: %d bytes, %v; three: %d bytes, %v", len(text), err, len(again), errAgain)
	}
	if !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return text, err
	}
	plain, plainErr := plainGunzip(data)
	if err == nil && (plainErr != nil || !bytes.Equal(text, plain)) {
		t.Fatalf("%x is accepted with %d bytes of text; the standard library has %d and says %v", data, len(text), len(plain), plainErr)
	}
	if err != nil && strings.ContainsAny(err.Error(), "\n\r\t") {
		t.Fatalf("the error is %q", err)
	}
	return text, err
}

// A member is one of a gzip file.
type member struct {
	data []byte
	text string
	last bool // may be the last one: it is not BGZF, or it is bgzfEnd
}

// drawMembers chooses up to six members, of gzip or of BGZF, empty ones and the same ones among
// them.
func drawMembers(t *testing.T, c *fuzzing.Choices) (members []member) {
	t.Helper()
	for range 1 + c.Below(6) {
		text := strings.Repeat(c.Letters(c.Below(40), "ACGT\n>@+"), 1+c.Below(3))
		switch c.Below(6) {
		case 0:
			members = append(members, member{[]byte(bgzfEnd), "", true})
		case 1:
			members = append(members, member{gzipped(t, []byte(text)), text, true})
		case 2:
			if len(members) > 0 {
				members = append(members, members[c.Below(len(members))])
				continue
			}
			fallthrough
		default:
			data := bgzfMember(t, []byte(text))
			members = append(members, member{data, text, string(data) == bgzfEnd})
		}
	}
	return members
}

// FuzzCompressed takes bytes for a file of gzip and BGZF members and for a damage, and the same
// bytes for a file. An accepted file gives all of its text: it is whole, or cut where nothing can
// tell. A bit that is flipped is noticed or changes nothing.
func FuzzCompressed(f *testing.F) {
	for i := range 8 {
		f.Add([]byte(strings.Repeat(string(rune('a'+i)), 10+20*i)))
	}
	for _, text := range []string{"", ">a\nACGT\n"} {
		f.Add(gzipped(f, []byte(text)))
		f.Add(bgzipped(f, []byte(text)))
		f.Add(append(bgzfMember(f, []byte(text)), gzipped(f, []byte(text))...))
		f.Add(append(gzipped(f, []byte(text)), bgzipped(f, []byte(text))...))
	}
	f.Add(joined(f, ">a\nACGT\n"))
	dir := f.TempDir()
	path := filepath.Join(dir, "file")
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = checkCompressed(t, path, data)
		c := fuzzing.New(data)
		members := drawMembers(t, c)
		var file []byte
		var text string
		whole := map[int]string{} // the text before each cut that nothing can tell
		for _, m := range members {
			file = append(file, m.data...)
			text += m.text
			if m.last {
				whole[len(file)] = text
			}
		}
		got, err := checkCompressed(t, path, file)
		if want, ok := whole[len(file)]; ok != (err == nil) || ok && string(got) != want {
			t.Fatalf("%x: %d bytes, %v, want %d", file, len(got), err, len(want))
		}
		cut := 1 + c.Below(min(len(file), 1<<16))
		got, err = checkCompressed(t, path, file[:cut])
		if want, ok := whole[cut]; cut > 1 && (ok != (err == nil) || ok && string(got) != want) {
			t.Fatalf("%x, cut to %d: %d bytes, %v, want %d", file, cut, len(got), err, len(want))
		}
		flipped := slices.Clone(file)
		flipped[c.Below(len(file))] ^= 1 << c.Below(8)
		got, err = checkCompressed(t, path, flipped)
		if err == nil && compression(flipped) == "gzip" && string(got) != text {
			t.Fatalf("%x with a flipped bit, %x: text %q, not %q", file, flipped, got, text)
		}
	})
}

// joined is a BGZF file of two blocks of the same text. The first says that it is as long as both.
func joined(t testing.TB, text string) []byte {
	block := bgzfMember(t, []byte(text))
	file := slices.Concat(block, block, []byte(bgzfEnd))
	binary.LittleEndian.PutUint16(file[16:], uint16(2*len(block)-1))
	return file
}

// TestJoinedBlocks: a block that holds another one is refused, as its second half would be lost.
func TestJoinedBlocks(t *testing.T) {
	_, err := inflateFile(writeFile(t, "file", joined(t, ">a\nACGT\n")), 1, 100)
	if err == nil || err.Error() != "the BGZF data is corrupt: the length of a block is wrong" {
		t.Errorf("got error %v", err)
	}
}
