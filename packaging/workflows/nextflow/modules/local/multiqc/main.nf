// MULTIQC makes one report of the statistics of all samples. Its version is not on the topic that
// it waits for.
process MULTIQC {
    label 'process_single'

    conda 'bioconda::multiqc=1.35'
    container 'quay.io/biocontainers/multiqc:1.35--pyhdfd78af_1'

    input:
    path files, stageAs: 'in/*'
    val versions

    output:
    path 'multiqc_report.html', emit: report
    path 'multiqc_data', emit: data

    script:
    def lines = versions.collect { line -> "\"${line}\"" }.join(' ')
    """
    printf '%s\\n' ${lines} > in/scanmap_mqc_versions.yml
    multiqc --force --no-version-check --data-format json in
    """

    stub:
    """
    mkdir multiqc_data
    touch multiqc_report.html
    """
}
