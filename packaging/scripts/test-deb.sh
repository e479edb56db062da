#!/usr/bin/env bash
# test-deb.sh PACKAGE [ROOT]: installs a Debian package below ROOT, runs the program, removes the
# package, and fails if a file is left. ROOT is a Debian of its own, as debootstrap makes it; without
# it an empty folder is taken, with a list of packages that has the C library alone.
set -euo pipefail
package=$(realpath "${1:?a Debian package}")
root=${2:-}
data=$(realpath "$(dirname "$0")/../../testdata")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in dpkg dpkg-deb; do
	command -v $tool >/dev/null || { echo "SKIPPED: no $tool here, so the package was not installed"; exit 0; }
done
if [ "$(id -u)" != 0 ]; then
	command -v fakeroot >/dev/null || { echo "SKIPPED: neither root nor fakeroot here, so the package was not installed"; exit 0; }
	[ -n "${FAKEROOTKEY:-}" ] || exec fakeroot -- "$0" "$@"
fi
if [ "$(dpkg-deb -f "$package" Architecture)" != "$(dpkg --print-architecture)" ]; then
	echo "SKIPPED: $(basename "$package") is for another architecture, so it was not installed"
	exit 0
fi

if [ -n "$root" ]; then
	root=$(realpath "$root")
	run=(chroot "$root")
	mkdir "$root/test" # where the package, the reads and the results are
	trap 'rm -rf "$work" "$root/test"' EXIT
	cp "$package" "$data/phix.fa" "$data/phix_R1.fastq" "$root/test/"
	dpkg_here=(chroot "$root" dpkg)
	installed=/test/$(basename "$package") program=/usr/bin/scanmap reads=/test
else
	root=$work/root
	run=()
	mkdir -p "$root" "$work/dpkg/info" "$work/dpkg/updates" "$work/test"
	dpkg-query -s libc6 >"$work/dpkg/status" # no other one, so that all that is needed is asked for
	touch "$work/dpkg/info/libc6:$(dpkg --print-architecture).list"
	cp "$data/phix.fa" "$data/phix_R1.fastq" "$work/test/"
	dpkg_here=(dpkg --instdir="$root" --admindir="$work/dpkg" --log="$work/dpkg.log")
	installed=$package program=$root/usr/bin/scanmap reads=$work/test
fi

# What dpkg notes of itself, and the folder of the test, are no files of the package.
list() {
	(cd "$root" && find . -xdev \( -path ./test -o -path ./proc -o -path ./sys -o -path ./var/lib/dpkg -o -path ./var/log \) -prune -o -printf '%p %y %m %s\n' | sort)
}
list >"$work/before"
"${dpkg_here[@]}" -i "$installed" >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
list >"$work/installed"
"${run[@]}" env -i "$program" --version
"${run[@]}" env -i "$program" map --quiet -o "$reads/out.bam" --sort "$reads/phix.fa" "$reads/phix_R1.fastq"
"${run[@]}" test -s "$reads/out.bam" -a -s "$reads/out.bam.bai"
cp "$root/usr/share/man/man1/scanmap.1.gz" "$root/usr/share/bash-completion/completions/scanmap" "$work/"
bash -c '. "$0" && complete -p scanmap' "$work/scanmap" >/dev/null
if command -v mandoc >/dev/null; then
	mandoc -T lint -W error "$work/scanmap.1.gz"
fi
"${dpkg_here[@]}" --purge scanmap >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
if "${dpkg_here[@]}" -s scanmap >/dev/null 2>&1; then
	echo "dpkg still knows scanmap" >&2
	exit 1
fi
list >"$work/after"
files=$(comm -13 "$work/before" "$work/installed" | grep -c ' f ')
# A folder that was empty before has the same size again, but a file system may keep it larger.
if ! diff <(sed 's/ d \([0-9]*\) .*/ d \1/' "$work/before") <(sed 's/ d \([0-9]*\) .*/ d \1/' "$work/after"); then
	echo "the package leaves something" >&2
	exit 1
fi
echo "$(basename "$package"): $files files installed, run and removed; nothing is left"
