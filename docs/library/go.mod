module example.org/library

go 1.26.0

require scanmap v0.0.0

require (
	github.com/biogo/biogo v1.0.4 // indirect
	github.com/biogo/hts v1.4.5 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/klauspost/compress v1.18.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace scanmap => ../..
