package main

import "io"

func isProbe() bool { return false }
func probe(io.Writer) int { return 0 }
