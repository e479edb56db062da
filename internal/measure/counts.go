package measure

// AddCounts adds the elements of b to the elements of a, and makes a as long where needed. a is
// changed in place where it has room.
func AddCounts(a, b []int64) []int64 {
	for len(a) < len(b) {
		a = append(a, 0)
	}
	for i := range b {
		a[i] += b[i]
	}
	return a
}
