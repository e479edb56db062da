#!/usr/bin/env bash
# Measures scanmap on a GPU, on the CPU beside it, and minimap2 and bwa where they are installed,
# into a folder:
#
#   tools/scripts/bench-gpu.sh OUT
#
# device.json has the ceilings, core-*.json the kernels alone, run-*.json the statistics of whole
# runs, and times.tsv their wall-clock time, user time (seconds) and peak memory (kB).
# Reads and references are made in DATA, which should be memory (12 GB of it). DATA, BASES, READS,
# DEVICES and REPEAT can be set.
#
# This is a script because a machine with a GPU may have no Go: SCANMAP and SIMULATE name programs
# that were built elsewhere, and bash and /usr/bin/time are all else that it needs.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
scanmap=${SCANMAP:-$PWD/bin/scanmap}
data=${DATA:-/dev/shm/scanmap}
bases=${BASES:-3100000000} reads=${READS:-8000000} devices=${DEVICES:-cuda cpu auto} repeat=${REPEAT:-3}
mkdir -p "$data"
cd "$data"
command -v /usr/bin/time >/dev/null || { echo "/usr/bin/time is not installed" >&2; exit 1; }
simulate=${SIMULATE:-$data/simulate}
[ -x "$simulate" ] || (cd "$OLDPWD/tools" && go build -o "$simulate" ./simulate)
[ -s large.fq ] || "$simulate" -random "$bases" -ref large.fa -n "$reads" -o large.fq
[ -s small.fq ] || "$simulate" -random $((bases / 600)) -ref small.fa -n $((reads / 2)) -o small.fq

# core NAME OPTIONS: the kernels alone.
core() {
	local name=$1
	shift
	"$scanmap" bench map --device cuda:0 --bases "$bases" "$@" --json "$out/core-$name.json" >/dev/null
}
case $devices in *cuda*)
	"$scanmap" bench device --json "$out/device.json" >/dev/null
	core random --reads $((reads / 2))
	core random-1M --reads $((reads / 8))
	core planted --repeats-model planted --reads $((reads / 2))
	core alu --repeats-model alu --reads $((reads / 8))
	;;
esac

# timed NAME COMMAND: wall-clock and user time and peak memory of a command whose output is thrown
# away.
timed() {
	local name=$1
	shift
	/usr/bin/time -f "$name\t%e\t%U\t%M" -a -o "$out/times.tsv" "$@" >/dev/null 2>"$out/log.txt" ||
		{ cat "$out/log.txt" >&2; exit 1; }
}
printf 'run\tseconds\tuser\tkB\n' >"$out/times.tsv"
for set in large small; do
	for ((i = 1; i <= repeat; i++)); do
		for device in $devices; do
			timed "$set $device" "$scanmap" map --device "$device" -e 5 --quiet --stats "$out/run-$set-$device-$i.json" "$set.fa" "$set.fq"
		done
	done
done
if command -v minimap2 >/dev/null; then
	minimap2 -x sr -d small.mmi small.fa 2>"$out/log.txt"
	for ((i = 1; i <= repeat; i++)); do timed "small minimap2" minimap2 -t "$(nproc)" -ax sr small.mmi small.fq; done
fi
if command -v bwa >/dev/null; then
	bwa index small.fa >"$out/log.txt" 2>&1
	for ((i = 1; i <= repeat; i++)); do timed "small bwa mem" bwa mem -t "$(nproc)" small.fa small.fq; done
fi
rm -f "$out/log.txt"
cat "$out/times.tsv"
