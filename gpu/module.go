package gpu

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Module is PTX that the driver compiled for a device.
type Module struct {
	handle
	module  uintptr
	kernels map[string]int // to the bytes of their parameters
}

// Kernel is a function of a module that can be launched.
type Kernel struct {
	module         *Module
	name           string
	function       uintptr
	parameterBytes int
}

// logBytes is room for the complaints of the compiler; the rest is cut off.
const logBytes = 8 << 10

// Load compiles PTX. The driver remembers what it compiled (in ~/.nv/ComputeCache), so that the
// next time takes milliseconds.
func (v *Device) Load(ptx []byte) (*Module, error) {
	kernels, err := kernelParameters(string(ptx))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.name, err)
	}
	m := &Module{handle: handle{device: v, what: "module"}, kernels: kernels}
	log := make([]byte, logBytes)
	image := append(slices.Clip(ptx), 0)
	err = v.do(func() error {
		at := site{detail: func() string { return string(log) }}
		err := v.call("cuModuleLoadDataEx", at, func(c *calls) Result { return c.ModuleLoad(&m.module, image, log) })
		if err == nil {
			v.adopt(m)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Close unloads the module; its kernels cannot be launched any more. Nothing happens if it is
// closed already.
func (m *Module) Close() error { return m.device.free(m) }

func (m *Module) rank() int { return rankModule }
func (m *Module) release() error {
	return m.device.call("cuModuleUnload", site{}, func(c *calls) Result { return c.ModuleUnload(m.module) })
}

// Kernels are the names of the module's kernels, sorted.
func (m *Module) Kernels() []string { return slices.Sorted(maps.Keys(m.kernels)) }

// Kernel finds a kernel. It is refused if the PTX does not give it parameterBytes bytes of
// parameters: the struct in Go is then not the kernel's.
func (m *Module) Kernel(name string, parameterBytes int) (*Kernel, error) {
	v := m.device
	size, ok := m.kernels[name]
	if !ok {
		return nil, fmt.Errorf("%s: kernel %s is not in the module, which has %s", v.name, name, strings.Join(m.Kernels(), ", "))
	}
	if size != parameterBytes {
		return nil, fmt.Errorf("%s: kernel %s takes %s of parameters, not %d", v.name, name, byteCount(size), parameterBytes)
	}
	k := &Kernel{module: m, name: name, parameterBytes: size}
	err := m.do(func() error {
		return v.call("cuModuleGetFunction", site{kernel: name}, func(c *calls) Result {
			return c.ModuleFunction(&k.function, m.module, name)
		})
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Name is the kernel's name.
func (k *Kernel) Name() string { return k.name }

var (
	ptxEntry = regexp.MustCompile(`\.entry\s+([A-Za-z0-9_$%]+)\s*(?:\(([^)]*)\))?`)
	// .param, then in any order .align N, the type and the attributes of pointers, then the name
	// and, for an array, its length.
	ptxParameter = regexp.MustCompile(`^\.param\s+((?:\.\w+(?:\s+\d+)?\s+)+)[A-Za-z0-9_$%]+\s*(?:\[\s*(\d+)\s*\])?$`)
	ptxAlign     = regexp.MustCompile(`\.align\s+(\d+)`)
	ptxType      = regexp.MustCompile(`\.[busf](8|16|32|64)\b`)
)

// kernelParameters returns the kernels of a PTX, each with the bytes of its parameters.
//
//	.visible .entry add(
//		.param .align 8 .b8 add_param_0[32]
//	)
//
// gives add 32 bytes.
func kernelParameters(ptx string) (map[string]int, error) {
	kernels := map[string]int{}
	for _, entry := range ptxEntry.FindAllStringSubmatch(withoutComments(ptx), -1) {
		name, end := entry[1], 0
		for text := range strings.SplitSeq(entry[2], ",") {
			text = strings.TrimSpace(text)
			if text == "" {
				continue
			}
			size, align, err := parameter(text)
			if err != nil {
				return nil, fmt.Errorf("PTX of kernel %s: %w", name, err)
			}
			end = (end+align-1)/align*align + size
		}
		kernels[name] = end
	}
	if len(kernels) == 0 {
		return nil, fmt.Errorf("PTX without a kernel (%s)", byteCount(len(ptx)))
	}
	return kernels, nil
}

// withoutComments returns a text with a space for each comment of C or C++. One that does not end
// stays. A regular expression would take longer than all else that opens a GPU.
func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "/")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		kept := "/"
		text = after
		switch {
		case strings.HasPrefix(after, "/"):
			kept, text = " ", after[len(after):]
			if end := strings.IndexByte(after, '\n'); end >= 0 {
				text = after[end:]
			}
		case strings.HasPrefix(after, "*"):
			if _, rest, ended := strings.Cut(after[1:], "*/"); ended {
				kept, text = " ", rest
			}
		}
		b.WriteString(kept)
	}
}

// parameter returns size and alignment of a parameter such as ".param .align 8 .b8 add_param_0[32]"
// or ".param .u64 n".
func parameter(text string) (size, align int, err error) {
	refused := fmt.Errorf("parameter %q is not understood", oneLine(text))
	parts := ptxParameter.FindStringSubmatch(text)
	if parts == nil {
		return 0, 0, refused
	}
	kind := ptxType.FindStringSubmatch(parts[1])
	if kind == nil {
		return 0, 0, refused
	}
	bits, err := strconv.Atoi(kind[1])
	if err != nil {
		return 0, 0, refused
	}
	size, align = bits/8, bits/8
	// After .ptr, .align belongs to the memory that the parameter points to.
	own, _, _ := strings.Cut(parts[1], ".ptr")
	if a := ptxAlign.FindStringSubmatch(own); a != nil {
		if align, err = strconv.Atoi(a[1]); err != nil || align == 0 {
			return 0, 0, refused
		}
	}
	if parts[2] != "" {
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			return 0, 0, refused
		}
		size *= n
	}
	return size, align, nil
}
