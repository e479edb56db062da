package device

import (
	"fmt"
	"strconv"
	"strings"
)

// A Choice says where work runs. Output does not depend on it.
type Choice struct {
	// Kind is where; the zero value is the same as CPU.
	Kind Kind
	// Indices are the GPUs of CUDA, as the driver numbers them; none means all.
	Indices []int
	// Sync makes every launch of a kernel wait for its end and times it.
	Sync bool
	// Driver is the CUDA driver; where it is nil, the machine's own is loaded. Tests set it.
	Driver *Driver
	// Answers, where it is set, is called before a driver is asked for GPUs that the user has not
	// asked for, and returns an error if the driver would not answer.
	Answers func() error
	// Memory is the most memory to use on each GPU, in bytes; 0 is all free memory.
	Memory int64
}

// First returns the number of the first GPU of CUDA, for work that one GPU does.
func (c *Choice) First() int {
	if len(c.Indices) == 0 {
		return 0
	}
	return c.Indices[0]
}

// Kind is the kind of a device.
type Kind string

// The kinds of devices. Auto takes all GPUs if there are any and the work is enough to make up for
// starting on them, and the CPU otherwise; who has the work decides.
const (
	Auto Kind = "auto"
	CPU  Kind = "cpu"
	CUDA Kind = "cuda"
)

// Forms are what Parse reads, N and M standing for numbers of GPUs.
var Forms = []string{string(Auto), string(CPU), string(CUDA), string(CUDA) + ":N", string(CUDA) + ":N,M"}

// Parse reads auto, cpu, cuda or, as in cuda:0,2, the numbers of some GPUs.
func Parse(s string) (Choice, error) {
	switch Kind(s) {
	case Auto, CPU, CUDA:
		return Choice{Kind: Kind(s)}, nil
	}
	c := Choice{Kind: CUDA}
	numbers, ok := strings.CutPrefix(s, string(CUDA)+":")
	if !ok {
		return Choice{}, fmt.Errorf("device %q is not one of %s", s, strings.Join(Forms, ", "))
	}
	seen := map[int]bool{}
	for number := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return Choice{}, fmt.Errorf("device %q: %q is not the number of a GPU", s, number)
		}
		if seen[int(n)] {
			return Choice{}, fmt.Errorf("device %q names GPU %d twice", s, n)
		}
		seen[int(n)] = true
		c.Indices = append(c.Indices, int(n))
	}
	return c, nil
}

// An Error is a device that is not there or that failed; another try may succeed.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }
