process SCANMAP_MERGESTATS {
    tag "${meta.id}"
    label 'process_single'

    conda "${moduleDir}/environment.yml"
    // HASH is that of bioconda's build, which there is when 0.1.0 is out.
    container "${ workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container ?
        'https://depot.galaxyproject.org/singularity/scanmap:0.1.0--HASH_0' :
        'quay.io/biocontainers/scanmap:0.1.0--HASH_0' }"

    input:
    tuple val(meta), path(stats, stageAs: 'parts/?/*')

    output:
    tuple val(meta), path("*.stats.json"), emit: stats
    tuple val(meta), path("*_mqc.json"), emit: multiqc
    tuple val(meta), path("*.html"), emit: html
    tuple val("${task.process}"), val('scanmap'), eval("scanmap --version | sed 's/scanmap //'"), emit: versions_scanmap, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    scanmap merge-stats \\
        ${args} \\
        --stats ${prefix}.stats.json \\
        --multiqc ${prefix}_mqc.json \\
        --report-html ${prefix}.html \\
        ${stats}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.stats.json ${prefix}_mqc.json ${prefix}.html
    """
}
