package sam

// source gives records in order. The record is nil at the end, and valid until the
// next call.
type source interface {
	pop() (key uint64, record []byte, err error)
}

// front is the first record of a source that is not yet given.
type front struct {
	key    uint64
	order  int // of the source
	record []byte
}

func (a *front) before(b *front) bool {
	return a.key < b.key || a.key == b.key && a.order < b.order
}

// merge gives the records of all sources in order, and for equal keys the records of the earlier
// source first.
func merge(sources []source, emit func(record []byte) error) error {
	heap := make([]front, 0, len(sources))
	for i, s := range sources {
		key, record, err := s.pop()
		if err != nil {
			return err
		}
		if record != nil {
			heap = append(heap, front{key, i, record})
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		siftDown(heap, i)
	}
	for len(heap) > 0 {
		if err := emit(heap[0].record); err != nil {
			return err
		}
		key, record, err := sources[heap[0].order].pop()
		if err != nil {
			return err
		}
		if record != nil {
			heap[0].key, heap[0].record = key, record
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		siftDown(heap, 0)
	}
	return nil
}

func siftDown(heap []front, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if heap[child].before(&heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
