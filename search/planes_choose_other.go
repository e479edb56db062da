//go:build !amd64

package search

// sweepers are the sweepers that run on this processor, the fastest last.
func sweepers() []sweeper { return []sweeper{plainSweeper()} }

// folders are the folders that run on this processor, the fastest last.
func folders() []namedFolder { return []namedFolder{{"plain", foldPlain}} }
