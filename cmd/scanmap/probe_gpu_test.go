package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"scanmap/gpu"
	"scanmap/internal/programs"
)

// TestProbe asks drivers that hang, that crash, and that answer.
func TestProbe(t *testing.T) {
	gcc := programs.Find(t, "gcc")
	for _, c := range []struct{ name, init, want string }{
		{"hangs", "for (;;) pause();", "the CUDA driver does not answer within 1s"},
		{"crashes", "abort();", "the CUDA driver ended the process that asked it for GPUs: "},
		{"has no GPU", "return 0;", ""},
		{"fails", "return 999;", ""}, // as it then does for whoever asks it next
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			var source strings.Builder
			source.WriteString("#include <stdlib.h>\n#include <unistd.h>\n")
			for _, name := range gpu.Functions() {
				body := "return 0;"
				switch name {
				case "cuInit":
					body = c.init
				case "cuDeviceGetCount":
					body = "*n = 0; return 0;"
				}
				fmt.Fprintf(&source, "int %s(int *n) { %s }\n", name, body)
			}
			file := filepath.Join(folder, "driver.c")
			if err := os.WriteFile(file, []byte(source.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(gcc, "-shared", "-fPIC", "-o", filepath.Join(folder, "libcuda.so.1"), file).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			limit := time.Minute
			if c.name == "hangs" {
				limit = time.Second
			}
			command := exec.Command(binary)
			command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+folder)
			err := askProbe(command, limit)
			if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && !strings.HasPrefix(got, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
