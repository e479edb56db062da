#!/usr/bin/env bash
# Puts the peers, with the libraries that they need, tools and data into a folder that runs on any
# Linux of the same processor, without packages and without Go:
#
#   scripts/pack-peers.sh FOLDER ref/yeast_R64-1-1_toplevel.fa.gz ...
#   cd FOLDER && CORES=2,3 ./run.sh -scanmap ./scanmap -commit COMMIT -tsv cells.tsv -repeat 3
#
# The files are those of the data (SCANMAP_DATA, or ../shared/data); run.sh takes the options of
# tools/benchpeers. Peers that are not installed are left out.
set -euo pipefail
out=$1
shift
data=${SCANMAP_DATA:-../shared/data}
mkdir -p "$out/bin" "$out/exe" "$out/lib" "$out/data"
for tool in benchpeers simulate; do
	CGO_ENABLED=0 go build -C tools -trimpath -ldflags '-s -w' -o "$out/bin/$tool" "./$tool"
done
for peer in razers3 yara_mapper yara_indexer minimap2 bwa bowtie2-align-s bowtie2-build-s columba columba_build; do
	file=$(command -v "$peer") || { echo "$peer is not installed" >&2; continue; }
	file=$(readlink -f "$file")
	if ! libraries=$(ldd "$file" 2>/dev/null); then # it needs none
		cp "$file" "$out/bin/$peer"
		continue
	fi
	cp "$file" "$out/exe/$peer"
	awk '$3 ~ /^\// {print $3} $1 ~ /^\// {print $1}' <<<"$libraries" | xargs cp -Lt "$out/lib"
	cat >"$out/bin/$peer" <<-END
		#!/bin/sh
		here=\${0%/*}/..
		exec "\$here/lib/ld-linux-x86-64.so.2" --library-path "\$here/lib" "\$here/exe/$peer" "\$@"
	END
	chmod +x "$out/bin/$peer"
done
strip "$out"/exe/* 2>/dev/null || true
for file in "$@"; do
	mkdir -p "$out/data/${file%/*}"
	cp "$data/$file" "$out/data/$file"
done
{
	dpkg-query -W -f '${Package} ${Version}\n' seqan-apps minimap2 bwa bowtie2 2>/dev/null || true
	# The first line of its help ends in the version.
	if [ -e "$out/bin/columba" ]; then "$out/bin/columba" --help | awk 'NR == 1 {print "columba", $NF}'; fi
} | awk '{printf "%s%s", (NR > 1 ? ", " : ""), $0}' >"$out/versions"
cat >"$out/run.sh" <<'END'
#!/bin/sh
# CORES: where all run (2,3 if not set); WORK: folder of what is unpacked, simulated and indexed.
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$here/bin:$PATH" SCANMAP_DATA="$here/data"
exec taskset -c "${CORES:-2,3}" "$here/bin/benchpeers" -folder "${WORK:-$here/work}" \
	-versions "$(cat "$here/versions")" "$@"
END
chmod +x "$out/run.sh"
