// COUNTREADS counts the reads of the first file of a sample, FASTQ of four lines each or FASTA.
process COUNTREADS {
    tag "${meta.id}"
    label 'process_single'

    input:
    tuple val(meta), path(reads, stageAs: 'reads/*')

    output:
    tuple val(meta), stdout, emit: reads

    script:
    def first = reads instanceof List ? reads[0] : reads
    """
    case ${first} in
        *.bz2) bzip2 -cd ${first} ;;
        *.zst) zstd -cd ${first} ;;
        *) gzip -cdf ${first} ;;
    esac | awk 'NR == 1 { fasta = /^>/ } fasta && /^>/ { n++ } END { print fasta ? n : int((NR + 3) / 4) }'
    """

    stub:
    """
    echo ${(params.reads_per_part as long) * 2 + 1}
    """
}
