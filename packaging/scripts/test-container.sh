#!/usr/bin/env bash
# test-container.sh DIST [KIND]: builds the image of that kind, cpu or gpu, and runs it as pipelines
# do: its root cannot be written to, no HOME, any user. Without an engine that works here it says so.
# ENGINE names one, with its options; RUN are options of running instead of --network none.
set -euo pipefail
dist=$(realpath "${1:?the folder of make dist}")
kind=${2:-cpu}
cd "$(dirname "$0")/../.."
read -ra more <<<"${RUN:---network none}"
tag=localhost/scanmap-test:$$
work=$(mktemp -d)
container=
cleanup() {
	[ -z "$container" ] || buildah rm "$container" >/dev/null 2>&1 || true
	[ ${#engine[@]} -eq 0 ] || "${engine[@]}" rmi -f "$tag" >/dev/null 2>&1 || true
	rm -rf "$work"
}
engine=()
trap cleanup EXIT
mkdir -m 777 "$work/data" "$work/hello"

# inside ARGUMENTS: runs the image, as a user that no file knows. buildah runs it in a chroot alone.
inside() {
	if [ "$(basename "${engine[0]}")" = buildah ]; then
		container=$("${engine[@]}" from "$tag")
		"${engine[@]}" run --isolation chroot --user 12345:6789 -v "$work/data:/data" "$container" -- "$@" || return
		"${engine[@]}" rm "$container" >/dev/null
	else
		"${engine[@]}" run --rm -i --read-only --user 12345:6789 -v "$work/data:/data" "${more[@]}" --entrypoint "$1" "$tag" "${@:2}"
	fi
}

# works: tells whether an engine can build and run here what has nothing to do with scanmap.
works() {
	"${engine[@]}" build -t "$tag" "$work/hello" >"$work/log" 2>&1 && [ "$(inside /hello 2>>"$work/log" </dev/null)" = hello ] &&
		"${engine[@]}" rmi -f "$tag" >/dev/null
}
printf 'package main\n\nimport "os"\n\nfunc main() { os.Stdout.WriteString("hello\\n") }\n' >"$work/hello/hello.go"
CGO_ENABLED=0 "${GO:-go}" build -o "$work/hello/hello" "$work/hello/hello.go"
printf 'FROM scratch\nCOPY hello /hello\n' >"$work/hello/Containerfile"
cp "$work/hello/Containerfile" "$work/hello/Dockerfile"
if [ -n "${ENGINE:-}" ]; then
	read -ra engine <<<"$ENGINE"
	works || { cat "$work/log"; exit 1; }
else
	for name in podman docker buildah; do
		command -v $name >/dev/null || continue
		engine=("$name")
		if works; then break; fi
		echo "$name does not work here: $(tail -n 1 "$work/log")"
		engine=()
	done
	[ ${#engine[@]} -gt 0 ] || { echo "SKIPPED: no podman, docker or buildah works here, so no image was built"; exit 0; }
fi

ENGINE="${engine[*]}" packaging/scripts/container.sh "$dist" "$kind" "$tag" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cp testdata/phix.fa testdata/phix_R1.fastq "$work/data/"
program=/usr/bin/scanmap
inside $program --version
inside $program map --quiet --no-pg -t 1 -o /data/out.sam /data/phix.fa /data/phix_R1.fastq
inside $program map --quiet --no-pg -t 1 /data/phix.fa - <testdata/phix_R1.fastq >"$work/piped.sam"
inside $program map --quiet --sort --tmpdir /tmp -o /data/out.bam /data/phix.fa /data/phix_R1.fastq
test -s "$work/data/out.bam.bai"
mkdir "$work/unpacked"
tar -xzf "$dist"/scanmap-*-linux-"$(uname -m | sed -e s/x86_64/amd64/ -e s/aarch64/arm64/)".tar.gz --strip-components=1 -C "$work/unpacked"
"$work/unpacked/bin/scanmap" map --quiet --no-pg -t 1 testdata/phix.fa testdata/phix_R1.fastq >"$work/outside.sam"
cmp "$work/outside.sam" "$work/data/out.sam"
cmp "$work/outside.sam" "$work/piped.sam"
if [ "$kind" = gpu ]; then
	inside /bin/bash -c 'ps >/dev/null; scanmap devices; echo "scanmap devices ends with $?"'
fi
echo "${engine[*]}: the $kind image runs, and maps as the program outside does"
