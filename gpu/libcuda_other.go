//go:build !linux || !(amd64 || arm64) || nocuda

package gpu

import (
	"fmt"
	"runtime"
)

func openLibcuda() (calls, error) {
	return calls{}, fmt.Errorf("this build for %s/%s has no CUDA", runtime.GOOS, runtime.GOARCH)
}
