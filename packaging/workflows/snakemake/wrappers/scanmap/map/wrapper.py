__author__ = "The authors of scanmap"
__copyright__ = "Copyright 2026, the authors of scanmap"
__license__ = "MIT"

from shutil import move

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
sort = snakemake.params.get("sort", "none")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

reads = snakemake.input.reads
if isinstance(reads, str):
    reads = [reads]
if len(reads) not in (1, 2):
    raise ValueError("input.reads must be one file, or two files of mates")

output = snakemake.output.get("bam", snakemake.output[0])
if not output.endswith((".sam", ".sam.gz", ".bam")):
    raise ValueError(f"scanmap writes .sam, .sam.gz and .bam, not {output}")
if sort not in ("none", "coordinate"):
    raise ValueError(f"params.sort must be none or coordinate, not {sort}")

# Insert sizes of the whole, as scanmap insert-size prints them, make parts equal to it.
insert = snakemake.input.get("insert_size", "")
if insert:
    with open(insert) as file:
        extra += " " + file.read().strip()

gpus = snakemake.resources.get("gpu", 0)
device = snakemake.params.get("device", "cuda" if gpus else "cpu")

reports = ""
for option in ("stats", "multiqc", "report_html", "unmapped", "discordant"):
    if name := snakemake.output.get(option):
        reports += f" --{option.replace('_', '-')} {name}"

# Temporary files go to TMPDIR, which is resources.tmpdir, and have no names. An option would put a name
# that differs into the header.
sorting = "--sort" if sort == "coordinate" else ""
shell(
    "scanmap map"
    " -t {snakemake.threads}"
    " --device {device}"
    " {extra} {sorting} {reports}"
    " -o {output}"
    " {snakemake.input.ref}"
    " {reads}"
    " {log}"
)

# scanmap writes the index of a sorted BAM beside it.
if (index := snakemake.output.get("idx")) and index != output + ".bai":
    move(output + ".bai", index)
