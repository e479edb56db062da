#!/usr/bin/env bash
# test-recipe.sh: runs the recipe of packaging/bioconda without conda: its build.sh in a copy of what
# is tracked, with the variables that conda-build sets, and then the commands of its tests with no
# other program than those of the system. Python with jinja2 and yaml reads the recipe.
set -euo pipefail
cd "$(dirname "$0")/../.."
recipe=$PWD/packaging/bioconda
if ! python3 -c 'import jinja2, yaml' 2>/dev/null; then
	echo "SKIPPED: no Python with jinja2 and yaml here, which read the recipe"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/source" "$work/prefix/bin" "$work/test"

# The recipe as conda-build would read it; what is asked of it is bioconda's.
python3 - "$recipe/meta.yaml" "$work/version" >"$work/commands" <<-'END'
	import re, sys, jinja2, yaml
	text = open(sys.argv[1]).read()
	functions = dict(compiler=lambda c: c, stdlib=lambda c: c, pin_subpackage=lambda name, **pins: f"{name} {pins['max_pin']}")
	meta = yaml.safe_load(jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text).render(functions))
	def need(holds, what):
	    if not holds:
	        sys.exit(f"meta.yaml: {what}")
	known = {"package", "source", "build", "requirements", "test", "about", "extra"}
	need(set(meta) == known, f"sections {sorted(meta)}")
	need(meta["package"]["name"] == "scanmap", "the name")
	version = meta["package"]["version"]
	need(meta["source"]["url"].endswith(f"/v{version}/scanmap-{version}.tar.gz"), "the address is not that of the release")
	need(re.fullmatch("[0-9a-f]{64}", str(meta["source"]["sha256"]).zfill(64)), "sha256")
	need(meta["build"]["number"] == 0 and meta["build"]["run_exports"], "number or run_exports")
	need(meta["about"]["license"] == "MIT" and "LICENSE" in meta["about"]["license_file"], "licence")
	need({"home", "summary", "doc_url", "dev_url"} <= set(meta["about"]), "about")
	need(not meta["about"]["summary"].startswith("scanmap") and len(meta["about"]["summary"]) <= 100, "summary")
	need(meta["extra"]["recipe-maintainers"], "nobody maintains it")
	open(sys.argv[2], "w").write(version)
	print("\n".join(meta["test"]["commands"]))
END
if [ "$(cat "$work/version")" != "$(sed -n 's/^const version = "\(.*\)"$/\1/p' cmd/scanmap/version.go)" ]; then
	echo "meta.yaml is for version $(cat "$work/version")" >&2
	exit 1
fi

git ls-files -z --cached | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$work/source"
# Modules come from the cache of modules here, and otherwise from where Go takes them.
modules=$(${GO:-go} env GOMODCACHE)/cache/download
path=$(dirname "$(command -v "${GO:-go}")")
(
	cd "$work/source"
	env -i PATH="$path:/usr/bin:/bin" HOME="$work" GOPROXY="file://$modules,$(${GO:-go} env GOPROXY)" GONOSUMDB='*' \
		SRC_DIR="$work/source" PREFIX="$work/prefix" PKG_NAME=scanmap PKG_VERSION="$(cat "$work/version")" \
		bash "$recipe/build.sh"
) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for file in LICENSE LICENCES.txt; do
	test -s "$work/source/$file" || { echo "build.sh leaves no $file" >&2; exit 1; }
done
cd "$work/test"
env -i PATH="$work/prefix/bin:/usr/bin:/bin" bash -euxo pipefail "$work/commands" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
echo "the recipe builds, and its $(wc -l <"$work/commands") test commands pass; files of the package:"
(cd "$work/prefix" && find . -type f | sort)
