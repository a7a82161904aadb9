"""`deniable gwas scan`: every variant's counts and statistics, for the owner of the study."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.gwas import association, files
from deniable.gwas.association import copies
from deniable.gwas.files import Filters
from deniable.gwas.files.arrow import csv, pa
from deniable.gwas.genotypes import (
    AS_ARRAYS,
    AUTOSOMES,
    CountedStudy,
    MissingRule,
    chromosome_name,
    release_rule,
)
from deniable.numerics.answer import Answer, fields_of
from deniable.numerics.effort import Effort
from deniable.numerics.operating_system import whole_file

if TYPE_CHECKING:
    from deniable.gwas.owner import private_plot
    from deniable.gwas.scores import distance
else:
    distance = late("deniable.gwas.scores.distance")
    private_plot = late("deniable.gwas.owner.private_plot")


@attrs.frozen(repr=False)
class Scan(Answer):
    """A scanned study; nothing in it is protected.

    Parameters
    ----------
    study : CountedStudy
        Variants and counts.
    statistic : str
        Which one stands in `columns`.
    columns : ScanColumns
        Statistics by variant, in file order.
    top : array of int, shape (at most `top`,)
        Rows of the largest statistics, the first in the file first among equals.
    lambda_gc : float or None
        Genomic control's λ: the median χ² of the autosomal variants on which it is defined, over
        0.4549. Of the allelic χ² where the statistic is the distance; for 2 degrees of freedom from
        the χ² with 1 that is as improbable. None where it is defined on none.
    left_out : int
        Variants that the written table cannot hold.
    """

    OWNER_ONLY = True

    study: CountedStudy
    statistic: str
    columns: files.ScanColumns
    top: NDArray[np.intp] = attrs.field(eq=AS_ARRAYS)
    lambda_gc: float | None = None
    left_out: int = 0

    def as_json(self) -> dict[str, Any]:
        """What `deniable gwas scan` prints."""
        variants = self.study.variants
        return {
            **fields_of(self.study, "individuals", "cases", "controls"),
            "variants": len(self.study.variants),
            "missing_calls": self.study.missing_calls,
            "top": [
                {
                    "variant": variants.identifier[index],
                    "chromosome": variants.chromosome[index],
                    "position": int(variants.position[index]),
                    "statistic": self.columns.statistic[index].item(),
                    "p_value": None if np.isnan(p) else float(p),
                }
                for index, p in zip(self.top.tolist(), self.columns.p_value[self.top], strict=True)
            ],
            **fields_of(self.study, "not_autosomal", "multiallelic_left_out"),
            **fields_of(self, "lambda_gc", "left_out"),
        }

    def plot(self, kind: Literal["manhattan", "qq"] = "manhattan") -> Any:
        """Every variant along the genome, or p-values against what chance gives: for the owner.

        Parameters
        ----------
        kind : {"manhattan", "qq"}
            Heights along the genome; or observed against expected −log10 p.

        Returns
        -------
        altair.Chart
            Marked as not for publication; needs the extra gwas.
        """
        return private_plot.private_chart(self, kind)


COLUMNS = (
    "chromosome", "base_pair_location", "effect_allele", "other_allele", "beta", "standard_error",
    "effect_allele_frequency", "p_value", "rsid", "n",
)  # fmt: skip
"""The first eight in the standard's order, then those that it encourages and we know."""

MISSING = "#NA"
_ALLELE = re.compile(r"[ACGT]+")
_RSID = re.compile(r"rs[0-9]+")


def write_gwas_ssf(
    path: Path, study: CountedStudy, p_value: NDArray[np.float64], autosomes: int = AUTOSOMES
) -> int:
    r"""A row a variant that the standard can hold, in file order; how many were left out.

    The effect is the allelic log odds ratio of allele 1, with its standard error

    .. math:: \beta = \ln\frac{a d}{b c}, \qquad
              \mathrm{SE} = \sqrt{\frac 1a + \frac 1b + \frac 1c + \frac 1d}

    of copies a, b of alleles 1 and 2 in cases and c, d in controls: what `plink --assoc` gives as
    OR and, with --ci, as SE. Where a cell is empty neither is finite, and the standard takes
    numbers only. Left out are such variants, those whose alleles are not two different words of A,
    C, G and T, and those that stand on no numbered chromosome or at no position above 0.
    """
    counts, variants = study.counts, study.variants
    sizes = association.count_called(counts.cases), association.count_called(counts.controls)
    first = copies(counts.cases), copies(counts.controls)
    cells = np.stack([first[0], 2 * sizes[0] - first[0], first[1], 2 * sizes[1] - first[1]])
    cells = cells.astype(np.float64)
    # The standard's numbers of people's chromosomes, 23 of X and its regions; 0 for none.
    known = {str(number): number for number in range(1, min(autosomes, AUTOSOMES) + 1)}
    known |= dict.fromkeys(("X", "XY", "PAR1", "PAR2", f"{autosomes + 3}"), 23)
    spelled = map(chromosome_name, variants.chromosome.tolist())
    numbers = np.array([known.get(word, 0) for word in spelled], dtype=np.int64)
    words = [
        bool(_ALLELE.fullmatch(one) and _ALLELE.fullmatch(other) and one != other)
        for one, other in zip(variants.allele_1, variants.allele_2, strict=True)
    ]
    kept = np.array(words, dtype=bool) & (numbers > 0) & (variants.position > 0)
    kept &= (cells > 0).all(axis=0) & ~np.isnan(p_value)
    a, b, c, d = cells[:, kept]
    both = sizes[0] + sizes[1]
    named = variants.take(kept)
    names = [name if _RSID.fullmatch(name) else MISSING for name in named.identifier.tolist()]
    columns = (
        numbers[kept],
        named.position,
        named.allele_1,
        named.allele_2,
        np.log(a) - np.log(b) - np.log(c) + np.log(d),
        np.sqrt(1 / a + 1 / b + 1 / c + 1 / d),
        (first[0] + first[1])[kept] / (2 * both[kept]),
        p_value[kept],
        names,
        both[kept],
    )
    arrays = {name: pa.array(each) for name, each in zip(COLUMNS, columns, strict=True)}
    as_tsv = csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
    with whole_file(path, new=True) as file:
        file.write("\t".join(COLUMNS).encode() + b"\n")
        csv.write_csv(pa.table(arrays), file, as_tsv)
    return int(np.count_nonzero(~kept))


FORMATS = ("table", "gwas-ssf")
STATISTICS = ("allelic", "genotypic", "trend", "cmh", "distance")


def scan(
    prefix: files.StudyPath,
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
    progress: files.Progress | None = None,
    effort: Effort | None = None,
) -> Scan:
    r"""Count and test every variant of a study.

    The numbers are PLINK's. Variants on X, Y and mitochondria are left out, as not everybody has
    two copies there; their number is `not_autosomal`. Hardy–Weinberg equilibrium is tested in
    controls who have no parents in the pedigree.

    Parameters
    ----------
    prefix : path
        PREFIX of PREFIX.bed, .bim and .fam, or else of .pgen, .pvar and .psam; or a file .vcf,
        .vcf.gz, .bcf, .bgen or .vcz (VCF Zarr), or a .tsv of counts. Several, one with {chr} in its
        name for the names of chromosomes, or a folder, are parts of one study, of the same people.
    statistic : {"allelic", "genotypic", "trend", "cmh", "distance"}
        χ² of alleles (1 degree of freedom), of genotypes (2, or 1 where a genotype does not occur),
        of Cochran and Armitage's trend (1) or of Cochran, Mantel and Haenszel's comparison within
        strata (1), or the signed number of genotypes that must change for the opposite
        significance.
    threshold : "bonferroni" or float
        For `distance`: a variant is significant if its allelic χ² reaches the upper quantile of
        this p-value in (0, 1), by default 0.05 shared among the variants of the file.
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
    effort : Effort, optional
        The machines that count: `workers`, the `scheduler` of a Dask cluster, the `memory` of a
        process, and a `checkpoint` folder. Counts are the same in all ways. A checkpoint holds
        exact counts of the study.
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
    ...     answer = gwas.scan(table)
    >>> answer.as_json()["top"][0]["statistic"]
    3.75
    """
    kind = validate.one_of(statistic, STATISTICS, "statistic")
    rule = release_rule(missing)
    n_listed = validate.integer(top, "top", least=0)
    association.chi_squared_threshold(threshold, 1)
    if (kind == "cmh") != (strata is not None):
        raise InvalidArgument(
            "Expected statistic=cmh and a file of strata (--strata) together, got one of the two."
        )
    if plot is not None:
        private_plot.check_plot(Path(plot))
    _check_format(format, out, kind)
    if rule is MissingRule.REFUSE and kind != "distance":
        rule = MissingRule.LEAVE
    study = files.count_study(
        prefix,
        phenotype=phenotype,
        phenotype_name=phenotype_name,
        missing=rule,
        multiallelic=multiallelic,
        filters=filters,
        autosomes=autosomes,
        strata=strata,
        owner=True,
        progress=progress,
        effort=effort,
    )
    (columns, one_degree), left_out = _columns(study, kind, threshold), 0
    if out is not None and format == "gwas-ssf":
        left_out = write_gwas_ssf(Path(out), study, columns.p_value, autosomes)
    elif out is not None:
        files.write_scan(Path(out), study, columns)
    order = np.argsort(-columns.statistic, kind="stable")  # NaN comes last
    largest = order[~np.isnan(columns.statistic[order])][:n_listed]
    inflation = association.genomic_inflation(one_degree)
    answer = Scan(study, kind, columns, largest, inflation, left_out)
    if plot is not None:
        private_plot.write_private_plot(answer, Path(plot))
    return answer


def _check_format(format: str, out: str | Path | None, kind: str) -> None:
    wanted = validate.one_of(format, FORMATS, "format")
    if out is not None:
        validate.new_file(Path(out))
    if wanted == "gwas-ssf" and (out is None or kind not in ("allelic", "trend")):
        raise InvalidArgument(
            'Expected a place, and p-values of its odds ratios, for the format "gwas-ssf", got '
            "none. Name a file with --out, and take --statistic allelic or trend."
        )


def _columns(
    study: CountedStudy, kind: str, threshold: str | float
) -> tuple[files.ScanColumns, NDArray[np.float64]]:
    """What is written, and χ² with 1 degree of freedom, or as improbable, whose median is λ."""
    counts, own = study.counts, study.founder_controls
    degrees: int | NDArray[np.int64] = 1
    if study.strata is not None:
        chi_squared = association.mantel_haenszel_chi_squared(study.strata)
    elif kind == "genotypic":
        chi_squared = association.genotypic_chi_squared(counts)
        degrees = association.genotypic_degrees(counts)
    else:  # a distance is one to a value of the allelic χ²
        trend, allelic = association.trend_chi_squared, association.allelic_chi_squared
        chi_squared = (trend if kind == "trend" else allelic)(counts)
    statistic: NDArray[np.float64] | NDArray[np.int64] = chi_squared
    p_value = association.chi_squared_p_value(chi_squared, degrees)
    if kind == "genotypic":
        chi_squared = association.as_one_degree(p_value)
    elif kind == "distance":
        line = association.chi_squared_threshold(threshold, len(counts))
        statistic = distance.signed_distance(counts.cases, counts.controls, line)
        p_value = np.full(len(counts), np.nan)
    frequency = association.allele_frequency(counts)
    equilibrium = association.hardy_weinberg_p_value(counts.controls if own is None else own)
    return files.ScanColumns(frequency, equilibrium, statistic, p_value), chi_squared
