#!/usr/bin/env bash
# container.sh DIST KIND TAG: builds a container image of an archive in DIST, for linux and this
# machine's architecture, or ARCHITECTURE. KIND is cpu or gpu. ENGINE is the program that builds, with
# its options: podman, docker or buildah, the first that there is.
set -euo pipefail
dist=$(realpath "${1:?the folder of make dist}")
kind=${2:?cpu or gpu} tag=${3:?the name of the image}
here=$(realpath "$(dirname "$0")/../..")
read -ra engine <<<"${ENGINE:-$(command -v podman docker buildah | head -n 1)}"
[ ${#engine[@]} -gt 0 ] || { echo "no podman, docker or buildah here" >&2; exit 1; }
case ${ARCHITECTURE:=$(uname -m)} in x86_64) ARCHITECTURE=amd64 ;; aarch64) ARCHITECTURE=arm64 ;; esac
case $kind in
	cpu) suffix='' file=Containerfile ;;
	gpu) suffix=-cuda file=gpu.Containerfile ;;
	*) echo "the kind is $kind, not cpu or gpu" >&2; exit 2 ;;
esac

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
archives=("$dist"/scanmap-*-linux-"$ARCHITECTURE$suffix".tar.gz)
umask 022
mkdir -p "$stage/archive" "$stage/root/usr/bin" "$stage/root/usr/share/doc/scanmap"
tar -xzf "${archives[0]}" --strip-components=1 -C "$stage/archive"
cp "$stage/archive/bin/scanmap" "$stage/root/usr/bin/"
cp "$stage/archive/"{LICENSE,LICENCES.txt,sbom.cdx.json} "$stage/root/usr/share/doc/scanmap/"
mkdir -m 1777 "$stage/root/tmp"
"${engine[@]}" build --platform "linux/$ARCHITECTURE" -f "$here/packaging/container/$file" -t "$tag" "$stage"
