#!/bin/sh
# tools/scripts/stress-run.sh PACKED OUT ROUNDS JOBS: runs packed tests (PACKAGE.test.xz, `/` as `_`)
# ROUNDS times each, JOBS processes at once, from the checkout that this script lies in. It needs xz
# and no Go. OUT gets the output of those that failed, and summary.tsv: package, round, exit code.
set -eu
packed=$(realpath "$1") rounds=$3 jobs=$4
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/../.."
binaries=$(mktemp -d)
trap 'rm -rf "$binaries"' EXIT
for file in "$packed"/*.test.xz; do
	xz -dc "$file" >"$binaries/$(basename "$file" .xz)" && chmod +x "$binaries/$(basename "$file" .xz)"
done
export binaries out
: >"$out/summary.tsv"
for round in $(seq "$rounds"); do
	for file in "$binaries"/*; do echo "$(basename "$file" .test) $round"; done
done | xargs -P "$jobs" -L 1 sh -c '
	cd "$(echo "$0" | tr _ /)"
	code=0
	"$binaries/$0.test" -test.timeout 9m >"$out/$0.$1.log" 2>&1 </dev/null || code=$?
	printf "%s\t%s\t%s\n" "$0" "$1" "$code" >>"$out/summary.tsv"
	if [ $code = 0 ]; then rm "$out/$0.$1.log"; fi
' || true
