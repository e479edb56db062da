// Package fuzzing makes inputs for fuzz targets: it takes the bytes of a fuzzer for choices.
package fuzzing

import (
	"math/rand/v2"
	"testing"
)

// Choices are bytes that are taken for choices, so that a fuzzer that changes a byte changes one
// choice. After the last byte each choice is the first one.
type Choices struct{ left []byte }

// New returns the choices that bytes stand for.
func New(data []byte) *Choices { return &Choices{left: data} }

// Below chooses a number from 0 to n - 1, where n is at most 65536. It takes one byte, or two where
// n is more than 256.
func (c *Choices) Below(n int) int {
	v := c.next()
	if n > 256 {
		v += c.next() << 8
	}
	return v % n
}

// Yes chooses between yes and no.
func (c *Choices) Yes() bool { return c.Below(2) == 1 }

// Ended tells whether no byte is left.
func (c *Choices) Ended() bool { return len(c.left) == 0 }

func (c *Choices) next() int {
	if len(c.left) == 0 {
		return 0
	}
	v := c.left[0]
	c.left = c.left[1:]
	return int(v)
}

// Letters chooses n letters of a set: few ones each, many by a seed of two bytes.
func (c *Choices) Letters(n int, set string) string {
	choose := c.Below
	if n > 12 {
		choose = rand.New(rand.NewPCG(uint64(c.Below(1<<16)), 5)).IntN
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = set[choose(len(set))]
	}
	return string(b)
}

// Edited returns s with up to n edits of letters of a set, or n substitutions.
func (c *Choices) Edited(s string, n int, set string, substitutions bool) string {
	for range n {
		if s == "" {
			break
		}
		at := c.Below(min(len(s), 1<<16))
		letter := string(set[c.Below(len(set))])
		kind := 0
		if !substitutions {
			kind = c.Below(3)
		}
		switch kind {
		case 0:
			s = s[:at] + letter + s[at+1:]
		case 1:
			s = s[:at] + s[at+1:]
		case 2:
			s = s[:at] + letter + s[at:]
		}
	}
	return s
}

// AddBytes adds random bytes of several lengths, from which a fuzzer starts.
func AddBytes(f *testing.F) {
	r := rand.New(rand.NewPCG(12, 1))
	for i := range 24 {
		data := make([]byte, 20+10*i)
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		f.Add(data)
	}
}
