package mapper

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"scanmap/locate"
)

// Local reports places where a part of a read aligns, not places of whole reads: see package
// locate. The distance of a local location is its lost score: a mismatch costs five. A part of
// inserted bases does not count.
type Local struct {
	Score Score // the least
	// ClipPenalty is by how much of its score an end is clipped at least; see locate.Aligner.Unclip.
	// It changes the written alignment alone.
	ClipPenalty int
	// Split has the parts of reads found that have no local location, and two parts of a read
	// reported together (see choice.supplement).
	Split bool
}

// Score is a least score: a number, or a percentage of the read's length.
type Score struct {
	Number     int
	Percent    float64
	Percentage bool // whether Percent counts, not Number
}

// LocalCap is the most that a gap costs, and LeastPart the least bases of a part.
const (
	LocalCap  = locate.DefaultCap
	LeastPart = locate.LeastPart
)

// DefaultScore is 80 % of the read's length.
var DefaultScore = Score{Percent: 80, Percentage: true}

// ParseScore reads "120" or "80%". Percentages may have decimals and lie between 50 and 100.
func ParseScore(s string) (Score, error) {
	if p, ok := strings.CutSuffix(s, "%"); ok {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || !(v >= 50 && v <= 100) {
			return Score{}, fmt.Errorf("score %q is not a percentage between 50%% and 100%%", s)
		}
		return Score{Percent: v, Percentage: true}, nil
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 || v > math.MaxInt32 {
		return Score{}, fmt.Errorf("score %q is neither a number from 1 nor a percentage such as 80%%", s)
	}
	return Score{Number: v}, nil
}

// For returns the least score of a read of a length, in bases; it is at most the length.
func (s Score) For(length int) int {
	if !s.Percentage {
		return min(s.Number, length)
	}
	return min(int(math.Ceil(s.Percent*float64(length)/100)), length)
}

// String writes the score as ParseScore reads it.
func (s Score) String() string {
	if s.Percentage {
		return strconv.FormatFloat(s.Percent, 'f', -1, 64) + "%"
	}
	return strconv.Itoa(s.Number)
}

// rescueScore is the least score of a mate that is sought in its proper place alone, as in bwa mem.
// In random text with even shares of bases, a read of 150 bases scores so much by chance in less
// than one of a million windows of 1,000.
const rescueScore = 19

// localDistance is how much one mismatch adds to the distance of a local location.
const localDistance = 5
