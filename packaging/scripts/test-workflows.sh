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

# Nextflow. Its plugins are not in Maven Central, and none is needed.
if ! command -v java >/dev/null; then
	echo "SKIPPED: Nextflow, which needs Java" >&2
elif [ ! -s "$home/nextflow-$nextflow.path" ]; then
	mkdir -p "$home/maven"
	cat >"$home/maven/pom.xml" <<-END
		<project xmlns="http://maven.apache.org/POM/4.0.0">
		  <modelVersion>4.0.0</modelVersion>
		  <groupId>scanmap</groupId>
		  <artifactId>workflows</artifactId>
		  <version>1</version>
		  <dependencies>
		    <dependency>
		      <groupId>io.nextflow</groupId>
		      <artifactId>nextflow</artifactId>
		      <version>$nextflow</version>
		      <exclusions>
		        <exclusion><groupId>io.nextflow</groupId><artifactId>nf-httpfs</artifactId></exclusion>
		      </exclusions>
		    </dependency>
		  </dependencies>
		</project>
	END
	if ! command -v mvn >/dev/null ||
		! (cd "$home/maven" && mvn -q -B dependency:build-classpath -Dmdep.outputFile="$home/nextflow-$nextflow.path") >&2; then
		rm -f "$home/nextflow-$nextflow.path"
		echo "SKIPPED: Nextflow, which Maven cannot install here" >&2
	fi
fi

"${GO:-go}" build -C tools -o "$home/" ./workflows ./simulate
exec "$home/workflows" -engines "$home" -nextflow "$home/nextflow-$nextflow.path" \
	-slurm="${SLURM:-yes}" -only="${ONLY:-}" -keep="${KEEP:-}"
