package kernels

import "fmt"

// Find returns the entry of a kernel.
func Find(name string) (Entry, error) {
	for _, e := range Entries {
		if e.Name == name {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("there is no kernel %q", name)
}

// Threads returns the block size of a kernel, 1 if there is none of the name.
func Threads(name string) int {
	if e, err := Find(name); err == nil {
		return e.Threads
	}
	return 1
}
