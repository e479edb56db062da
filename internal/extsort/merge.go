package extsort

// source gives records in order. The record is nil at the end, and valid until the next call.
type source interface {
	pop() (key uint64, record []byte, err error)
}

// front is the first record of a source that is not yet given.
type front struct {
	key    uint64
	order  int // of the source
	record []byte
}

// A Merger gives the records of all sources in order. Equal records come in the order of their
// sources. With Tie only one of them comes, no matter which.
type Merger struct {
	sorter  *Sorter
	sources []source
	// heap is nil before the first record. Later the record of its first element was given last.
	heap []front
	// With Tie, the last record that was given, with its key.
	key  uint64
	last []byte
}

func (m *Merger) before(a, b *front) bool {
	return a.key < b.key || a.key == b.key && m.tied(a, b)
}

// tied is before for equal keys.
func (m *Merger) tied(a, b *front) bool {
	if m.sorter.Tie != nil {
		if order := m.sorter.Tie(a.record, b.record); order != 0 {
			return order < 0
		}
	}
	return a.order < b.order
}

// Next returns the next record, which is valid until the next call, and nil at the end.
func (m *Merger) Next() ([]byte, error) {
	for {
		if err := m.advance(); err != nil || len(m.heap) == 0 {
			return nil, m.sorter.explain(err)
		}
		f := &m.heap[0]
		if m.sorter.Tie == nil {
			return f.record, nil
		}
		if m.last == nil || m.key != f.key || m.sorter.Tie(m.last, f.record) != 0 {
			m.key, m.last = f.key, append(m.last[:0], f.record...)
			return m.last, nil
		}
	}
}

// advance goes on behind the first record of the heap. The first time it fills the heap.
func (m *Merger) advance() error {
	if m.heap == nil {
		m.heap = make([]front, 0, len(m.sources))
		for i, s := range m.sources {
			key, record, err := s.pop()
			if err != nil {
				return err
			}
			if record != nil {
				m.heap = append(m.heap, front{key, i, record})
			}
		}
		for i := len(m.heap)/2 - 1; i >= 0; i-- {
			m.siftDown(i)
		}
		return nil
	}
	if len(m.heap) == 0 {
		return nil
	}
	first := &m.heap[0]
	var err error
	if first.key, first.record, err = m.sources[first.order].pop(); err != nil {
		return err
	}
	if first.record == nil {
		*first = m.heap[len(m.heap)-1]
		m.heap = m.heap[:len(m.heap)-1]
	}
	m.siftDown(0)
	return nil
}

func (m *Merger) siftDown(i int) {
	heap := m.heap
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if m.before(&heap[child], &heap[least]) {
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
