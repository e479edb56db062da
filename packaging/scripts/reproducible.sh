#!/usr/bin/env bash
# reproducible.sh [dist [NFPM]]: builds scanmap twice, from copies in two folders, each with an empty
# cache of builds, and fails unless both binaries have the same bytes; with dist, all that dist.sh
# makes. Modules come from the cache of modules.
set -euo pipefail
what=${1:-program}
nfpm=${2:-}
[ -z "$nfpm" ] || nfpm=$(realpath "$nfpm")
cd "$(dirname "$0")/../.."
go=${GO:-go}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/a" "$work/some/longer path/b"
for folder in "$work/a" "$work/some/longer path/b"; do
	if git rev-parse --git-dir >/dev/null 2>&1; then # what is tracked, with the changes that there are
		git ls-files -z --cached | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$folder"
	else
		tar --exclude=./build --exclude=./bin -cf - . | tar -xf - -C "$folder"
	fi
	# The copies are no repositories, so that the commit, which Go notes otherwise, is left out.
	if [ "$what" = dist ]; then
		(cd "$folder" && GO=$go GOCACHE="$folder.cache" packaging/scripts/dist.sh dist "$nfpm" >/dev/null)
		continue
	fi
	(cd "$folder" && GOCACHE="$folder.cache" CGO_ENABLED=0 "$go" build -buildvcs=false -trimpath -o bin/scanmap ./cmd/scanmap)
done
if [ "$what" = dist ]; then
	diff -r "$work/a/dist" "$work/some/longer path/b/dist"
	cat "$work/a/dist/SHA256SUMS"
	echo "reproducible: two runs of dist.sh by $("$go" env GOVERSION) have the same bytes"
	exit 0
fi
read -r first _ < <(sha256sum "$work/a/bin/scanmap")
read -r second _ < <(sha256sum <"$work/some/longer path/b/bin/scanmap")
echo "$first  from one folder"
echo "$second  from another"
if [ "$first" != "$second" ]; then
	echo "the two builds differ" >&2
	exit 1
fi
echo "reproducible: two builds by $("$go" env GOVERSION) have the same bytes"
