module scanmap/tools

go 1.26.0

replace scanmap => ../

require (
	github.com/CycloneDX/cyclonedx-go v0.10.0
	github.com/biogo/biogo v1.0.4 // indirect
	github.com/biogo/hts v1.4.5
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/google/licensecheck v0.3.1
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/mmcloughlin/avo v0.6.0
	github.com/xeipuuv/gojsonschema v1.2.0
	golang.org/x/sys v0.49.0
	gonum.org/v1/plot v0.16.0
	pgregory.net/rapid v1.2.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.1.0 // indirect
	codeberg.org/go-pdf/fpdf v0.10.0 // indirect
	git.sr.ht/~sbinet/gg v0.6.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/campoy/embedmd v1.0.0 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	golang.org/x/image v0.25.0 // indirect
	golang.org/x/mod v0.24.0 // indirect
	golang.org/x/sync v0.13.0 // indirect
	golang.org/x/text v0.23.0 // indirect
	golang.org/x/tools v0.32.0 // indirect
)

require scanmap v0.0.0-00010101000000-000000000000
