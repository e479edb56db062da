package kernels

import (
	"embed"
	"fmt"
)

//go:embed ptx/*.ptx
var ptx embed.FS

type Entry struct {
	Name, File              string
	ParameterBytes, Threads int
}

func PTX(name string) ([]byte, error) {
	b, err := ptx.ReadFile("ptx/" + name + ".ptx")
	if err != nil {
		return nil, fmt.Errorf("kernels: %w", err)
	}
	return b, nil
}
