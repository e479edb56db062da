module scanmap/tools

go 1.26.0

replace scanmap => ../

require (
	github.com/CycloneDX/cyclonedx-go v0.10.0
	github.com/biogo/biogo v1.0.4 // indirect
	github.com/biogo/hts v1.4.5 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/google/licensecheck v0.3.1
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/mmcloughlin/avo v0.6.0
	github.com/xeipuuv/gojsonschema v1.2.0
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.2.0
)

require (
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	golang.org/x/mod v0.24.0 // indirect
	golang.org/x/sync v0.13.0 // indirect
	golang.org/x/tools v0.32.0 // indirect
)

require scanmap v0.0.0-00010101000000-000000000000
