#!/usr/bin/env bash
# test-module.sh: makes a copy with a module path that is an address (module.sh), has go vet and the
# tests of the rules look at it, and installs the program from it as users would, by
# `go install ADDRESS/cmd/scanmap@VERSION`, from a repository that stands in for the one there.
set -euo pipefail
cd "$(dirname "$0")/../.."
go=${GO:-go}
module=github.com/owner-of-scanmap/scanmap # nobody's
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/scripts/module.sh "$module" "$work/copy"
cd "$work/copy"
export CGO_ENABLED=0
"$go" vet ./...
"$go" vet -C tools ./...
"$go" build -o "$work/built" ./cmd/scanmap
{ "$go" test ./internal/rules -run 'Rules|Width' && "$go" test -C tools ./supply -run Supply; } >"$work/log" || { cat "$work/log"; exit 1; }

version=$(sed -n 's/^const version = "\(.*\)"$/\1/p' cmd/scanmap/version.go)
git init -q -b main .
git add -A
git -c user.name=test -c user.email=test@localhost commit -qm test
git tag "v$version"
cat >"$work/gitconfig" <<-END
	[url "file://$work/copy"]
		insteadOf = https://$module
	[safe]
		directory = *
END
# Modules of others come from the cache of modules; this one goes to a cache that is removed.
mkdir "$work/bin"
GIT_CONFIG_GLOBAL=$work/gitconfig GOPRIVATE=$module GOFLAGS=-modcacherw GOBIN=$work/bin GOTOOLCHAIN=local GONOSUMDB='*' \
	GOPROXY="file://$("$go" env GOMODCACHE)/cache/download,$("$go" env GOPROXY)" GOMODCACHE=$work/modules \
	"$go" install "$module/cmd/scanmap@v$version" 2>"$work/log" || { cat "$work/log"; exit 1; }
[ "$("$work/bin/scanmap" --version)" = "scanmap $version" ]
"$go" version -m "$work/bin/scanmap" | grep -qE "^[[:space:]]mod[[:space:]]$module[[:space:]]v$version"
echo "go install $module/cmd/scanmap@v$version installs $("$work/bin/scanmap" --version)"
