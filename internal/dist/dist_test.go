// Package dist tests what `make dist` made: names, sums, times and owners, programs, and what goes
// with them. SCANMAP_DIST names the folder; without it the tests are skipped.
package dist

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const root = "../.."

// folder is where the files are.
func folder(t *testing.T) string {
	t.Helper()
	name := os.Getenv("SCANMAP_DIST")
	if name == "" {
		t.Skip("SCANMAP_DIST is not set: make test-dist")
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(root, name)
	}
	return name
}

// program is the platform that an archive is made for.
type program struct {
	os, architecture string
	cuda             bool
}

// programs are the wanted programs, by the names of their archives. SCANMAP_PLATFORMS is the
// PLATFORMS of make.
func programs(t *testing.T) map[string]program {
	t.Helper()
	platforms := strings.Fields(os.Getenv("SCANMAP_PLATFORMS"))
	if len(platforms) == 0 {
		platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64"}
	}
	all := map[string]program{}
	for _, platform := range platforms {
		system, architecture, _ := strings.Cut(platform, "/")
		name := "scanmap-" + version(t) + "-" + system + "-" + architecture
		all[name] = program{system, architecture, false}
		if system == "linux" {
			all[name+"-cuda"] = program{system, architecture, true}
		}
	}
	return all
}

// version is the one of the source.
func version(t *testing.T) string {
	t.Helper()
	source := read(t, filepath.Join(root, "cmd/scanmap/version.go"))
	found := regexp.MustCompile(`(?m)^const version = "(.*)"$`).FindSubmatch(source)
	if found == nil {
		t.Fatal("cmd/scanmap/version.go has no version")
	}
	return string(found[1])
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// entry is a file of an archive.
type entry struct {
	mode int64
	text []byte
}

// unpack reads a compressed tar. All that could differ between two machines has to be fixed:
// owners, modes, order, and times, which are all the same.
func unpack(t *testing.T, packed []byte) map[string]entry {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]entry{}
	var names []string
	var first time.Time
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if first.IsZero() {
			first = h.ModTime
		}
		if h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(first) || h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeDir {
			t.Errorf("%s: owner %d:%d, time %v, type %c", h.Name, h.Uid, h.Gid, h.ModTime, h.Typeflag)
		}
		name := strings.TrimPrefix(path.Clean(h.Name), "./")
		names = append(names, name)
		if h.Typeflag == tar.TypeDir {
			if h.Mode&0o777 != 0o755 {
				t.Errorf("folder %s has mode %o", h.Name, h.Mode)
			}
			continue
		}
		files[name] = entry{h.Mode & 0o7777, text}
	}
	if !slices.IsSorted(names) {
		t.Errorf("not in order: %q", names)
	}
	return files
}

// sameKeys compares names of files.
func sameKeys(t *testing.T, what string, files map[string]entry, want []string) {
	t.Helper()
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("%s has\n%q, want\n%q", what, got, want)
	}
}

// TestFiles: the folder has the wanted files and nothing else, and SHA256SUMS has the sums of all.
func TestFiles(t *testing.T) {
	dist := folder(t)
	var want []string
	debian := 0
	entries, err := os.ReadDir(dist)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range programs(t) {
		want = append(want, name+".tar.gz")
		if deb := debianName(t, p); p.cuda && (os.Getenv("CI") == "true" || exists(filepath.Join(dist, deb))) {
			want = append(want, deb)
			debian++
		}
	}
	if debian == 0 {
		t.Log("there are no Debian packages: they need nfpm")
	}
	slices.Sort(want)
	var sums bytes.Buffer
	for _, name := range want {
		text, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), name)
	}
	if got := string(read(t, filepath.Join(dist, "SHA256SUMS"))); got != sums.String() {
		t.Errorf("SHA256SUMS is\n%s, want\n%s", got, sums.String())
	}
	if len(entries) != len(want)+1 {
		t.Errorf("%d files, want %d", len(entries), len(want)+1)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// maintainer is how the name of the packages' maintainer begins; MAINTAINER is make's variable.
func maintainer() string { return cmp.Or(os.Getenv("MAINTAINER"), "The scanmap authors <") }

func debianName(t *testing.T, p program) string {
	t.Helper()
	return "scanmap_" + version(t) + "-1_" + p.architecture + ".deb"
}

// shared are the files that are the same for every platform.
var shared = map[string][]string{
	"share/man/man1/scanmap.1":                     {"man"},
	"share/bash-completion/completions/scanmap":    {"completion", "bash"},
	"share/zsh/site-functions/_scanmap":            {"completion", "zsh"},
	"share/fish/vendor_completions.d/scanmap.fish": {"completion", "fish"},
}

// TestArchives looks at each archive, its program, and what goes with it.
func TestArchives(t *testing.T) {
	dist := folder(t)
	sams := map[string][]string{}
	for name, p := range programs(t) {
		t.Run(name, func(t *testing.T) {
			packed := read(t, filepath.Join(dist, name+".tar.gz"))
			if packed[3] != 0 || !bytes.Equal(packed[4:8], make([]byte, 4)) {
				t.Error("gzip's header has a name or a time")
			}
			files := map[string]entry{}
			for file, e := range unpack(t, packed) {
				inside, ok := strings.CutPrefix(file, name+"/")
				if !ok {
					t.Errorf("%s is not below %s", file, name)
				}
				files[inside] = e
			}
			want := []string{"bin/scanmap", "LICENSE", "README.md", "CHANGELOG.md", "LICENCES.txt", "sbom.cdx.json"}
			sameKeys(t, name, files, slices.AppendSeq(want, maps.Keys(shared)))
			for file, e := range files {
				if mode := int64(0o644); e.mode != mode && (file != "bin/scanmap" || e.mode != 0o755) {
					t.Errorf("%s has mode %o", file, e.mode)
				}
			}
			for _, file := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
				if !bytes.Equal(files[file].text, read(t, filepath.Join(root, file))) {
					t.Errorf("%s is not the one of the source", file)
				}
			}
			binary := files["bin/scanmap"].text
			judgeProgram(t, p, binary)
			judgeSupply(t, p, binary, string(files["LICENCES.txt"].text), files["sbom.cdx.json"].text)
			if sam := judgeRuns(t, p, binary, files); sam != "" {
				sams[sam] = append(sams[sam], name)
			}
		})
	}
	if len(sams) > 1 {
		t.Errorf("programs that run here write %d different files: %q", len(sams), slices.Collect(maps.Values(sams)))
	}
}

// judgeProgram: it is for its platform, made without cgo and without names of folders, and needs no
// loader unless it is to find a GPU's driver.
func judgeProgram(t *testing.T, p program, binary []byte) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	want := map[string]string{"GOOS": p.os, "GOARCH": p.architecture, "CGO_ENABLED": "0", "-trimpath": "true", "-tags": "nocuda"}
	if p.cuda {
		want["-tags"] = ""
	}
	for key, value := range want {
		if settings[key] != value {
			t.Errorf("%s is %q, want %q", key, settings[key], value)
		}
	}
	if p.os == "darwin" {
		f, err := macho.NewFile(bytes.NewReader(binary))
		if err != nil || f.Cpu != macho.CpuArm64 {
			t.Errorf("not for this processor: %v", err)
		}
		return
	}
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[p.architecture]
	loader := slices.ContainsFunc(f.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_INTERP })
	libraries, err := f.ImportedLibraries()
	if err != nil || f.Machine != machine || loader != p.cuda {
		t.Errorf("%v, machine %v, asks for a loader: %v", err, f.Machine, loader)
	}
	slices.Sort(libraries)
	if want := []string{"libc.so.6", "libdl.so.2", "libpthread.so.0"}; p.cuda && !slices.Equal(libraries, want) || !p.cuda && len(libraries) > 0 {
		t.Errorf("it needs %q", libraries)
	}
}

// judgeSupply: the bill of materials is of this program, and each module has its licence.
func judgeSupply(t *testing.T, p program, binary []byte, licences string, sbom []byte) {
	t.Helper()
	var bill struct {
		Metadata struct {
			Component struct {
				Hashes []struct{ Content string }
			}
		}
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(sbom, &bill); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(binary)
	if h := bill.Metadata.Component.Hashes; len(h) != 1 || h[0].Content != hex.EncodeToString(sum[:]) {
		t.Errorf("the bill of materials is of another program: %v", h)
	}
	purego := false
	for _, c := range bill.Components {
		purego = purego || c.Name == "github.com/ebitengine/purego"
		if !strings.Contains(licences, "==== "+c.Name+" "+c.Version+": ") {
			t.Errorf("LICENCES.txt has no text of %s %s", c.Name, c.Version)
		}
	}
	if purego != p.cuda || len(bill.Components) < 10 {
		t.Errorf("%d components, purego among them: %v", len(bill.Components), purego)
	}
}

// judgeRuns runs what runs here, programs for this machine and static ones for arm64 by QEMU, and
// returns the SAM that it writes.
func judgeRuns(t *testing.T, p program, binary []byte, files map[string]entry) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scanmap")
	if err := os.WriteFile(file, binary, 0o777); err != nil {
		t.Fatal(err)
	}
	line := []string{file}
	if p.os != runtime.GOOS || p.architecture != runtime.GOARCH {
		qemu, err := exec.LookPath("qemu-aarch64-static")
		if err != nil || p.os != "linux" || p.architecture != "arm64" || p.cuda {
			t.Logf("not run: it is for %s/%s", p.os, p.architecture)
			return ""
		}
		line = []string{qemu, file}
	}
	output := func(args ...string) string {
		command := exec.Command(line[0], append(slices.Clone(line[1:]), args...)...)
		command.Dir, command.Env = "/", []string{} // no HOME, no PATH
		text, err := command.Output()
		if err != nil {
			t.Errorf("scanmap %s: %v", strings.Join(args, " "), err)
		}
		return string(text)
	}
	if got, want := output("--version"), "scanmap "+version(t)+"\n"; got != want {
		t.Errorf("--version says %q, want %q", got, want)
	}
	for name, args := range shared {
		if output(args...) != string(files[name].text) {
			t.Errorf("%s is not what scanmap %s writes", name, strings.Join(args, " "))
		}
	}
	test, err := filepath.Abs(filepath.Join(root, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	sam := output("map", "--quiet", "--no-pg", "-t", "1", filepath.Join(test, "phix.fa"), filepath.Join(test, "phix_R1.fastq"))
	if lines := strings.Count(sam, "\n"); lines < 30 {
		t.Errorf("it writes %d lines of SAM", lines)
	}
	return sam
}

// TestDebian looks into each package: what dpkg reads, the places of files, and that they are the
// archive's.
func TestDebian(t *testing.T) {
	dist := folder(t)
	for name, p := range programs(t) {
		file := filepath.Join(dist, debianName(t, p))
		if !p.cuda || os.Getenv("CI") != "true" && !exists(file) {
			continue
		}
		t.Run(p.architecture, func(t *testing.T) {
			members := unpackAr(t, read(t, file))
			if string(members["debian-binary"]) != "2.0\n" || len(members) != 3 {
				t.Fatalf("members %q", slices.Collect(maps.Keys(members)))
			}
			control, data := unpack(t, members["control.tar.gz"]), unpack(t, members["data.tar.gz"])
			sameKeys(t, "control", control, []string{"control", "md5sums"}) // and no scripts
			fields := string(control["control"].text)
			for _, want := range []string{"Package: scanmap\n", "Version: " + version(t) + "-1\n", "Architecture: " + p.architecture + "\n",
				"Depends: libc6\n", "Maintainer: " + maintainer()} {
				if !strings.Contains(fields, want) {
					t.Errorf("no %q in\n%s", want, fields)
				}
			}
			judgeDebian(t, data, string(control["md5sums"].text))
			archive := unpack(t, read(t, filepath.Join(dist, name+".tar.gz")))
			for from, to := range map[string]string{
				"bin/scanmap": "usr/bin/scanmap", "README.md": "usr/share/doc/scanmap/README.md",
				"share/bash-completion/completions/scanmap":    "usr/share/bash-completion/completions/scanmap",
				"share/zsh/site-functions/_scanmap":            "usr/share/zsh/vendor-completions/_scanmap",
				"share/fish/vendor_completions.d/scanmap.fish": "usr/share/fish/vendor_completions.d/scanmap.fish",
				"share/man/man1/scanmap.1":                     "usr/share/man/man1/scanmap.1.gz",
				"CHANGELOG.md":                                 "usr/share/doc/scanmap/changelog.gz",
				"LICENCES.txt":                                 "usr/share/doc/scanmap/linked.txt.gz",
				"sbom.cdx.json":                                "usr/share/doc/scanmap/sbom.cdx.json.gz",
			} {
				want, got := archive[path.Join(name, from)].text, data[to].text
				if strings.HasSuffix(to, ".gz") {
					got = gunzip(t, got)
				}
				if len(want) == 0 || !bytes.Equal(got, want) {
					t.Errorf("%s is not %s of the archive", to, from)
				}
			}
		})
	}
}

// judgeDebian judges the files of a package.
func judgeDebian(t *testing.T, data map[string]entry, sums string) {
	t.Helper()
	sameKeys(t, "data", data, []string{
		"usr/bin/scanmap", "usr/share/man/man1/scanmap.1.gz", "usr/share/lintian/overrides/scanmap",
		"usr/share/bash-completion/completions/scanmap", "usr/share/zsh/vendor-completions/_scanmap",
		"usr/share/fish/vendor_completions.d/scanmap.fish", "usr/share/doc/scanmap/README.md",
		"usr/share/doc/scanmap/copyright", "usr/share/doc/scanmap/changelog.gz", "usr/share/doc/scanmap/changelog.Debian.gz",
		"usr/share/doc/scanmap/linked.txt.gz", "usr/share/doc/scanmap/sbom.cdx.json.gz",
	})
	for name, e := range data {
		if want := int64(0o644); e.mode != want && (name != "usr/bin/scanmap" || e.mode != 0o755) {
			t.Errorf("%s has mode %o", name, e.mode)
		}
		if sum := fmt.Sprintf("%x  %s\n", md5.Sum(e.text), name); !strings.Contains(sums, sum) {
			t.Errorf("md5sums has no line %q", sum)
		}
	}
	if text := string(data["usr/share/doc/scanmap/copyright"].text); !strings.Contains(text, "\nLicense: MIT\n Permission is hereby granted") ||
		!strings.HasSuffix(text, "SOFTWARE.\n") {
		t.Errorf("copyright is\n%s", text)
	}
	changes := string(gunzip(t, data["usr/share/doc/scanmap/changelog.Debian.gz"].text))
	if !strings.HasPrefix(changes, "scanmap ("+version(t)+"-1) ") || !strings.Contains(changes, "\n -- "+maintainer()) {
		t.Errorf("the change log is\n%s", changes)
	}
}

// unpackAr reads an archive of ar, by the common format of Debian packages (deb(5)).
func unpackAr(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	text, ok := bytes.CutPrefix(text, []byte("!<arch>\n"))
	members := map[string][]byte{}
	for ok && len(text) > 60 {
		size, err := strconv.Atoi(strings.TrimSpace(string(text[48:58])))
		if err != nil || 60+size > len(text) {
			t.Fatalf("%q: %v", text[:60], err)
		}
		members[strings.TrimRight(string(text[:16]), " /")] = text[60 : 60+size]
		text = text[min(60+size+size%2, len(text)):]
	}
	if !ok || len(text) > 0 {
		t.Fatal("no archive of ar")
	}
	return members
}

func gunzip(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Error(err)
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return text
}
