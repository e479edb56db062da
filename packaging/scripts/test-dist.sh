#!/usr/bin/env bash
# test-dist.sh DIST [NFPM]: tests what dist.sh made: a second run gives the same bytes, and names,
# sums, programs, licences and packages are what they should be (internal/dist). lintian judges the
# Debian packages, and the one for this machine is installed, run and removed.
set -euo pipefail
dist=$(realpath "${1:?the folder of make dist}")
nfpm=${2:-}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As another user would make it: what may differ between two of them does.
mkdir "$work/temporary files"
(umask 077 && TZ=Asia/Kathmandu LC_ALL=C.UTF-8 TMPDIR="$work/temporary files" GOAMD64=v3 GOFLAGS=-buildvcs=false GOARCH=arm64 \
	packaging/scripts/dist.sh "$work/again" $nfpm >/dev/null)
diff -r "$dist" "$work/again"
echo "a second make dist gives the same bytes"

SCANMAP_DIST=$dist SCANMAP_PLATFORMS=${PLATFORMS:-} "${GO:-go}" test -count 1 ./internal/dist

shopt -s nullglob
packages=("$dist"/*.deb)
[ ${#packages[@]} -gt 0 ] || exit 0
if command -v lintian >/dev/null; then
	# The address of the maintainer waits for one that there is.
	lintian --allow-root --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog --fail-on error,warning "${packages[@]}"
	echo "lintian: neither errors nor warnings"
else
	echo "SKIPPED: no lintian here, which judges Debian packages"
fi
for package in "${packages[@]}"; do
	packaging/scripts/test-deb.sh "$package"
done
