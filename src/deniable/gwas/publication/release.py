"""Release a study: exact scores and counts, handed to the pipeline part by part."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.model import Charged
from deniable.gwas import certificates
from deniable.gwas.association import (
    allelic_chi_squared,
    genomic_inflation,
    mantel_haenszel_chi_squared,
    trend_chi_squared,
)
from deniable.gwas.files import (
    FamilyPath,
    Filters,
    Progress,
    StudyFiles,
    StudyPath,
    count_study,
)
from deniable.gwas.genotypes import AUTOSOMES, CountedStudy, check_published_names
from deniable.gwas.pages import Reach, extents
from deniable.gwas.public_filters import Families
from deniable.gwas.publication.families import family_as_json
from deniable.gwas.publication.kind import KIND
from deniable.gwas.publication.noisy_alleles import allele_counts
from deniable.gwas.publication.published_study import publish_alleles, reach, study_plot
from deniable.gwas.publication.request import (
    PreparedStudy,
    StudyRequest,
    check_strata,
    prepare_study,
)
from deniable.gwas.publication.windows import Loci, check_rounds, parse_window
from deniable.gwas.scores import Score, StudyAdjacency, scores
from deniable.ledger.ledger import Ledger
from deniable.numerics.answer import WrittenAnswer, fields_of
from deniable.numerics.effort import Effort
from deniable.pipeline.charging import account_of
from deniable.pipeline.release import Draws, Exact, publish
from deniable.report.heading import given_words


@attrs.frozen(repr=False)
class ReleasedStudy(WrittenAnswer):
    """What was published of a study, and where.

    Parameters
    ----------
    certificate : StudyCertificate
        What holds, why and for whom.
    released : tuple of ReleasedVariant
        The chosen variants, in order.
    out : Path
        The folder.
    reach : Reach
        What such a release can find; from public numbers only.
    ledger : Charged or None
        What the release was charged to; None without a ledger.
    not_autosomal : int
        Variants on X, Y and mitochondria, which were left out by their chromosomes' public names.
    """

    certificate: certificates.StudyCertificate
    released: tuple[certificates.ReleasedVariant, ...]
    out: Path
    reach: Reach
    ledger: Charged | None = None
    not_autosomal: int = 0

    @property
    def sensitivity(self) -> float:
        """How far a neighbouring study moves a score, in the score's unit."""
        part = self.certificate.selection.part
        return 0.0 if part.sensitivity is None else part.sensitivity.value * (part.step or 0.0)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas release` prints."""
        certificate = self.certificate
        answer = {
            "released": [each.variant for each in self.released],
            **fields_of(certificate.guarantee, "epsilon", "gamma", "gamma_outside"),
            "prior": [certificate.adversary.low, certificate.adversary.high],
            "prior_source": certificate.study_adversary.source,
            "score": certificate.selection.score,
            "sensitivity": self.sensitivity,
            "adjacency": certificate.unit.adjacency,
            **fields_of(self, "out", "not_autosomal"),
            **family_as_json(certificate),
            "reach": {"unit": certificate.selection.score_unit, **self.reach.as_json()},
        }
        noisy = [(each.variant, each.noisy) for each in self.released if each.noisy is not None]
        if noisy:
            answer["statistics"] = [{"variant": who, **attrs.asdict(of)} for who, of in noisy]
        return answer if self.ledger is None else answer | {"ledger": self.ledger.as_json()}

    def plot(self) -> Any:
        """The published variants along the genome.

        Returns
        -------
        altair.Chart
            Of public numbers only, as in the report; needs the extra gwas.
        """
        return study_plot(self.certificate, self.released)


def release(
    prefix: StudyPath,
    out: str | os.PathLike[str],
    *,
    top: int,
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
    epsilon: float | None = None,
    prior: tuple[float, float] | None = None,
    adjacency: StudyAdjacency | str = StudyAdjacency.GENOTYPE,
    score: Score | str = Score.DISTANCE,
    threshold: str | float = "bonferroni",
    phenotype: str | os.PathLike[str] | None = None,
    phenotype_name: str | None = None,
    missing: str = "refuse",
    multiallelic: str = "refuse",
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    strata: str | os.PathLike[str] | None = None,
    publish_statistics: bool = False,
    window_kb: float | None = None,
    window_cm: float | None = None,
    genetic_map: str | os.PathLike[str] | None = None,
    family_size: int | None = None,
    families: FamilyPath | None = None,
    report: Mapping[str, str] | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    effort: Effort | None = None,
    progress: Progress | None = None,
    tell_inflation: Callable[[float], None] | None = None,
) -> ReleasedStudy:
    r"""Publish the most significant variants of a study, in order, and no more than that.

    Parameters
    ----------
    prefix, phenotype, phenotype_name, multiallelic, filters, autosomes, effort, progress
        As in `scan`.
    out : path
        A new or empty folder; gets results.parquet, results.csv, certificate.json, report.html.
    top : int
        How many variants, >= 1.
    gamma, max_posterior, attack_success, advantage, epsilon : float, optional
        The largest factor on a belief, >= 1, the largest belief after, the largest share of right
        answers or advantage of an attack, or a budget ε > 0; exactly one of them.
    prior : (float, float), optional
        The bounds [a, b] of what the adversary may believe before: an assumption, which the
        certificate calls so. By default the adjacency's: [0, 1], or cases / participants.
    adjacency : StudyAdjacency or str
        "genotype": is this person's genome among the participants'; "swap": is this known
        participant a case.
    score : Score or str
        "distance", "allelic", "genotypic", "trend" or "stratified".
    threshold : "bonferroni" or float
        For the distance and the stratified score: the p-value at which significance begins, by
        default 0.05 shared among the variants of the file.
    missing : {"refuse", "major", "panel"}
        "refuse" where it is public that no call is missing: a study with one is refused. "major"
        reads missing calls as two copies of allele 2.
    strata : path, optional
        For the stratified score: family, individual, stratum, as PLINK's --within. Who is of which
        stratum, or under "genotype" the numbers of cases and controls in each, count as public.
    publish_statistics : bool
        Publish noisy allele counts of the chosen variants too, for half of the budget.
    window_kb : float, optional
        After each choice, remove all variants within so many kilobases of the chosen one, so that
        `top` variants are `top` loci; > 0.
    window_cm, genetic_map : float and path, optional
        The same in centimorgans on a public map, a .map or .bim file.
    family_size : int, optional
        The most participants of one family: what is protected is then the family, all in the study
        or all out of it. Public, and never read off the study; under "genotype" only. An `epsilon`
        stays each genome's.
    families : "fam" or path, optional
        Refuse the study if a family has more participants: by the first column of its .fam or .psam
        file, where 0 is no family, or by a file of family, individual, group.
    report : mapping, optional
        Words for the report, which change no number: title, organisation, study, contact,
        text.
    ledger, dataset : Ledger or path or URL, and str, optional
        Where the release is charged before its noise is drawn, and whose budget: both or neither.
        The dataset has replace-one neighbours, no entity, and the adjacency as its unit word.
    tell_inflation : callable, optional
        Called with genomic control's λ once everything is written, if it is defined: computed
        without protection, for the owner's eyes only. Nothing else knows it.

    Returns
    -------
    ReleasedStudy
        What was published; nothing in it was computed from genotypes without noise.

    Raises
    ------
    InvalidArgument
        If an argument is out of range, a file is missing or `out` is not free; if the dataset is
        about others, the panel is the study, or a variant's name begins like a formula.
    DataError
        If a file cannot be read, or calls are missing and `missing` is "refuse".
    InfeasibleTarget
        If no noise meets the target.
    BudgetExceeded
        If it does not fit what is left in the ledger; nothing is spent then.
    LedgerError
        If the ledger cannot be read or written.

    References
    ----------
    tramer-2015, §4 (the evaluation); johnson-shmatikov-2013 (the distance score).

    Examples
    --------
    >>> import tempfile
    >>> from deniable import gwas
    >>> names = "variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2".split()
    >>> rows = [names, ["rs1", "5", "25", "70", "60", "30", "10"]]
    >>> rows += [[f"rs{i}", "25", "50", "25", "25", "50", "25"] for i in range(2, 9)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "counts.tsv"
    ...     _ = table.write_text("".join("\t".join(row) + "\n" for row in rows))
    ...     answer = gwas.release(table, Path(folder) / "out", top=1, epsilon=20.0)
    >>> answer.as_json()["released"]
    ['rs1']
    """
    words, files = given_words(report or {}), StudyFiles.of(prefix)
    targets = {"gamma": gamma, "max_posterior": max_posterior, "attack_success": attack_success}
    targets |= {"advantage": advantage, "epsilon": epsilon}
    selected: dict[str, Any] = {"prior": prior, "adjacency": adjacency, "score": score}
    selected |= {"threshold": threshold, "missing": missing, "dataset": dataset, "top": top}
    selected |= {"targets": targets, "statistics": publish_statistics}
    selected |= {"window": parse_window(window_kb, window_cm, genetic_map)}
    relatives = Families.of(families, family_size, StudyAdjacency(adjacency))
    request = StudyRequest(**selected, families=relatives)
    check_strata(request.score, given=strata is not None)
    account = account_of(ledger, dataset, words.get("title"), files.first.stem)
    how: dict[str, Any] = {"phenotype": phenotype, "phenotype_name": phenotype_name}
    how |= {"multiallelic": multiallelic, "filters": filters, "autosomes": autosomes}
    how |= {"strata": strata, "missing": request.missing, "progress": progress, "effort": effort}
    seen: list[CountedStudy] = []

    def prepare() -> tuple[PreparedStudy, Draws[certificates.ReleasedVariant]]:
        seen.append(count_study(files, families=request.families, **how))
        return _prepare(request, seen[0], words, genetic_map)

    done = publish(KIND, out, prepare, lambda _: account)
    _tell(seen[0], request.score, tell_inflation)
    made, rows, study_reach = done.certificate, tuple(done.rows), reach(done.prepared)
    return ReleasedStudy(made, rows, done.out, study_reach, made.ledger, seen[0].not_autosomal)


def _prepare(
    request: StudyRequest,
    study: CountedStudy,
    words: Mapping[str, str],
    genetic_map: str | os.PathLike[str] | None,
) -> tuple[PreparedStudy, Draws[certificates.ReleasedVariant]]:
    """The request for a study of this size and on these chromosomes, and its draws."""
    check_published_names(study.variants)
    sizes = () if study.strata is None else study.strata.sizes
    strata = tuple(certificates.Stratum(*each) for each in sizes)
    size = certificates.StudySize(study.cases, study.controls, len(study.variants), strata)
    places = extents(study.variants.chromosome, study.variants.position)
    chromosomes = tuple(certificates.Chromosome(name, *extent) for name, extent in places.items())
    prepared = prepare_study(request, size, chromosomes, words, study.filters)
    loci = None
    if request.window is not None:  # what goes with each selected variant may not be all there is
        loci = Loci.of(study.variants, request.window, genetic_map)
        check_rounds(request.top, loci)
    return prepared, _draws(study, prepared, loci)


def _tell(
    study: CountedStudy, score: Score, tell_inflation: Callable[[float], None] | None
) -> None:
    """Tell λ of the χ² that the score rests on, after the release.

    One that is called off because of it would tell of it. It is computed whether or not anybody
    listens.
    """
    if study.strata is not None:
        statistic = mantel_haenszel_chi_squared(study.strata)
    else:
        kind = trend_chi_squared if score is Score.TREND else allelic_chi_squared
        statistic = kind(study.counts)
    inflation = genomic_inflation(statistic)
    if tell_inflation is not None and inflation is not None:
        tell_inflation(inflation)


def _draws(
    study: CountedStudy, prepared: PreparedStudy, loci: Loci | None
) -> Draws[certificates.ReleasedVariant]:
    """The scores first, then exact counts of the variants that noise has chosen."""
    request, selection = prepared.request, prepared.selection
    computed = scores(
        study.counts,
        score=request.score,
        adjacency=request.adjacency,
        threshold=request.threshold,
        strata=study.strata,
    )
    if computed.selection(request.top) != selection.part or computed.threshold != prepared.line:
        raise AssertionError("scores were computed on another grid than noise was calibrated for")
    removed = None if loci is None else loci.around
    (selected,) = yield Exact(selection.mechanism, selection.part, computed.steps[None, :], removed)
    noisy: list[certificates.NoisyAlleles | None] = [None] * len(selected)
    if (planned := prepared.statistics) is not None:
        exact = allele_counts(study.counts, selected.tolist())
        counts = yield Exact(planned.mechanism, planned.part, exact)
        noisy = [*publish_alleles(counts, prepared)]
    variants = study.variants.take(selected)
    rows = zip(*(of.tolist() for of in attrs.astuple(variants, recurse=False)), noisy, strict=True)
    return [
        certificates.ReleasedVariant(rank, name, chromosome, position, one, other, about)
        for rank, (chromosome, name, position, one, other, about) in enumerate(rows, start=1)
    ]
