package track

import "fmt"

// A joiner takes the intervals of one contig, checks them, and hands them on with neighbours of
// equal value joined. What it hands on is ascending, inside the contig, and finite.
type joiner struct {
	length int // of the contig
	emit   func(start, end int, value float32) error

	// What is held back, because its neighbour may join it; nothing if held is false. end is also
	// where the next interval may begin.
	held       bool
	start, end int
	value      float32
}

// begin starts a contig.
func (j *joiner) begin(length int) {
	j.length, j.held, j.end = length, false, 0
}

// add takes the next interval.
func (j *joiner) add(start, end int, value float32) error {
	if start < j.end || end <= start || end > j.length || value-value != 0 {
		return j.refuse(start, end, value)
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

// refuse says what is wrong with an interval that add does not take.
func (j *joiner) refuse(start, end int, value float32) error {
	switch {
	case start < 0:
		return fmt.Errorf("interval %d to %d begins before base 0", start, end)
	case end <= start:
		return fmt.Errorf("interval %d to %d is empty", start, end)
	case end > j.length:
		return fmt.Errorf("interval %d to %d ends after the contig, which has %d bases", start, end, j.length)
	case start < j.end:
		return fmt.Errorf("interval %d to %d begins before %d, where the one before it ends", start, end, j.end)
	}
	return fmt.Errorf("interval %d to %d has the value %g, which is not a finite number", start, end, value)
}

// finish ends a contig.
func (j *joiner) finish() error {
	if !j.held {
		return nil
	}
	j.held = false
	return j.emit(j.start, j.end, j.value)
}

// each hands the intervals of all contigs to do, in order, joined. An error of the values names the
// contig; one of do stays as it is.
func each(contigs []Contig, v Values, do func(contig, start, end int, value float32) error) error {
	var contig int
	var failed, wrong error // of do, and of add otherwise
	j := joiner{emit: func(start, end int, value float32) error {
		failed = do(contig, start, end, value)
		return failed
	}}
	add := func(start, end int, value float32) error {
		if wrong == nil {
			wrong = j.add(start, end, value)
		}
		return wrong
	}
	for contig = range contigs {
		j.begin(contigs[contig].Length)
		err := v(contig, add)
		if wrong != nil {
			err = wrong // also where v has lost it
		}
		if err == nil {
			err = j.finish()
		}
		if failed != nil {
			return failed
		}
		if err != nil {
			return fmt.Errorf("contig %s: %w", contigs[contig].Name, err)
		}
	}
	return nil
}
