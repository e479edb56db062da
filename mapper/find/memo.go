package find

// A memo knows values by their keys. Neighbouring reads mostly have the same key.
type memo[K comparable, V any] struct {
	known map[K]V
	last  K // key of value, once any is known
	value V
}

// get returns the value of a key, and whether it is known.
func (m *memo[K, V]) get(key K) (value V, known bool) {
	if key == m.last && m.known != nil {
		return m.value, true
	}
	if value, known = m.known[key]; known {
		m.last, m.value = key, value
	}
	return value, known
}

// set makes the value of a key known.
func (m *memo[K, V]) set(key K, value V) {
	if m.known == nil {
		m.known = map[K]V{}
	}
	m.known[key] = value
	m.last, m.value = key, value
}
