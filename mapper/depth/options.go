package depth

import (
	"fmt"
	"strings"
)

// Options say which bases count, and how much.
type Options struct {
	Of      Of
	Weights Weights
	// Threads is the number of goroutines that read the counts; results do not depend on it.
	Threads int
}

// Of says which bases a location counts for.
type Of string

// The kinds of depth.
const (
	Covered Of = "covered"
	Starts  Of = "starts"
)

// Ofs are their names, each with the bases that it counts.
var Ofs = [][2]string{
	{string(Covered), "bases that a base of the read is aligned to"},
	{string(Starts), "first bases of locations"},
}

// ParseOf reads one of Ofs.
func ParseOf(s string) (Of, error) { return oneOf[Of](s, Ofs) }

// Weights say how much a location of a read counts.
type Weights string

// The kinds of weights.
const (
	WeighAll     Weights = "all"
	WeighBest    Weights = "best"
	WeighEqual   Weights = "equal"
	WeighPrimary Weights = "primary"
)

// Weightings are the names of weights, each with a description.
var Weightings = [][2]string{
	{string(WeighAll), "1 for each location"},
	{string(WeighBest), "1 for the read, in equal shares for its locations of least distance"},
	{string(WeighEqual), "1 for the read, in equal shares for all its locations"},
	{string(WeighPrimary), "1 for the primary location"},
}

// ParseWeights reads one of Weightings.
func ParseWeights(s string) (Weights, error) { return oneOf[Weights](s, Weightings) }

// shared tells whether a read is shared out.
func (w Weights) shared() bool { return w == WeighBest || w == WeighEqual }

// oneOf returns the value with a name, one of values.
func oneOf[T ~string](s string, values [][2]string) (T, error) {
	names := make([]string, len(values))
	for i, v := range values {
		if names[i] = v[0]; v[0] == s {
			return T(s), nil
		}
	}
	return "", fmt.Errorf("%q is not one of %s", s, strings.Join(names, ", "))
}
