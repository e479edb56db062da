#!/usr/bin/env bash
# lint.sh: has the linters of those who take our files judge them: Snakemake, snakefmt and black the
# pipeline and the wrapper, nf-core the modules; and nf-test runs the tests of the modules. NF_CORE is
# the repository nf-core/modules, whose schemas nf-core reads. What is missing here is said to be
# SKIPPED. The linters come from PyPI into build/lint.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
workflows=$root/packaging/workflows
home=$root/build/lint
remote=https://github.com/nf-core/modules.git
modules=${NF_CORE:-$remote}
names=(map insertsize mergestats)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

linters=(snakemake==9.27.1 snakefmt==2.1.0 black==26.10.1 nf-core==4.2.1)
if [ "$(cat "$home/versions" 2>/dev/null)" != "${linters[*]}" ]; then
	rm -rf "$home"
	if ! { python3 -m venv "$home" && "$home/bin/pip" install -q "${linters[@]}"; } >&2; then
		rm -rf "$home"
		echo "SKIPPED: linters of pipelines, which Python cannot install here"
		exit 0
	fi
	echo "${linters[*]}" >"$home/versions"
fi
PATH=$home/bin:$PATH

snakefmt --check "$workflows/snakemake"
black --check --quiet "$workflows/snakemake"
echo "snakefmt and black: nothing to change"

printf 'sample,fastq_1,fastq_2\nphix,%s,\n' "$root/testdata/phix_R1.fastq" >"$work/samples.csv"
cp -r "$workflows/snakemake/wrappers/scanmap/map/test" "$work/wrapper"
lint() { # FOLDER OPTION...: snakemake --lint says so if it found nothing
	(cd "$1" && snakemake --lint "${@:2}" 2>&1) >"$work/log" && grep -q '^Congratulations' "$work/log" || { cat "$work/log"; exit 1; }
}
lint "$work" -s "$workflows/snakemake/Snakefile" --config "samples=$work/samples.csv" "fasta=$root/testdata/phix.fa"
lint "$work/wrapper"
echo "snakemake --lint: nothing found"

# nf-core and nf-test look at modules where they are to be: in a repository like nf-core/modules.
stand=$work/modules
mkdir -p "$stand/modules/nf-core" "$stand/tests/config" "$work/data/genomics/sarscov2/illumina/fastq" "$work/data/genomics/sarscov2/genome"
cp -r "$workflows/nextflow/modules/scanmap" "$stand/modules/nf-core/scanmap"
printf 'repository_type: modules\norg_path: nf-core\n' >"$stand/.nf-core.yml"
cat >"$stand/tests/config/nextflow.config" <<-END
	params.modules_testdata_base_path = '$work/data/'
	process {
	    cpus   = 1
	    memory = 1.GB
	}
END
git init -q -b master "$stand"
git -C "$stand" remote add origin "$remote"
git -C "$stand" add -A
git -C "$stand" -c user.name=lint -c user.email=lint@localhost commit -qm lint

# What is checked of images needs one that is out, and Nextflow 25.04.4.
later='docker_tag|singularity_tag'
if ! command -v nextflow >/dev/null; then
	echo "SKIPPED: nf-core and nf-test, which need nextflow (packaging/scripts/install-nextflow.sh)"
	exit 0
fi
export NXF_DISABLE_CHECK_LATEST=true
if ! git ls-remote -q --exit-code "$modules" HEAD >/dev/null 2>&1; then
	echo "SKIPPED: nf-core modules lint, which reads $modules (NF_CORE=REPOSITORY names another)"
else
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.$modules.insteadOf" GIT_CONFIG_VALUE_0=$remote
	failed=no
	for name in "${names[@]}"; do
		(cd "$stand" && HOME=$work COLUMNS=200 nf-core modules lint "scanmap/$name" --plain-text 2>&1) >"$work/log" || true
		grep -q 'LINT RESULTS SUMMARY' "$work/log" || { cat "$work/log"; exit 1; }
		if found=$(sed -n '/Tests\? Failed$/,/LINT RESULTS/p' "$work/log" | grep -E '^scanmap/[a-z]+ [a-z_]+ *$' | grep -vE " ($later) *$"); then
			sed -n '/Tests\? Failed$/,/LINT RESULTS/p' "$work/log"
			failed=yes
		fi
		echo "nf-core modules lint scanmap/$name: $(grep -E 'Tests? (Passed|Warnings?|Failed) *$' "$work/log" | tail -3 | tr -s ' \n' '  ')"
	done
	[ $failed = no ] || exit 1
fi

if ! command -v nf-test >/dev/null; then
	echo "SKIPPED: nf-test is not here, which tests the modules"
	exit 0
fi
# Reads of phiX174 stand in for those of nf-core's test data, and the snapshots are theirs.
data=$work/data/genomics/sarscov2
for mate in 1 2; do
	gzip -9nc "testdata/phix_R$mate.fastq" >"$data/illumina/fastq/test_$mate.fastq.gz"
done
cp testdata/phix.fa "$data/genome/genome.fasta"
cat >"$stand/nf-test.config" <<-END
	config {
	    testsDir   = "."
	    workDir    = ".nf-test"
	    configFile = "tests/config/nextflow.config"
	    profile    = ""
	}
END
(cd "$stand" && PATH=$root/bin:$PATH nf-test test --ci modules) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -E 'Executed [0-9]+ tests' "$work/log" | sed 's/.*Executed/nf-test: executed/'
