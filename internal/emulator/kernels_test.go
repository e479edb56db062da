package emulator

import (
	"testing"

	"scanmap/kernels"
)

// TestUsers fails for a kernel that no package would run under the sanitizers.
func TestUsers(t *testing.T) {
	files := map[string]bool{}
	for _, e := range kernels.Entries {
		files[e.File] = true
		if users[e.File] == "" {
			t.Errorf("kernel %s is in %s.cu, and users does not say which package launches it", e.Name, e.File)
		}
	}
	for file := range users {
		if !files[file] {
			t.Errorf("users has %s.cu, which has no kernels", file)
		}
	}
}
