"""`deniable gwas scan`: every variant's counts and statistics, for the owner of the study."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.gwas.association.hardy_weinberg import hardy_weinberg_p_value
from deniable.gwas.association.inflation import as_one_degree, genomic_inflation
from deniable.gwas.association.mantel_haenszel import mantel_haenszel_chi_squared
from deniable.gwas.association.statistics import (
    allele_frequency,
    allelic_chi_squared,
    chi_squared_p_value,
    genotypic_chi_squared,
    genotypic_degrees,
    trend_chi_squared,
)
from deniable.gwas.association.threshold import chi_squared_threshold
from deniable.gwas.chromosomes import AUTOSOMES
from deniable.gwas.files.counts_file import ScanColumns, check_place, write_scan
from deniable.gwas.files.filters import Filters
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.reading import counted_study
from deniable.gwas.genotypes import CountedStudy, MissingRule
from deniable.gwas.owner.gwas_ssf import write_gwas_ssf
from deniable.gwas.owner.scanned import Scan

if TYPE_CHECKING:
    from deniable.gwas.owner import private_plot
    from deniable.gwas.scores import distance
else:
    distance = late("deniable.gwas.scores.distance")
    private_plot = late("deniable.gwas.owner.private_plot")

FORMATS = ("table", "gwas-ssf")
STATISTICS = ("allelic", "genotypic", "trend", "cmh", "distance")


def scan(
    prefix: str | Path,
    *,
    statistic: str = "allelic",
    threshold: str | float = "bonferroni",
    phenotype: str | Path | None = None,
    phenotype_name: str | None = None,
    missing: str = "refuse",
    multiallelic: str = "refuse",
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    strata: str | Path | None = None,
    out: str | Path | None = None,
    format: str = "table",
    plot: str | Path | None = None,
    top: int = 10,
    progress: Progress | None = None,
) -> Scan:
    r"""Count and test every variant of a study.

    The numbers are PLINK's. Variants on X, Y and mitochondria are left out, as not everybody has
    two copies there; their number is `not_autosomal`. Hardy–Weinberg equilibrium is tested in
    controls who have no parents in the pedigree.

    Parameters
    ----------
    prefix : path
        PREFIX of PREFIX.bed, .bim and .fam, or else of .pgen, .pvar and .psam; or a file .vcf,
        .vcf.gz, .bcf or .bgen, or a .tsv of counts.
    statistic : {"allelic", "genotypic", "trend", "cmh", "distance"}
        χ² of alleles (1 degree of freedom), of genotypes (2, or 1 where a genotype does not occur),
        of Cochran and Armitage's trend (1) or of Cochran, Mantel and Haenszel's comparison within
        strata (1), or the signed number of genotypes that must change for the opposite
        significance.
    threshold : "bonferroni" or float
        For `distance`: a variant is significant if its allelic χ² reaches the upper quantile of
        this p-value in (0, 1), by default .05 shared among the variants of the file.
    phenotype : path, optional
        Family, individual, phenotype: 1 control, 2 case, 0 or −9 unknown; or several phenotypes
        below a header that begins with FID IID or #IID.
    phenotype_name : str, optional
        Which of several phenotypes, in that file or in the .psam or .sample file.
    missing : {"refuse", "major", "panel"}
        "major" reads missing calls as two copies of allele 2. With "refuse" χ² leaves them out of
        their variant, as PLINK does, and `distance` refuses them.
    multiallelic : {"refuse", "leave-out", "split"}
        What becomes of lines with several alternative alleles. "split" makes each a variant.
    filters : Filters, optional
        Which variants and people are looked at: public lists and rules, and a reference panel.
    autosomes : int
        Pairs of autosomes of the species, as PLINK's --chr-set: X has the next number.
    strata : path, optional
        For `cmh`: family, individual, stratum, as PLINK's --within.
    out : path, optional
        A TSV with a row a variant.
    format : {"table", "gwas-ssf"}
        Of `out`: all counts, or the columns in which catalogues take summary statistics, without
        the variants that they cannot hold (`Scan.left_out`).
    plot : path, optional
        A file .html or .svg: a Manhattan plot of all variants, in .html a QQ plot below it, marked
        NOT FOR PUBLICATION.
    top : int
        How many variants `Scan.as_json` shows, >= 0.
    progress : callable, optional
        Called with the fraction of genotypes counted, 0 to 1.

    Returns
    -------
    Scan
        Counts and statistics; nothing in it is protected.

    Raises
    ------
    InvalidArgument
        If an argument is out of its range, a file is missing, or a place cannot be written to.
    DataError
        If a file cannot be read, or `distance` meets missing calls.

    Examples
    --------
    >>> import tempfile
    >>> from deniable import gwas
    >>> names = "variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2".split()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "counts.tsv"
    ...     rows = names, ["rs1", "2", "5", "3", "6", "3", "1"]
    ...     _ = table.write_text("".join("\t".join(row) + "\n" for row in rows))
    ...     found = gwas.scan(table)
    >>> found.as_json()["top"][0]["statistic"]
    3.75
    """
    kind = validate.one_of(statistic, STATISTICS, "statistic")
    rule = MissingRule.of(validate.one_of(missing, ["refuse", "major", "panel"], "missing"))
    shown = validate.integer(top, "top", least=0)
    chi_squared_threshold(threshold, 1)
    if (kind == "cmh") != (strata is not None):
        raise InvalidArgument(
            "Expected statistic=cmh and a file of strata (--strata) together, got one of the two."
        )
    if plot is not None:
        private_plot.check_plot(Path(plot))
    _check_format(format, out, kind)
    if rule is MissingRule.REFUSE and kind != "distance":
        rule = MissingRule.LEAVE
    study = counted_study(
        prefix,
        phenotype=phenotype,
        phenotype_name=phenotype_name,
        missing=rule,
        multiallelic=multiallelic,
        filters=filters,
        autosomes=autosomes,
        strata=strata,
        progress=progress,
    )
    columns = _columns(study, kind, threshold)
    left_out = 0 if out is None else _written(Path(out), format, study, columns)
    found = Scan(
        study,
        kind,
        columns,
        _largest(columns.statistic, shown),
        genomic_inflation(_one_degree(study, kind, columns)),
        left_out,
    )
    if plot is not None:
        private_plot.write_private_plot(found, Path(plot))
    return found


def _check_format(format: str, out: str | Path | None, kind: str) -> None:
    wanted = validate.one_of(format, FORMATS, "format")
    if out is not None:
        check_place(Path(out))
    if wanted == "gwas-ssf" and (out is None or kind not in ("allelic", "trend")):
        raise InvalidArgument(
            'Expected a place, and p-values of its odds ratios, for the format "gwas-ssf", got '
            "none. Name a file with --out, and take --statistic allelic or trend."
        )


def _written(path: Path, format: str, study: CountedStudy, columns: ScanColumns) -> int:
    """Write the table; how many variants it cannot hold."""
    if format == "gwas-ssf":
        return write_gwas_ssf(path, study, columns.p_value)
    write_scan(path, study, columns)
    return 0


def _columns(study: CountedStudy, kind: str, threshold: str | float) -> ScanColumns:
    statistic, p_value = _statistic(study, kind, threshold)
    return ScanColumns(
        allele_frequency=allele_frequency(study.counts),
        hwe_p_value=hardy_weinberg_p_value(
            study.counts.controls if study.founder_controls is None else study.founder_controls
        ),
        statistic=statistic,
        p_value=p_value,
    )


def _statistic(
    study: CountedStudy, kind: str, threshold: str | float
) -> tuple[NDArray[np.float64] | NDArray[np.int64], NDArray[np.float64]]:
    counts = study.counts
    if kind == "distance":
        line = chi_squared_threshold(threshold, len(counts))
        score = distance.signed_distance(counts.cases, counts.controls, line)
        return score, np.full(len(counts), np.nan)
    if kind == "genotypic":
        chi_squared = genotypic_chi_squared(counts)
        return chi_squared, chi_squared_p_value(chi_squared, genotypic_degrees(counts))
    if study.strata is not None:
        chi_squared = mantel_haenszel_chi_squared(study.strata)
    else:
        chi_squared = trend_chi_squared(counts) if kind == "trend" else allelic_chi_squared(counts)
    return chi_squared, chi_squared_p_value(chi_squared, 1)


def _one_degree(study: CountedStudy, kind: str, columns: ScanColumns) -> NDArray[np.float64]:
    """What λ is the median of: χ² with 1 degree of freedom, or as improbable; of distances theirs.

    A distance is one to a value of the allelic χ².
    """
    if kind == "distance":
        return allelic_chi_squared(study.counts)
    if kind == "genotypic":
        return as_one_degree(columns.p_value)
    return np.asarray(columns.statistic, dtype=np.float64)


def _largest(statistic: NDArray[np.float64] | NDArray[np.int64], number: int) -> NDArray[np.intp]:
    order = np.argsort(-statistic, kind="stable")  # NaN comes last
    return order[~np.isnan(statistic[order])][:number]
