#!/usr/bin/env bash
# dist.sh OUT [NFPM]: makes what is handed out, into OUT: an archive for each platform and, with the
# program nfpm, Debian packages; SHA256SUMS has the sums of all. The same commit, Go, tar and gzip
# give the same bytes. PLATFORMS says for which platforms, as OS/ARCHITECTURE.
set -euo pipefail
out=$(realpath -m "${1:?the folder to write to}")
nfpm=${2:-}
[ -z "$nfpm" ] || nfpm=$(realpath "$nfpm")
cd "$(dirname "$0")/../.."
go=${GO:-go}
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/arm64}
version=$(sed -n 's/^const version = "\(.*\)"$/\1/p' cmd/scanmap/version.go)
maintainer=${MAINTAINER:-The scanmap authors <scanmap@localhost>} # until there is an address

# Nothing of the caller's surroundings goes into the files. Their time is that of the commit.
umask 022
export LC_ALL=C TZ=UTC GOFLAGS=-buildvcs=auto GOEXPERIMENT= GOAMD64=v1 GOARM64=v8.0 CGO_ENABLED=0
unset GOOS GOARCH
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 315532800) # 1 January 1980
fi
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out" "$work/share"

# What does not depend on the platform comes from the program for this one.
"$go" build -trimpath -o "$work/host" ./cmd/scanmap
"$go" build -C tools -o "$work/supply" ./supply
(
	cd "$work/share"
	mkdir -p man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d
	"$work/host" man >man/man1/scanmap.1
	"$work/host" completion bash >bash-completion/completions/scanmap
	"$work/host" completion zsh >zsh/site-functions/_scanmap
	"$work/host" completion fish >fish/vendor_completions.d/scanmap.fish
)

# archive OS ARCHITECTURE NAME TAGS: builds one program, and packs what belongs to it.
archive() {
	local folder=$work/$3
	mkdir -p "$folder/bin"
	GOOS=$1 GOARCH=$2 "$go" build -trimpath -tags "$4" -ldflags '-s -w' -o "$folder/bin/scanmap" ./cmd/scanmap
	"$work/supply" -texts "$folder/LICENCES.txt" -sbom "$folder/sbom.cdx.json" "$folder/bin/scanmap" >/dev/null
	cp LICENSE README.md CHANGELOG.md "$folder/"
	cp -r "$work/share" "$folder/"
	tar --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
		-C "$work" -cf - "$3" | gzip -9n >"$out/$3.tar.gz"
	echo "$3.tar.gz"
}

# debian ARCHITECTURE FOLDER: makes a package of what is in the folder of an archive.
debian() {
	local stage=$work/debian-$1
	mkdir -p "$stage"
	cp -r "$work/$2/." "$stage/"
	gzip -9n "$stage/share/man/man1/scanmap.1" "$stage/CHANGELOG.md" "$stage/LICENCES.txt" "$stage/sbom.cdx.json"
	cp packaging/debian/lintian-overrides "$stage/"
	sed -n '/^Permission is hereby/,$p' LICENSE | sed -e 's/^$/./' -e 's/^/ /' | cat packaging/debian/copyright - >"$stage/copyright"
	gzip -9n >"$stage/changelog.Debian.gz" <<-END
		scanmap ($version-1) unstable; urgency=medium

		  * What is new is in changelog.gz.

		 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
	END
	find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	local configuration=$PWD/packaging/debian/nfpm.yaml
	(cd "$stage" && ARCH=$1 VERSION=$version MAINTAINER=$maintainer "$nfpm" package -f "$configuration" -p deb \
		-t "$out/scanmap_$version-1_$1.deb" >/dev/null)
	echo "scanmap_$version-1_$1.deb"
}

for platform in $platforms; do
	os=${platform%/*} architecture=${platform#*/}
	name=scanmap-$version-$os-$architecture
	# purego, which opens the GPU's driver, needs the C library's loader, and so a program that is
	# linked dynamically. The one without it is static, and runs anywhere.
	archive "$os" "$architecture" "$name" nocuda
	if [ "$os" = linux ]; then
		archive "$os" "$architecture" "$name-cuda" ""
		[ -z "$nfpm" ] || debian "$architecture" "$name-cuda"
	fi
done
[ -n "$nfpm" ] || echo "SKIPPED: Debian packages, which need nfpm"
(cd "$out" && sha256sum -- *.tar.gz $([ -z "$nfpm" ] || ls -- *.deb) >SHA256SUMS)
