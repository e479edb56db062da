package device

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Choice{
		"auto": {Kind: Auto}, "cpu": {Kind: CPU}, "cuda": {Kind: CUDA},
		"cuda:0": {Kind: CUDA, Indices: []int{0}}, "cuda:2,0": {Kind: CUDA, Indices: []int{2, 0}}, "cuda:65535": {Kind: CUDA, Indices: []int{65535}},
	} {
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"": "is not one of", "gpu": "is not one of", "CPU": "is not one of", "cpu:0": "is not one of", "cuda0": "is not one of",
		"cuda:": "is not the number of a GPU", "cuda:x": "is not the number of a GPU", "cuda:-1": "is not the number of a GPU",
		"cuda:0,": "is not the number of a GPU", "cuda:65536": "is not the number of a GPU", "cuda: 0": "is not the number of a GPU",
		"cuda:1,0,1": "names GPU 1 twice", "cuda:0,00": "names GPU 0 twice",
	} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want an error with %q", text, got, err, want)
		}
	}
}

func TestError(t *testing.T) {
	err := error(&Error{Err: io.ErrUnexpectedEOF})
	if !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != io.ErrUnexpectedEOF.Error() {
		t.Errorf("got %v", err)
	}
}
