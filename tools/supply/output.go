package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// pageHead begins docs/licences.md.
const pageHead = `# Licences of what is linked

The binary of scanmap is made of its own code ([MIT](../LICENSE)), of the modules below and of Go's
standard library. ` + "`make licences`" + ` writes this page from what Go notes in the binary, and
recognises each licence by its text; a test fails where the page is not current. The texts, which
have to be passed on with a binary, go to build/licences.txt
([CONTRIBUTING.md](../CONTRIBUTING.md#supply-chain)).

| module | version | licence | files |
|---|---|---|---|
`

// writePage writes the table of licences. The version of Go is left out: any may build.
func writePage(w *bytes.Buffer, b *binary) error {
	w.WriteString(pageHead)
	for i := range b.modules {
		m := &b.modules[i]
		name, version := "`"+m.path+"`", m.version
		if m.path == standardLibrary {
			name, version = "Go's standard library", "of the Go that builds"
		}
		var files []string
		for _, l := range m.licences {
			files = append(files, l.file)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", name, version, strings.Join(m.ids(), ", "), strings.Join(files, ", "))
	}
	return nil
}

// writeTexts writes all files of licences.
func writeTexts(w *bytes.Buffer, b *binary) error {
	for i := range b.modules {
		m := &b.modules[i]
		for _, l := range m.licences {
			fmt.Fprintf(w, "==== %s %s: %s (%s)\n\n%s\n\n", m.path, m.version, l.file, strings.Join(l.ids, ", "), strings.TrimSpace(l.text))
		}
	}
	return nil
}

// writeSBOM writes the bill of materials. The same binary gives the same bytes: there is no time in
// it, and the serial number is made of the binary's hash.
func writeSBOM(w *bytes.Buffer, b *binary) error {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = "urn:uuid:" + uuid(b.sha256)
	main := cyclonedx.Component{
		BOMRef: packageURL(b.info.Main.Path, b.info.Main.Version), Type: cyclonedx.ComponentTypeApplication,
		Name: b.info.Main.Path, Version: b.info.Main.Version, PackageURL: packageURL(b.info.Main.Path, b.info.Main.Version),
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: b.sha256}},
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
		Properties: settings(b.info),
	}
	bom.Metadata = &cyclonedx.Metadata{Component: &main}
	var components []cyclonedx.Component
	var refs []string
	dependencies := []cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	for i := range b.modules {
		c, err := component(&b.modules[i])
		if err != nil {
			return err
		}
		components = append(components, c)
		refs = append(refs, c.BOMRef)
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: c.BOMRef})
	}
	bom.Components, bom.Dependencies = &components, &dependencies
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_5)
}

// component describes a module. Its hash is the one of go.sum, SHA-256 over the hashes of the files
// (golang.org/x/mod/sumdb/dirhash).
func component(m *module) (cyclonedx.Component, error) {
	c := cyclonedx.Component{
		BOMRef: packageURL(m.path, m.version), Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version,
		Scope: cyclonedx.ScopeRequired, PackageURL: packageURL(m.path, m.version),
	}
	if ids := m.ids(); len(ids) == 1 {
		c.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: ids[0]}}}
	} else {
		c.Licenses = &cyclonedx.Licenses{{Expression: strings.Join(ids, " AND ")}}
	}
	if m.path == standardLibrary {
		return c, nil
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.sum, "h1:"))
	if err != nil || !strings.HasPrefix(m.sum, "h1:") {
		return c, fmt.Errorf("module %s: the sum %q is none of go.sum", m.path, m.sum)
	}
	c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	return c, nil
}

// packageURL is the purl of a module (github.com/package-url/purl-spec, type golang).
func packageURL(path, version string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	if version == "" || version == "(devel)" {
		return "pkg:golang/" + strings.Join(parts, "/")
	}
	return "pkg:golang/" + strings.Join(parts, "/") + "@" + url.QueryEscape(version)
}

// settings are the settings of the build.
func settings(info *debug.BuildInfo) *[]cyclonedx.Property {
	all := []cyclonedx.Property{{Name: "go:version", Value: info.GoVersion}}
	for _, s := range info.Settings {
		all = append(all, cyclonedx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	return &all
}

// uuid makes a UUID (version 8, RFC 9562) of the first 32 hexadecimal digits of a hash.
func uuid(hash string) string {
	variant := "89ab"[strings.IndexByte("0123456789abcdef", hash[16])%4]
	return fmt.Sprintf("%s-%s-8%s-%c%s-%s", hash[:8], hash[8:12], hash[13:16], variant, hash[17:20], hash[20:32])
}
