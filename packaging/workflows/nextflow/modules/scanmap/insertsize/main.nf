process SCANMAP_INSERTSIZE {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    // HASH is that of bioconda's build, which there is when 0.1.0 is out.
    container "${ workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container ?
        'https://depot.galaxyproject.org/singularity/scanmap:0.1.0--HASH_0' :
        'quay.io/biocontainers/scanmap:0.1.0--HASH_0' }"

    input:
    tuple val(meta), path(reads)
    tuple val(meta2), path(fasta)

    output:
    tuple val(meta), path("*.insert_size.txt"), emit: options
    tuple val("${task.process}"), val('scanmap'), eval("scanmap --version | sed 's/scanmap //'"), emit: versions_scanmap, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    scanmap insert-size \\
        ${args} \\
        --device cpu \\
        -t ${task.cpus} \\
        ${fasta} \\
        ${reads} \\
        > ${prefix}.insert_size.txt
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.insert_size.txt
    """
}
