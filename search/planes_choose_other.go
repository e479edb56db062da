//go:build !amd64

package search

// sweepers are those that run on this processor, the fastest last.
func sweepers() []sweeper { return []sweeper{plainSweeper()} }

// folders are those that run on this processor, the fastest last.
func folders() []namedFolder { return []namedFolder{{"plain", foldPlain}} }
