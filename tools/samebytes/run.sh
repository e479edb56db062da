#!/bin/sh
# Prints a sum of all that each call of calls.txt writes: its files, its standard output, what it
# says and its exit code, without times and without what depends on the machine. Run it for two
# builds from the root of the repository, and compare:
#
#	tools/samebytes/run.sh build/old/scanmap > old.txt
#	tools/samebytes/run.sh build/scanmap > new.txt; diff old.txt new.txt
#
# A second argument, an expression of grep, picks calls by name.
set -f
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cp "$1" "$folder/scanmap"
T=$PWD/testdata D=$PWD/../shared/data
grep -v '^#' "${0%/*}/calls.txt" | grep -e "${2:-.}" | while read -r name call; do
	mkdir "$folder/out"
	call=$(printf %s "$call" | sed "s,\$T,$T,g;s,\$D,$D,g")
	# shellcheck disable=SC2086 # words of a call are arguments
	(cd "$folder/out" && ../scanmap $call --quiet > stdout 2> stderr; echo $? > code)
	[ ! -e "$folder/out/x.json" ] || sed -i '/_second\|seconds\|throughput\|candidates\|"items"\|bytes\|version\|"time"/d' "$folder/out/x.json"
	sum=$(cd "$folder/out" && cat code && find . -type f | sort | xargs md5sum | md5sum)
	printf '%s\t%s\n' "$name" "$(printf %s "$sum" | tr '\n' '\t' | cut -f 1,2 | cut -d' ' -f 1)"
	[ -z "$KEEP" ] || { mkdir -p "$KEEP" && cp -r "$folder/out" "$KEEP/$name"; }
	rm -r "$folder/out"
done
