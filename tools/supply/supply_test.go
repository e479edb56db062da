package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/xeipuuv/gojsonschema"
)

// root is the folder of the program's module.
const root = "../.."

// built builds the program and reads it. Modules that are not in the cache would be downloaded.
func built(t *testing.T) *binary {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scanmap")
	command := exec.Command("go", "build", "-trimpath", "-o", file, "./cmd/scanmap")
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	b, err := readBinary(root, file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSupply: the committed page is current, each linked module has a row and a component, and the
// bill of materials obeys the schema of CycloneDX.
func TestSupply(t *testing.T) {
	b := built(t)
	var page, texts, sbom, again bytes.Buffer
	if err := errors.Join(writePage(&page, b), writeTexts(&texts, b), writeSBOM(&sbom, b), writeSBOM(&again, b)); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	if page.String() != string(committed) {
		t.Errorf("docs/licences.md is not what make licences writes:\n%s", page.String())
	}
	if sbom.String() != again.String() {
		t.Error("the same binary has two bills of materials")
	}
	bom := &cyclonedx.BOM{}
	if err := cyclonedx.NewBOMDecoder(&again, cyclonedx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	refs := []string{bom.Metadata.Component.BOMRef}
	for _, c := range *bom.Components {
		refs = append(refs, c.BOMRef)
	}
	for _, d := range b.info.Deps {
		if row := "| `" + d.Path + "` | " + d.Version + " | "; !strings.Contains(string(committed), row) {
			t.Errorf("no row of %s %s", d.Path, d.Version)
		}
		if !strings.Contains(texts.String(), "==== "+d.Path+" "+d.Version+": ") {
			t.Errorf("no text of the licence of %s", d.Path)
		}
		if ref := packageURL(d.Path, d.Version); !slices.Contains(refs, ref) {
			t.Errorf("no component %s", ref)
		}
	}
	if n := len(b.info.Deps) + 2; len(refs) != n || len(b.info.Deps) < 10 {
		t.Errorf("%d components, want %d: the program, the standard library and the modules", len(refs), n)
	}
	if main := *bom.Dependencies; main[0].Ref != refs[0] || !slices.Equal(*main[0].Dependencies, refs[1:]) {
		t.Errorf("the program depends on %v", *main[0].Dependencies)
	}
	if got := bom.Metadata.Component.Hashes; (*got)[0].Value != b.sha256 || len(b.sha256) != 64 {
		t.Errorf("the binary's hash is %v", *got)
	}
	obeysSchema(t, sbom.Bytes())
}

// obeysSchema compares a bill of materials with the schemas that come with cyclonedx-go.
func obeysSchema(t *testing.T, sbom []byte) {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) gojsonschema.JSONLoader {
		return gojsonschema.NewReferenceLoader("file://" + filepath.Join(strings.TrimSpace(string(folder)), "schema", name))
	}
	loader := gojsonschema.NewSchemaLoader()
	if err := errors.Join(loader.AddSchema("http://cyclonedx.org/schema/jsf-0.82.schema.json", file("jsf-0.82.schemax.json")),
		loader.AddSchema("http://cyclonedx.org/schema/spdx.schema.json", file("spdx.schema.json"))); err != nil {
		t.Fatal(err)
	}
	schema, err := loader.Compile(file("bom-1.5.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(sbom))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Errors() {
		t.Errorf("the bill of materials does not obey its schema: %s", e)
	}
	broken := bytes.Replace(sbom, []byte(`"type": "library"`), []byte(`"type": "librarian"`), 1)
	if result, err := schema.Validate(gojsonschema.NewBytesLoader(broken)); err != nil || result.Valid() {
		t.Errorf("a broken one obeys it too: %v", err)
	}
}

func TestRecognise(t *testing.T) {
	mit, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	gpl := "This program is free software: you can redistribute it and/or modify it under the terms of the GNU General " +
		"Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) " +
		"any later version.\n"
	for _, c := range []struct {
		what, text, want, refused string
	}{
		{"MIT", string(mit), "MIT", ""},
		{"MIT twice", string(mit) + string(mit), "MIT", ""},
		{"GPL", gpl, "", "the licence GPL-3.0-or-later is not one of "},
		{"MIT and GPL", string(mit) + gpl, "", "is not one of "},
		{"no licence", "All rights reserved.\n", "", "only 0 % of it are a licence that is known"},
		{"nothing", "", "", "only 0 % of it are a licence that is known"},
		{"much else", string(mit) + strings.Repeat("You owe us a beer for each read that is mapped. ", 50), "", "of it are a licence that is known"},
	} {
		ids, err := recognise([]byte(c.text))
		if got := strings.Join(ids, ", "); got != c.want || (err == nil) != (c.refused == "") ||
			err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %q, %v", c.what, got, err)
		}
	}
}

// TestLicencesOf looks where licences lie: beside and above packages that are linked.
func TestLicencesOf(t *testing.T) {
	mit, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, name := range []string{"LICENSE", "a/COPYING", "a/b/Licence.txt", "a/b/license.go", "c/LICENSE", "UNLICENSED/x", "a/b/other"} {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, mit, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := licencesOf(moduleFolders{root, []string{filepath.Join(root, "a", "b")}})
	var files []string
	for _, l := range all {
		files = append(files, l.file)
	}
	if want := []string{"LICENSE", "UNLICENSED/x", "a/COPYING", "a/b/Licence.txt"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("%v, %v, want %v", files, err, want)
	}
	for _, f := range []moduleFolders{{}, {root: t.TempDir()}} {
		if all, err := licencesOf(f); err == nil {
			t.Errorf("%q: %v", f.root, all)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ path, version, want string }{
		{"std", "1.26.8", "pkg:golang/std@1.26.8"},
		{"scanmap", "(devel)", "pkg:golang/scanmap"},
		{"github.com/a/b/v2", "v2.0.1+incompatible", "pkg:golang/github.com/a/b/v2@v2.0.1%2Bincompatible"},
	} {
		if got := packageURL(c.path, c.version); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.path, c.version, got, c.want)
		}
	}
	for _, digit := range "0123456789abcdef" {
		got := uuid(strings.Repeat(string(digit), 64))
		if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(got) {
			t.Errorf("%s is no UUID", got)
		}
	}
}
