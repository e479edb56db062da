#!/usr/bin/env bash
# release.sh: what a release page needs, for `make release VERSION=0.1.0`.
#
#   release.sh check VERSION            says in a line each what forbids a release, and then fails
#   release.sh notes VERSION            prints the section of CHANGELOG.md
#   release.sh tested                   notes that the tests of `make ci` passed on this commit
#   release.sh pack VERSION DIST OUT    puts what make dist made, source, sums, notes, and the files for
#                                       bioconda, nf-core and snakemake-wrappers into OUT
#
# REPOSITORY is the address of the project, such as https://github.com/owner/scanmap. Where it is
# given, those files have it, and the sum of the source, in place of OWNER and of zeros.
set -euo pipefail
cd "$(dirname "$0")/../.."
# The tree of git that passed the tests: the same files, whatever the message of the commit.
stamp=build/tested

# section VERSION: the lines of its section of CHANGELOG.md, without blank ones around them.
section() {
	awk -v version="$1" '
		/^## / { inside = $2 == version || $2 == version "," ; next }
		inside && (begun || NF) { begun = 1; for (; blank > 0; blank--) if (NF) print ""; if (NF) print; else blank = 1 }
	' CHANGELOG.md
}

check() {
	local version=$1 found=() in_program dirty first
	in_program=$(cat cmd/scanmap/*.go | sed -n 's/^const version = "\(.*\)"$/\1/p')
	if [ -z "$version" ]; then
		found+=("no version is given, as in make release VERSION=$in_program")
	elif [ "$version" != "$in_program" ]; then
		found+=("version $version is not the program's, which is $in_program (const version of cmd/scanmap)")
	fi
	[ -z "$version" ] || [ -n "$(section "$version")" ] || found+=("CHANGELOG.md has no section of $version, or an empty one")
	if ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
		found+=("this is no repository of git with a commit")
	else
		dirty=$(git status --porcelain)
		if [ -n "$dirty" ]; then
			first=${dirty%%$'\n'*}
			found+=("files are not as committed: $(wc -l <<<"$dirty"), the first one ${first:3}")
		fi
		if [ "$(cat "$stamp" 2>/dev/null)" != "$(git rev-parse 'HEAD^{tree}')" ]; then
			found+=("commit $(git rev-parse --short HEAD) was not tested here: make ci")
		fi
		if git rev-parse -q --verify "refs/tags/v$version" >/dev/null && [ "$(git rev-parse "v$version^{commit}")" != "$(git rev-parse HEAD)" ]; then
			found+=("tag v$version is another commit, $(git rev-parse --short "v$version^{commit}")")
		fi
	fi
	[ ${#found[@]} -gt 0 ] || return 0
	printf 'make release: %s\n' "${found[@]}" >&2
	return 1
}

# fill FOLDER SUM: the address and the sum of the source replace OWNER and zeros.
fill() {
	[ -n "${REPOSITORY:-}" ] || return 0
	local address=${REPOSITORY%/} owner
	owner=${address%/*}
	grep -rlE 'OWNER|0{64}' "$1" | while read -r file; do
		sed -i -E "s#https://github.com/OWNER/scanmap#$address#g; s#\bOWNER\b#${owner##*/}#g; s#\b0{64}\b#$2#g" "$file"
	done
}

pack() {
	local version=$1 dist=$2 out=$3 source=scanmap-$1.tar.gz waiting
	rm -rf "$out"
	mkdir -p "$out/files" "$out/for"
	cp "$dist"/*.tar.gz "$dist"/SHA256SUMS "$out/files/"
	cp "$dist"/*.deb "$out/files/" 2>/dev/null || echo "make release: no Debian packages, which need nfpm" >&2
	git archive --format=tar --prefix="scanmap-$version/" HEAD | gzip -9n >"$out/files/$source"
	(cd "$out/files" && sha256sum -- "$source" >>SHA256SUMS && sha256sum --quiet -c SHA256SUMS)
	{
		section "$version"
		echo
		printf '%s\n' 'The sums of all files are in SHA256SUMS: `sha256sum -c SHA256SUMS`. Each archive and package has' \
			'the licences of what is linked, and a bill of materials (CycloneDX).'
	} >"$out/notes.md"

	cp -r packaging/bioconda "$out/for/bioconda"
	cp -r packaging/workflows/nextflow/modules/scanmap "$out/for/nf-core"
	cp -r packaging/workflows/snakemake/wrappers/scanmap "$out/for/snakemake-wrappers"
	fill "$out/for" "$(sha256sum <"$out/files/$source" | cut -d ' ' -f 1)"

	(cd "$out" && find . -type f -path './files/*' -o -name notes.md | sort | sed 's#^\./##')
	# A person has to settle the rest.
	if grep -q "^## $version, unreleased" CHANGELOG.md; then
		echo "still to do: CHANGELOG.md says that $version is unreleased"
	fi
	[ -n "${MAINTAINER:-}" ] || echo "still to do: MAINTAINER='Name <address>' for the Debian packages, which have nobody's"
	if waiting=$(grep -rlE 'OWNER|0{64}|--HASH' "$out/for"); then
		echo "still to do: $(wc -l <<<"$waiting") files below for/ wait for REPOSITORY, or for the hash of bioconda's build (docs/releasing.md)"
	fi
	echo "then: git tag -s v$version && git push origin v$version; the notes and files are in $out"
}

case ${1:-} in
check) check "${2:-}" ;;
notes) section "${2:?the version}" ;;
tested)
	if [ -z "$(git status --porcelain 2>/dev/null || echo none)" ]; then
		mkdir -p build
		git rev-parse 'HEAD^{tree}' >"$stamp"
	fi
	;;
pack) pack "${2:?the version}" "${3:?the folder of make dist}" "${4:?the folder to make}" ;;
*) sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
