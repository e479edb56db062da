#!/bin/sh
# tools/scripts/fuzz-run.sh PACKED OUT TIME JOBS [TARGETS]: runs what tools/scripts/fuzz-build.sh packed, TIME
# (such as 8m) for each target, JOBS of them at once with one worker each, from the checkout that
# this script lies in. It needs xz and no Go. TARGETS is a regular expression of their names. OUT
# gets a log for each, summary.tsv (package.target, exit, last line) and, under cache, the inputs
# that found new code, with which the next run goes on. What fails also lies in the package's
# testdata/fuzz, and is copied to OUT/failed.
set -eu
packed=$(realpath "$1") time=$3 jobs=$4 wanted=${5:-.}
mkdir -p "$2/cache" "$2/failed"
out=$(realpath "$2")
cd "$(dirname "$0")/../.."
binaries=$(mktemp -d)
trap 'rm -rf "$binaries"' EXIT
for file in "$packed"/*.test*; do
	name=$(basename "$file" .xz)
	case $file in
	*.xz) xz -dc "$file" >"$binaries/$name" && chmod +x "$binaries/$name" ;;
	*) ln -s "$file" "$binaries/$name" ;;
	esac
done
export binaries out time
: >"$out/summary.tsv"
grep -E "$wanted" "$packed/targets.tsv" | xargs -P "$jobs" -L 1 sh -c '
	cd "$1" || exit 1
	code=0 log=$out/${0%.test}.$2.log # targets of two packages may have one name
	"$binaries/$0" -test.run "^\$" -test.fuzz "^$2\$" -test.fuzztime "$time" -test.timeout 0 -test.parallel 1 \
		-test.fuzzminimizetime 5x -test.fuzzcachedir "$out/cache/$1/$2" >"$log" 2>&1 </dev/null || code=$?
	# At the end of a time Go may say "context deadline exceeded", which is no failure of the target.
	if [ $code != 0 ] && ! grep -q "Failing input\|panic\|hung or terminated" "$log" \
		&& grep -q "context deadline exceeded" "$log"; then
		code=0
	fi
	if [ $code != 0 ] && [ -d "testdata/fuzz/$2" ]; then
		mkdir -p "$out/failed/$1/$2"
		cp "testdata/fuzz/$2"/* "$out/failed/$1/$2"
	fi
	last=$(grep "^fuzz: elapsed" "$log" | tail -n 1)
	printf "%s\t%s\t%s\n" "${0%.test}.$2" "$code" "$last" >>"$out/summary.tsv"
' || true
sort -o "$out/summary.tsv" "$out/summary.tsv"
cat "$out/summary.tsv"
! awk -F '\t' '$2 != 0' "$out/summary.tsv" | grep .
