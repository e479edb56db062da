package dist

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// releaseChanges is a CHANGELOG.md of two versions.
const releaseChanges = `# Changes

## 0.2.0, unreleased

- One thing,
  on two lines.

- Another thing.

## 0.1.0, 1 May 2026

- The first thing.
`

// releaseTree is a repository with what release.sh reads, at version 0.2.0, all committed.
func releaseTree(t *testing.T) (folder string) {
	t.Helper()
	for _, program := range []string{"git", "bash", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here, which release.sh needs", program)
		}
	}
	folder = t.TempDir()
	for name, text := range map[string]string{
		"CHANGELOG.md": releaseChanges, "cmd/scanmap/main.go": "package main\n\nconst version = \"0.2.0\"\n", ".gitignore": "/build/\n/dist/\n",
		"packaging/scripts/release.sh":                                       string(read(t, filepath.Join(root, "packaging/scripts/release.sh"))),
		"packaging/bioconda/meta.yaml":                                       "url: https://github.com/OWNER/scanmap/x\nsha256: " + strings.Repeat("0", 64) + "\n- OWNER\n",
		"packaging/workflows/nextflow/modules/scanmap/map/meta.yml":          "homepage: \"https://github.com/OWNER/scanmap\"\n  - \"@OWNER\"\n",
		"packaging/workflows/snakemake/wrappers/scanmap/map/meta.yaml":       "url: https://github.com/OWNER/scanmap\n",
		"packaging/workflows/nextflow/modules/scanmap/map/tests/x.nf.test":   "nothing to fill\n",
		"packaging/workflows/snakemake/wrappers/scanmap/map/environment.txt": "scanmap =0.2\n",
	} {
		write(t, filepath.Join(folder, name), text)
	}
	inTree(t, folder, "git init -q . && git add -A && git -c user.name=a -c user.email=a@localhost commit -qm a")
	return folder
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// inTree runs a script that succeeds, and returns what it says.
func inTree(t *testing.T, folder, script string) string {
	t.Helper()
	out, errors, err := release(folder, script)
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", script, err, out, errors)
	}
	return out
}

// release runs a script, without what the environment of these tests sets.
func release(folder, script string) (out, errors string, err error) {
	command := exec.Command("bash", "-c", script)
	command.Dir = folder
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "REPOSITORY=") || strings.HasPrefix(v, "MAINTAINER=") || strings.HasPrefix(v, "GIT_DIR=")
	})
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err = command.Run()
	return stdout.String(), stderr.String(), err
}

// TestReleaseRefuses: each thing that forbids a release is a line, and nothing else is.
func TestReleaseRefuses(t *testing.T) {
	const script = "packaging/scripts/release.sh "
	for _, c := range []struct{ name, before, version, want string }{
		{"tested", script + "tested", "0.2.0", ""},
		{"not tested", "", "0.2.0", "commit HEAD was not tested here: make ci\n"},
		{"changed", script + "tested; echo x >>CHANGELOG.md", "0.2.0", "files are not as committed: 1, the first one CHANGELOG.md\n"},
		{"new", script + "tested; touch 'a b'", "0.2.0", "files are not as committed: 1, the first one \"a b\"\n"},
		{"tested with changes", "touch x; " + script + "tested; rm x", "0.2.0", "commit HEAD was not tested here: make ci\n"},
		{"tested before", script + "tested; echo >x; git add x; git -c user.name=a -c user.email=a@localhost commit -qm b", "0.2.0",
			"commit HEAD was not tested here: make ci\n"},
		{"only a message since", script + "tested; git -c user.name=a -c user.email=a@localhost commit --allow-empty -qm b", "0.2.0", ""},
		{"no version", script + "tested", "", "no version is given, as in make release VERSION=0.2.0\n"},
		{"another version", script + "tested", "0.1.0", "version 0.1.0 is not the program's, which is 0.2.0 (const version of cmd/scanmap)\n"},
		{"no notes", script + "tested; sed -i s/0.2.0,/0.3.0,/ CHANGELOG.md; git -c user.name=a -c user.email=a@localhost commit -qam b; " +
			script + "tested", "0.2.0", "CHANGELOG.md has no section of 0.2.0, or an empty one\n"},
		{"tag elsewhere", "git tag v0.2.0; git -c user.name=a -c user.email=a@localhost commit --allow-empty -qm b; " + script + "tested", "0.2.0",
			"tag v0.2.0 is another commit, TAG\n"},
		{"tag here", "git tag v0.2.0; " + script + "tested", "0.2.0", ""},
		{"several", "touch x", "0.9", "version 0.9 is not the program's, which is 0.2.0 (const version of cmd/scanmap)\n" +
			"CHANGELOG.md has no section of 0.9, or an empty one\nfiles are not as committed: 1, the first one x\ncommit HEAD was not tested here: make ci\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := releaseTree(t)
			inTree(t, folder, ":; "+c.before)
			want := strings.ReplaceAll(c.want, "HEAD", strings.TrimSpace(inTree(t, folder, "git rev-parse --short HEAD")))
			if strings.Contains(want, "TAG") {
				want = strings.ReplaceAll(want, "TAG", strings.TrimSpace(inTree(t, folder, "git rev-parse --short v0.2.0")))
			}
			var lines strings.Builder
			for line := range strings.Lines(want) {
				lines.WriteString("make release: " + line)
			}
			out, errors, err := release(folder, script+"check '"+c.version+"'")
			if out != "" || errors != lines.String() || (err == nil) != (want == "") {
				t.Errorf("says\n%s%swant\n%s(%v)", out, errors, lines.String(), err)
			}
		})
	}
}

// TestReleaseNotes: the notes are the section of the version and nothing else.
func TestReleaseNotes(t *testing.T) {
	folder := releaseTree(t)
	for version, want := range map[string]string{
		"0.2.0": "- One thing,\n  on two lines.\n\n- Another thing.\n", "0.1.0": "- The first thing.\n", "0.2": "", "0": "",
	} {
		if got := inTree(t, folder, "packaging/scripts/release.sh notes "+version); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// TestReleasePack: source, sums and notes are there, and the files for others have address and sum.
func TestReleasePack(t *testing.T) {
	folder := releaseTree(t)
	write(t, filepath.Join(folder, "dist", "scanmap-0.2.0-linux-amd64.tar.gz"), "archive")
	write(t, filepath.Join(folder, "dist", "scanmap_0.2.0-1_amd64.deb"), "package")
	inTree(t, folder, "cd dist && sha256sum * >SHA256SUMS")
	said := inTree(t, folder, "REPOSITORY=https://example.org/someone/scanmap packaging/scripts/release.sh pack 0.2.0 dist build/r")
	source := read(t, filepath.Join(folder, "build/r/files/scanmap-0.2.0.tar.gz"))
	sum := fmt.Sprintf("%x", sha256.Sum256(source))
	sums := string(read(t, filepath.Join(folder, "build/r/files/SHA256SUMS")))
	if !strings.HasSuffix(sums, sum+"  scanmap-0.2.0.tar.gz\n") || strings.Count(sums, "\n") != 3 {
		t.Errorf("SHA256SUMS is\n%s", sums)
	}
	notes := string(read(t, filepath.Join(folder, "build/r/notes.md")))
	if !strings.HasPrefix(notes, "- One thing,\n  on two lines.\n\n- Another thing.\n\nThe sums of all files ") ||
		!strings.Contains(notes, "sha256sum -c SHA256SUMS") || strings.Count(notes, "\n") != 7 {
		t.Errorf("the notes are\n%s", notes)
	}
	for name, want := range map[string]string{
		"bioconda/meta.yaml":                     "url: https://example.org/someone/scanmap/x\nsha256: " + sum + "\n- someone\n",
		"nf-core/map/meta.yml":                   "homepage: \"https://example.org/someone/scanmap\"\n  - \"@someone\"\n",
		"snakemake-wrappers/map/meta.yaml":       "url: https://example.org/someone/scanmap\n",
		"nf-core/map/tests/x.nf.test":            "nothing to fill\n",
		"snakemake-wrappers/map/environment.txt": "scanmap =0.2\n",
	} {
		if got := string(read(t, filepath.Join(folder, "build/r/for", name))); got != want {
			t.Errorf("%s is\n%s, want\n%s", name, got, want)
		}
	}
	inTree(t, folder, "mkdir build/u && tar -xzf build/r/files/scanmap-0.2.0.tar.gz -C build/u && cmp CHANGELOG.md build/u/scanmap-0.2.0/CHANGELOG.md")
	if got, want := inTree(t, folder, "cd build/u/scanmap-0.2.0 && find * .gitignore -type f | sort"), inTree(t, folder, "git ls-files | sort"); len(got) != len(want) {
		t.Errorf("the source has\n%s, want\n%s", got, want)
	}
	for _, want := range []string{"still to do: CHANGELOG.md says that 0.2.0 is unreleased\n", "still to do: MAINTAINER=",
		"then: git tag -s v0.2.0 && git push origin v0.2.0; "} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if strings.Contains(said, "wait for REPOSITORY") {
		t.Errorf("says\n%s", said)
	}
	if said := inTree(t, folder, "packaging/scripts/release.sh pack 0.2.0 dist build/r"); !strings.Contains(said, "3 files below for/ wait for REPOSITORY") {
		t.Errorf("without an address, says\n%s", said)
	}
	again := read(t, filepath.Join(folder, "build/r/files/scanmap-0.2.0.tar.gz"))
	if !bytes.Equal(source, again) {
		t.Error("the source has other bytes the second time")
	}
}
