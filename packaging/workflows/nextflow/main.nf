#!/usr/bin/env nextflow
// Pairs or reads of several samples -> parts -> sorted BAM of each sample, statistics, one report.
// docs/pipelines.md says how to run it, and docs/mapping.md#parts why parts add up to the whole.

// Channels by topic are a preview in 24.10, and need no flag from 25.04 on.
nextflow.preview.topic = true

include { COUNTREADS         } from './modules/local/countreads/main'
include { MULTIQC            } from './modules/local/multiqc/main'
include { SAMTOOLSMERGE      } from './modules/local/samtoolsmerge/main'
include { SCANMAP_INSERTSIZE } from './modules/scanmap/insertsize/main'
include { SCANMAP_MAP        } from './modules/scanmap/map/main'
include { SCANMAP_MERGESTATS } from './modules/scanmap/mergestats/main'

// fileOf is a file of the sample sheet; a relative name is beside the sheet.
def fileOf(name, sheet) {
    def anywhere = name.startsWith('/') || name.contains('://')
    return file(anywhere ? name : "${sheet.parent.toUriString()}/${name}", checkIfExists: true)
}

// librariesOf makes of each line of the sample sheet its meta map and files. Its columns are separated
// by tabs where the header has one, and otherwise by commas.
def librariesOf(sheet) {
    def tabs = sheet.withReader { reader -> reader.readLine() ?: '' }.contains('\t')
    def rows = sheet.splitCsv(header: true, strip: true, sep: tabs ? '\t' : ',')
    if (!rows) {
        error("${sheet}: has no samples")
    }
    def seen = [] as Set
    return rows.collect { row ->
        if (!(row.sample ==~ /[A-Za-z0-9_.-]+/) || !row.fastq_1) {
            error("${sheet}: a line needs sample (letters, digits, _ . -) and fastq_1: ${row}")
        }
        if (!seen.add(row.sample)) {
            error("${sheet}: ${row.sample} is there twice; a sample has one line")
        }
        def single = !row.fastq_2
        def files = [fileOf(row.fastq_1, sheet)] + (single ? [] : [fileOf(row.fastq_2, sheet)])
        return tuple([id: row.sample, single_end: single], files)
    }
}

// partsOf gives the meta maps of the parts that so many reads, or pairs, are mapped in. The last
// part has no end, so that every read is mapped, and the end of the file read, whatever the number.
def partsOf(meta, reads, size) {
    def parts = Math.max(1, (reads + size - 1).intdiv(size) as int)
    return (0..<parts).collect { i ->
        meta + [part: i + 1, parts: parts, skip: i * size, take: i + 1 < parts ? size : 0]
    }
}

workflow SCANMAP {
    take:
    libraries // channel: [ meta, [ reads ] ] or [ meta, [ reads, mates ] ]
    fasta     // value: [ meta, fasta ]
    size      // value: most reads, or pairs, of a part

    main:
    COUNTREADS(libraries)

    // Insert sizes are estimated once for a sample: all its parts take the same.
    SCANMAP_INSERTSIZE(libraries.filter { meta, _files -> !meta.single_end }, fasta)
    sizes = SCANMAP_INSERTSIZE.out.options.mix(
        libraries.filter { meta, _files -> meta.single_end }.map { meta, _files -> tuple(meta, []) }
    )

    parts = libraries
        .join(sizes)
        .join(COUNTREADS.out.reads)
        .flatMap { meta, files, insert, reads ->
            partsOf(meta, reads.trim() as long, size).collect { part -> tuple(part, files, insert) }
        }
    SCANMAP_MAP(parts, fasta, true)

    // Parts end in any order; sorted by name, what follows is the same task at every run.
    bams = SCANMAP_MAP.out.bam
        .map { meta, bam -> tuple(groupKey(meta.subMap('id', 'single_end'), meta.parts), meta.part, bam) }
        .groupTuple()
        .map { key, numbers, files -> tuple(key.target, inOrder(numbers, files)) }
    counts = SCANMAP_MAP.out.stats
        .map { meta, json -> tuple(groupKey(meta.subMap('id', 'single_end'), meta.parts), meta.part, json) }
        .groupTuple()
        .map { key, numbers, files -> tuple(key.target, inOrder(numbers, files)) }
    SAMTOOLSMERGE(bams)
    SCANMAP_MERGESTATS(counts)

    versions = channel.topic('versions')
        .map { _process, tool, version -> "${tool}: '${version.trim()}'".toString() }
        .unique()
        .toSortedList()
    MULTIQC(
        SCANMAP_MERGESTATS.out.multiqc.map { _meta, json -> json }.toSortedList { a, b -> a.name <=> b.name },
        versions,
    )

    emit:
    bam    = SAMTOOLSMERGE.out.bam      // channel: [ meta, bam, bai ]
    stats  = SCANMAP_MERGESTATS.out.stats // channel: [ meta, json ]
    report = MULTIQC.out.report
}

// inOrder sorts the files of parts by their numbers.
def inOrder(numbers, files) {
    return [numbers, files].transpose().sort { pair -> pair[0] }.collect { pair -> pair[1] }
}

workflow {
    main:
    if (!params.input || !params.fasta) {
        error('--input SHEET.csv (sample, fastq_1, fastq_2) and --fasta REF.fa are needed')
    }
    if ((params.reads_per_part as long) < 1) {
        error('--reads_per_part is at least 1')
    }
    SCANMAP(
        channel.fromList(librariesOf(file(params.input, checkIfExists: true))),
        channel.value(tuple([id: 'reference'], file(params.fasta, checkIfExists: true))),
        params.reads_per_part as long,
    )
}
