#!/usr/bin/env bash
# module.sh MODULE FOLDER: copies what is tracked into a new folder, and makes it the module of that
# path, such as github.com/owner/scanmap: the lines of go.mod, also in the modules of tools and of the
# example, the imports, and the rules that name packages. Nothing else has to change for
# `go install MODULE/cmd/scanmap@VERSION`.
set -euo pipefail
module=${1:?the path of the module, such as github.com/owner/scanmap}
folder=$(realpath -m "${2:?the folder to make}")
cd "$(dirname "$0")/../.."
old=$(sed -n 's/^module //p' go.mod)
case $module in
	*.*/*) ;;
	*) echo "module.sh: $module is not an address: the part before the first / needs a dot" >&2; exit 2 ;;
esac
[ ! -e "$folder" ] || { echo "module.sh: $folder is there already" >&2; exit 2; }

mkdir -p "$folder"
git ls-files -z --cached | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$folder"
cd "$folder"
"${GO:-go}" mod edit -module "$module"
"${GO:-go}" -C tools mod edit -module "$module/tools"
for nested in tools:../ docs/library:../..; do
	"${GO:-go}" -C "${nested%:*}" mod edit -droprequire "$old" -dropreplace "$old" \
		-require "$module@v0.0.0" -replace "$module=${nested#*:}"
done
# Imports, also those in texts of tests, begin with a quote and the path, links of comments with [.
find . -name '*.go' -exec sed -i -E "s#([\"[])$old/#\1$module/#g" {} +
sed -i -E "s#(pkg: |[[ ])$old/#\1$module/#g" .golangci.yml
if left=$(grep -rnE "(\"|pkg: |\[)$old/" --include='*.go' --include=.golangci.yml .); then
	echo "not changed:"
	echo "$left"
	exit 1
fi >&2
echo "$folder is module $module"
