#!/bin/sh
# tools/scripts/fuzz-build.sh [OUT]: one instrumented test binary for each package that has fuzz targets,
# stripped and packed by xz (not with PACK=no), for machines without Go; tools/scripts/fuzz-run.sh runs
# them there. OUT is build/fuzz by default, and OUT/targets.tsv says what is in it: binary, folder,
# target.
set -eu
cd "$(dirname "$0")/../.."
out=${1:-build/fuzz}
go=${GO:-go}
mkdir -p "$out"
rm -f "$out"/*.test "$out"/*.test.xz "$out/targets.tsv"
for folder in $(grep -rlE '^func Fuzz[A-Za-z]+\(' --include='*_test.go' . | sed 's|^\./||; s|/[^/]*$||' | sort -u); do
	name=$(echo "$folder" | tr / -).test
	# -fuzz with -c counts coverage, by which the fuzzer finds its way; its value changes nothing.
	CGO_ENABLED=0 "$go" test -c -fuzz=. -trimpath -ldflags '-s -w' -o "$out/$name" "./$folder"
	(cd "$folder" && "$OLDPWD/$out/$name" -test.list '^Fuzz') | while read -r target; do
		printf '%s\t%s\t%s\n' "$name" "$folder" "$target" >>"$out/targets.tsv"
	done
	if [ "${PACK:-yes}" != no ]; then
		xz -T0 -f "$out/$name"
	fi
done
cat "$out/targets.tsv"
du -ch "$out"/*.test*
