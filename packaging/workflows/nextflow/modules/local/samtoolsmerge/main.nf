// SAMTOOLSMERGE makes one indexed BAM of the sorted parts of a sample. Of their @PG, which differ in
// --skip and --take, the first one stays.
process SAMTOOLSMERGE {
    tag "${meta.id}"
    label 'process_medium'

    conda 'bioconda::samtools=1.22.1'
    container 'quay.io/biocontainers/samtools:1.22.1--h96c455f_0'

    input:
    tuple val(meta), path(parts, stageAs: 'parts/*')

    output:
    tuple val(meta), path("${meta.id}.bam"), path("${meta.id}.bam.bai"), emit: bam
    tuple val("${task.process}"), val('samtools'), eval("samtools --version | sed '1!d;s/.* //'"), emit: versions_samtools, topic: versions

    script:
    """
    samtools merge -f -c -p --no-PG -@ ${task.cpus - 1} -o ${meta.id}.bam ${parts}
    samtools index -@ ${task.cpus - 1} ${meta.id}.bam
    """

    stub:
    """
    touch ${meta.id}.bam ${meta.id}.bam.bai
    """
}
