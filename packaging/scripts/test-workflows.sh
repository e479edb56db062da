#!/usr/bin/env bash
# Runs the pipelines of packaging/workflows with Snakemake and Nextflow, on this machine and on a
# Slurm of its own, and compares the results with single runs. SLURM=no leaves Slurm out,
# ONLY=nextflow the other engine, and KEEP=FOLDER keeps the results. A line SKIPPED names each missing
# engine. The engines come from PyPI and Maven Central into build/workflows.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=$PWD/build/workflows
mkdir -p "$home"

python=(snakemake==9.27.1 snakemake-executor-plugin-slurm==2.8.0 multiqc==1.35)
nextflow=24.10.4

# Snakemake and MultiQC, which both pipelines need.
if [ "$(cat "$home/venv/versions" 2>/dev/null)" != "${python[*]}" ]; then
	rm -rf "$home/venv"
	if python3 -m venv "$home/venv" >&2 && "$home/venv/bin/pip" install -q "${python[@]}" >&2; then
		echo "${python[*]}" >"$home/venv/versions"
	else
		rm -rf "$home/venv"
		echo "SKIPPED: Snakemake and MultiQC, which Python cannot install here" >&2
	fi
fi

# Nextflow, of that version, once.
if [ ! -d "$home/nextflow-$nextflow" ]; then
	packaging/scripts/install-nextflow.sh "$home" "$nextflow" >&2 ||
		echo "SKIPPED: Nextflow, which cannot be installed here" >&2
fi

"${GO:-go}" build -C tools -o "$home/" ./workflows ./simulate
exec "$home/workflows" -engines "$home" -nextflow "$home/nextflow" \
	-slurm="${SLURM:-yes}" -only="${ONLY:-}" -keep="${KEEP:-}"
