#!/bin/bash
set -o errexit -o nounset -o pipefail -o xtrace

export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-modcacherw
export GOPATH="${SRC_DIR}/.go" GOCACHE="${SRC_DIR}/.cache"

# CUDA's driver is opened at run time, where there is one: nothing of CUDA is needed here.
go build -trimpath -buildvcs=false -ldflags="-s -w" -o "${PREFIX}/bin/scanmap" ./cmd/scanmap

# What runs here is built for this machine, also where the package is for another one.
here=(env -u GOOS -u GOARCH go)
"${here[@]}" build -C tools -o "${SRC_DIR}/supply" ./supply
./supply -texts LICENCES.txt "${PREFIX}/bin/scanmap"
"${here[@]}" build -o scanmap-here ./cmd/scanmap
mkdir -p "${PREFIX}/share/man/man1" "${PREFIX}/share/bash-completion/completions" \
	"${PREFIX}/share/zsh/site-functions" "${PREFIX}/share/fish/vendor_completions.d"
./scanmap-here man >"${PREFIX}/share/man/man1/scanmap.1"
./scanmap-here completion bash >"${PREFIX}/share/bash-completion/completions/scanmap"
./scanmap-here completion zsh >"${PREFIX}/share/zsh/site-functions/_scanmap"
./scanmap-here completion fish >"${PREFIX}/share/fish/vendor_completions.d/scanmap.fish"
