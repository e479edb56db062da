// Command supply describes the modules that are linked into a binary: the licences of all modules
// as a page, their texts, which are passed on with the binary, and a software bill of materials.
//
//	supply [-page FILE] [-texts FILE] [-sbom FILE] BINARY
//
// A module whose licence is not recognised by its text, or not one that may be linked, is an error.
//
// Others were tried in its place on 26 November 2026. cyclonedx-gomod 1.10.0 says that
// golang.org/x/sys is under BSD-Source-Code, and klauspost/compress under Apache-2.0 alone, and has
// neither a licence of Go's standard library nor a hash of the program. go-licenses 1.6.0 leaves
// out THIRD_PARTY_LICENSES of biogo and hts, and the standard library's licence.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	page := flag.String("page", "", "write the table of licences to `FILE`, as Markdown")
	texts := flag.String("texts", "", "write the texts of the licences to `FILE`")
	sbom := flag.String("sbom", "", "write the bill of materials to `FILE`, as CycloneDX 1.5 in JSON")
	flag.Parse()
	if err := run(flag.Args(), *page, *texts, *sbom); err != nil {
		fmt.Fprintln(os.Stderr, "supply:", err)
		os.Exit(1)
	}
}

func run(args []string, page, texts, sbom string) error {
	if len(args) != 1 {
		return errors.New("expected the name of one binary")
	}
	b, err := readBinary(".", args[0])
	if err != nil {
		return err
	}
	for _, out := range []struct {
		file  string
		write func(*bytes.Buffer, *binary) error
	}{{page, writePage}, {texts, writeTexts}, {sbom, writeSBOM}} {
		if out.file == "" {
			continue
		}
		var text bytes.Buffer
		if err := out.write(&text, b); err != nil {
			return err
		}
		if err := os.WriteFile(out.file, text.Bytes(), 0o666); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d modules and the standard library, licences %s\n", args[0], len(b.modules)-1, b.allLicences())
	return nil
}
