process SCANMAP_MAP {
    tag "${meta.id}"
    label 'process_high'
    label 'process_gpu'

    conda "${moduleDir}/environment.yml"
    // HASH is that of bioconda's build, which there is when 0.1.0 is out.
    container "${ workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container ?
        'https://depot.galaxyproject.org/singularity/scanmap:0.1.0--HASH_0' :
        'quay.io/biocontainers/scanmap:0.1.0--HASH_0' }"

    input:
    tuple val(meta), path(reads), path(insert_size)
    tuple val(meta2), path(fasta)
    val sort_bam

    output:
    tuple val(meta), path("*.bam"), emit: bam
    tuple val(meta), path("*.{bai,csi}"), emit: index, optional: true
    tuple val(meta), path("*.stats.json"), emit: stats
    tuple val(meta), path("*_mqc.json"), emit: multiqc
    tuple val("${task.process}"), val('scanmap'), eval("scanmap --version | sed 's/scanmap //'"), emit: versions_scanmap, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def sort = sort_bam ? "--sort --tmpdir ." : ''
    def insert = insert_size ? "\$(cat ${insert_size})" : ''
    // All devices give the same bytes, so that what fails twice on a GPU is tried on the CPU.
    def device = task.accelerator && task.attempt < 3 ? 'cuda' : 'cpu'
    """
    scanmap map \\
        ${args} \\
        ${insert} \\
        ${sort} \\
        --device ${device} \\
        -t ${task.cpus} \\
        --stats ${prefix}.stats.json \\
        --multiqc ${prefix}_mqc.json \\
        -o ${prefix}.bam \\
        ${fasta} \\
        ${reads}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    def index = sort_bam ? "touch ${prefix}.bam.bai" : ''
    """
    touch ${prefix}.bam ${prefix}.stats.json ${prefix}_mqc.json
    ${index}
    """
}
