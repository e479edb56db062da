package track

import "fmt"

// A joiner takes intervals of one contig, checks them, cuts off parts outside the wanted bases, and
// hands intervals on with neighbours of equal value joined. These are ascending, inside the wanted
// bases, and finite.
type joiner struct {
	length   int // of the contig
	from, to int // the bases that are wanted
	emit     func(start, end int, value float32) error

	after int // where the next interval may begin
	// The interval that is held back, because its neighbour may join it; none if held is false.
	held       bool
	start, end int
	value      float32
}

// begin starts with bases [from, to) of a contig.
func (j *joiner) begin(from, to, length int) {
	j.from, j.to, j.length, j.held, j.after = from, to, length, false, 0
}

// add takes the next interval.
func (j *joiner) add(start, end int, value float32) error {
	if start < j.after || end <= start || end > j.length || value-value != 0 {
		return j.refuse(start, end, value)
	}
	j.after = end
	start, end = max(start, j.from), min(end, j.to)
	if start >= end {
		return nil
	}
	if j.held {
		if start == j.end && value == j.value {
			j.end = end
			return nil
		}
		if err := j.emit(j.start, j.end, j.value); err != nil {
			return err
		}
	}
	if value == 0 {
		value = 0 // not -0, which is equal to it
	}
	j.held, j.start, j.end, j.value = true, start, end, value
	return nil
}

// refuse returns the fault of an interval that add does not take.
func (j *joiner) refuse(start, end int, value float32) error {
	switch {
	case start < 0:
		return fmt.Errorf("interval %d to %d begins before base 0", start, end)
	case end <= start:
		return fmt.Errorf("interval %d to %d is empty", start, end)
	case end > j.length:
		return fmt.Errorf("interval %d to %d ends after the contig, which has %d bases", start, end, j.length)
	case start < j.after:
		return fmt.Errorf("interval %d to %d begins before %d, where the one before it ends", start, end, j.after)
	}
	return fmt.Errorf("interval %d to %d has the value %g, which is not a finite number", start, end, value)
}

// finish ends the bases that are wanted.
func (j *joiner) finish() error {
	if !j.held {
		return nil
	}
	j.held = false
	return j.emit(j.start, j.end, j.value)
}
