package search

import (
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// bruteForceGPU launches one thread for each letter of the text.
func bruteForceGPU(g *gpuSearch, n *needle) {
	name := "brute_force_letters"
	if !n.single {
		name = "brute_force_sets"
	}
	device.Launch(g.queue, name, g.text.letters(), &kernels.BruteForceParams{
		Text: g.text.oneByte(g.queue), Needle: g.uploadNeedle(n), Flags: g.flagged(), Length: uint32(n.length()), Most: uint32(n.k),
	})
}
