#!/usr/bin/env bash
# install-nextflow.sh FOLDER [VERSION]: installs Nextflow from Maven Central, as the command nextflow of
# FOLDER with its jars beside it. It needs Java 17 or newer, and Maven. Plugins come from elsewhere, and
# only when a pipeline asks for one; the one of packaging/workflows does not.
set -euo pipefail
folder=$(realpath -m "${1:?the folder to install to, such as ~/.local/bin}")
version=${2:-24.10.4}
for program in java mvn; do
	command -v "$program" >/dev/null || { echo "install-nextflow.sh: no $program here, which Nextflow needs (Debian: default-jre, maven)" >&2; exit 1; }
done
jars=$folder/nextflow-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/pom.xml" <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>scanmap</groupId>
  <artifactId>workflows</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.nextflow</groupId>
      <artifactId>nextflow</artifactId>
      <version>$version</version>
      <exclusions>
        <exclusion><groupId>io.nextflow</groupId><artifactId>nf-httpfs</artifactId></exclusion>
      </exclusions>
    </dependency>
  </dependencies>
</project>
END
(cd "$work" && mvn -q -B dependency:copy-dependencies -DoutputDirectory="$work/jars") >&2 ||
	{ echo "install-nextflow.sh: Maven cannot have Nextflow $version" >&2; exit 1; }
mkdir -p "$folder"
rm -rf "$jars"
mv "$work/jars" "$jars"
{
	echo '#!/bin/sh'
	printf 'exec java'
	for name in java.lang java.util java.io java.nio java.net sun.nio.ch sun.nio.fs; do
		printf ' --add-opens=java.base/%s=ALL-UNNAMED' "$name"
	done
	printf ' $NXF_OPTS -cp "%s/*" nextflow.cli.Launcher "$@"\n' "$jars"
} >"$work/nextflow"
chmod 755 "$work/nextflow"
mv "$work/nextflow" "$folder/nextflow"
echo "$folder/nextflow is Nextflow $version"
