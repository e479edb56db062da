package device

import (
	"fmt"

	"scanmap/gpu"
	"scanmap/internal/measure"
)

// Driver is the CUDA driver API.
type Driver = gpu.Driver

// LoadDriver sets the driver, unless there is one. Setting it takes little time; asking it for GPUs
// takes longer than small inputs take on the CPU, and waits until one is wanted.
func (c *Choice) LoadDriver() (err error) {
	if c.Driver == nil {
		c.Driver, err = gpu.LoadDriver()
	}
	return err
}

// Ready returns the reason if GPUs are not to be looked for, because the user has not asked for one
// and the driver does not answer.
func (c *Choice) Ready() error {
	if c.Kind == CUDA || c.Answers == nil {
		return nil
	}
	return c.Answers()
}

// Describe names a GPU.
func Describe(driver *gpu.Driver, device *gpu.Device) (measure.Device, error) {
	version, err := driver.Version()
	if err != nil {
		return measure.Device{}, err
	}
	info := device.Info()
	return measure.Device{
		ID:                device.Name(),
		Name:              info.Name,
		ComputeCapability: fmt.Sprintf("%d.%d", info.Major, info.Minor),
		Driver:            fmt.Sprintf("CUDA %d.%d", version/1000, version%1000/10),
		Memory:            info.Memory,
		Multiprocessors:   info.Multiprocessors,
	}, nil
}
