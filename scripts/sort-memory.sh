#!/usr/bin/env bash
# What sorting costs: maps 10 M reads of 36 bases, or as many as the argument says, to a bacterial genome, with and without
# --sort, and sorts what is not sorted with samtools. Prints a Markdown table of seconds and of the largest resident memory of
# each process (VmHWM), with what --sort adds.
#
#   scripts/sort-memory.sh 10000000 512 >build/sort-memory.md
#
# The second argument is --sort-memory in MiB; samtools sort -m is given a share of it for each of its threads, so that it has as
# much in all. The reads are those of a FASTQ file again and again, with other names.
set -euo pipefail
cd "$(dirname "$0")/.."

records=${1:-10000000}
memory=${2:-512}
threads=${THREADS:-2}
scanmap=${SCANMAP:-bin/scanmap}
folder=${FOLDER:-build/sort-memory}
reads=${READS:-../shared/data/reads/dev_portiera_SRR2838702_36bp_R2.fastq.gz}
reference=${REFERENCE:-testdata/portiera.fa.gz}

for tool in samtools /usr/bin/time; do
	command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed" >&2; exit 0; }
done
for file in "$reads" "$reference"; do
	[ -e "$file" ] || { echo "SKIPPED: $file is not there" >&2; exit 0; }
done
mkdir -p "$folder/tmp"

# The files of the runs are large; the reads are kept for the next time.
trap 'rm -rf "$folder"/tmp "$folder"/*.bam "$folder"/*.bam.* "$folder"/*.time' EXIT

many=$folder/$records.fq
if [ ! -s "$many" ]; then
	gzip -dc "$reads" | awk -v n="$records" '
		{line[NR] = $0}
		END {
			for (i = 0; i < n; i++) {
				from = 4 * (i % (NR / 4))
				printf "@%d\n%s\n+\n%s\n", i, line[from + 2], line[from + 4]
			}
		}' >"$many.part"
	mv "$many.part" "$many"
fi

# timed NAME COMMAND...: leaves seconds and KiB in NAME.time
timed() {
	local name=$1
	shift
	/usr/bin/time -f '%e %M' -o "$folder/$name.time" "$@"
}
seconds() { awk '{print $1}' "$folder/$1.time"; }
megabytes() { awk '{printf "%.0f\n", $2 / 1024}' "$folder/$1.time"; }
row() { echo "| $1 | $2 | $3 | $4 |"; }
# counted FILE: a BAM file has as many records as there are reads
counted() {
	local n
	n=$(samtools view -c "$1")
	[ "$n" = "$records" ] || { echo "$1 has $n records, expected $records" >&2; exit 1; }
}

map=("$scanmap" map --quiet -t "$threads" --report one)
share=$((memory / threads))M

timed plain "${map[@]}" -o "$folder/plain.bam" "$reference" "$many"
counted "$folder/plain.bam"
timed sort "${map[@]}" --sort --sort-memory "${memory}M" --tmpdir "$folder/tmp" -o "$folder/sort.bam" "$reference" "$many"
counted "$folder/sort.bam"
[ -e "$folder/sort.bam.bai" ] || [ -e "$folder/sort.bam.csi" ] || { echo "$folder/sort.bam has no index" >&2; exit 1; }
# samtools index refuses what is not in order.
samtools index -o "$folder/again.bam.bai" "$folder/sort.bam"
timed samtools samtools sort -@ "$threads" -m "$share" -T "$folder/tmp/s" --write-index -o "$folder/other.bam##idx##$folder/other.bam.bai" "$folder/plain.bam"
counted "$folder/other.bam"
start=$(date +%s.%N)
timed pipe-map "${map[@]}" --format bam --compression 0 "$reference" "$many" |
	timed pipe-sort samtools sort -@ "$threads" -m "$share" -T "$folder/tmp/p" --write-index -o "$folder/pipe.bam##idx##$folder/pipe.bam.bai" -
end=$(date +%s.%N)
counted "$folder/pipe.bam"

cat <<END
## Sorting $records records

$(date -u +%F), commit $(git describe --always --dirty), $threads threads, $(samtools --version | head -1), \`scripts/sort-memory.sh $records $memory\`

| what | seconds | MiB at most | MiB more than without --sort |
|---|---:|---:|---:|
$(row "scanmap map -o x.bam" "$(seconds plain)" "$(megabytes plain)" "")
$(row "scanmap map --sort --sort-memory ${memory}M -o x.bam, with its index" "$(seconds sort)" "$(megabytes sort)" "$(($(megabytes sort) - $(megabytes plain)))")
$(row "samtools sort -@ $threads -m $share --write-index of that BAM file, alone" "$(seconds samtools)" "$(megabytes samtools)" "")
$(row "scanmap map --format bam --compression 0, piped into the same" "$(echo "$start $end" | awk '{printf "%.2f", $2 - $1}')" "$(megabytes pipe-map) + $(megabytes pipe-sort)" "$(($(megabytes pipe-map) + $(megabytes pipe-sort) - $(megabytes plain)))")
END
