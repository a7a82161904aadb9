"""Publish the allele frequencies of a public list of variants, with noise."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.model import Charged
from deniable.errors import DataError, InvalidArgument, ReleaseCancelled
from deniable.gwas.allele_frequencies.kind import KIND, publish_rows
from deniable.gwas.allele_frequencies.request import (
    FrequencyRequest,
    PreparedFrequencies,
    allele_totals,
    noise_advice,
    prepare_frequencies,
)
from deniable.gwas.certificates import Frequencies, FrequenciesCertificate, StudySize, in_columns
from deniable.gwas.files import (
    FamilyPath,
    Filters,
    Progress,
    StudyFiles,
    StudyPath,
    check_allele_order,
    check_file,
    count_study,
    rows,
)
from deniable.gwas.genotypes import (
    AUTOSOMES,
    CountedStudy,
    MissingRule,
    Variants,
    check_published_names,
    format_name,
)
from deniable.gwas.public_filters import Families
from deniable.gwas.publication import family_as_json
from deniable.gwas.scores import StudyAdjacency
from deniable.ledger.ledger import Ledger
from deniable.numerics.answer import WrittenAnswer, fields_of
from deniable.numerics.effort import Effort
from deniable.pipeline.charging import account_of
from deniable.pipeline.release import Draws, Exact, publish
from deniable.report.heading import given_words

Listed: TypeAlias = str | os.PathLike[str] | Sequence[str]
"""A file with a name a line, or the names themselves."""


def read_names(listed: Listed) -> tuple[str, ...]:
    """The names on a list, each once.

    A list is a file with one name a line, packed by gzip where its name ends in .gz; lines that
    begin with # are left out. Or it is the names.
    """
    where = "in the list of variants"
    if isinstance(listed, str | os.PathLike):
        path = Path(listed)
        where = f"at {path}"
        check_file(path, "a list of variants")
        lines = [line for line in rows(path) if not line[0].startswith("#")]
        if any(len(line) > 1 for line in lines):
            raise DataError(
                f"Expected one name a line in a list of variants, got more {where}. Leave the "
                "column of names only."
            )
        names = [line[0] for line in lines]
    else:
        names = list(listed)
        if not all(isinstance(name, str) for name in names):
            raise InvalidArgument("Expected names of variants, got others. Give texts.")
    if not names:
        raise InvalidArgument(f"Expected a variant or more, got none {where}. Name one a line.")
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InvalidArgument(
            f"Expected every variant once, got {format_name(twice)} twice {where}. Remove "
            "duplicates; counted twice a person would add to the counts twice."
        )
    return tuple(names)


def find_listed(names: Sequence[str], variants: Variants) -> NDArray[np.int64]:
    """Return where the listed variants stand, in the order of the file, which is public."""
    wanted = set(names)
    listed = np.fromiter((name in wanted for name in variants.identifier), bool, len(variants))
    (places,) = np.nonzero(listed)
    occurrences = Counter(variants.identifier[places].tolist())
    if lost := [name for name in names if name not in occurrences]:
        raise InvalidArgument(
            f"Expected variants of the study's file on autosomes, got {len(lost)} of {len(names)} "
            f"that are not there, such as {format_name(lost[0])}. Take them off the list; those on "
            "X, Y and mitochondria are not counted, nor those that a panel lacks."
        )
    if len(places) > len(wanted):
        twice, number = occurrences.most_common(1)[0]
        raise InvalidArgument(
            f"Expected names that one variant has, got {format_name(twice)}, which {number} "
            "variants of the study have. Give every variant a name of its own in the file, or "
            "publish all of the file's."
        )
    return places


Confirm: TypeAlias = Callable[[tuple[str, ...]], bool]
"""Called with advice before anything is spent; where it returns False there is no release."""


@attrs.frozen(repr=False)
class ReleasedFrequencies(WrittenAnswer):
    """What was published of many variants in the folder `out`, and what holds, why and for whom.

    The rows are a sequence in the order of the file, the groups of a variant in turn. The release
    was charged to the ledger, if there is one; variants on X, Y and mitochondria are not counted.
    """

    certificate: FrequenciesCertificate
    rows: Frequencies
    out: Path
    ledger: Charged | None = None
    not_autosomal: int = 0

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas frequencies` prints."""
        certificate, counted = self.certificate, self.certificate.counted
        guarantee, part = certificate.guarantee, counted.part
        answer = {
            "variants": certificate.study.variants,
            **fields_of(counted, "of", "listed"),
            **fields_of(certificate.study, "cases", "controls"),
            **fields_of(guarantee, "epsilon", "delta", "exceedance", "rho"),
            **fields_of(guarantee, "gamma", "gamma_outside"),
            "prior": [certificate.adversary.low, certificate.adversary.high],
            "prior_source": certificate.study_adversary.source,
            "adjacency": certificate.unit.adjacency,
            **fields_of(part, "mechanism", "scale", "half_width_95"),
            "half_width_95_all": counted.half_width_95_all,
            "compared": certificate.compared,
            **fields_of(self, "out", "not_autosomal"),
            **family_as_json(certificate),
            "advice": list(noise_advice(part.half_width_95 or 0.0, certificate.compared.people)),
        }
        if certificate.beacon is not None:
            answer["beacon"] = attrs.asdict(certificate.beacon)
        return answer if self.ledger is None else answer | {"ledger": self.ledger.as_json()}


def frequencies(
    prefix: StudyPath,
    out: str | os.PathLike[str],
    *,
    variants: Listed | None = None,
    all_variants: bool = False,
    of: str = "everybody",
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    prior: tuple[float, float] | None = None,
    adjacency: StudyAdjacency | str = StudyAdjacency.GENOTYPE,
    beacon: float | None = None,
    phenotype: str | os.PathLike[str] | None = None,
    phenotype_name: str | None = None,
    missing: str = "refuse",
    multiallelic: str = "refuse",
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    family_size: int | None = None,
    families: FamilyPath | None = None,
    report: Mapping[str, str] | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    effort: Effort | None = None,
    progress: Progress | None = None,
    confirm: Confirm | None = None,
) -> ReleasedFrequencies:
    r"""Publish the allele frequencies of a public list of variants, with noise.

    Copies of allele 1 get discrete Gaussian noise; without `delta` discrete Laplace noise, which
    for many variants is far more. Everything else follows from the noisy counts.

    Parameters
    ----------
    prefix, phenotype, phenotype_name, multiallelic, autosomes, effort, progress
        As in `scan`. People of unknown phenotype are not counted.
    out, prior, adjacency, family_size, families, report, ledger, dataset
        As in `release`.
    variants : path or sequence of str, optional
        A public list: a file with one name a line, or the names. It must not have been made by
        looking at these genotypes.
    all_variants : bool
        All variants of the file instead, where it is public which these are.
    of : {"everybody", "cases", "controls", "both"}
        Whose frequencies: cases and controls together, one of them, or each apart.
    gamma, max_posterior, attack_success, advantage, epsilon : float, optional
        The largest factor on a belief, >= 1, the largest posterior of a belief at or below the
        prior's upper bound, the largest share of right answers or advantage of an attack, or a
        budget ε > 0; exactly one of them.
    delta : float, optional
        In (0, 1): admits Gaussian noise. With ε the release is (ε, δ)-DP; a limit on beliefs holds
        except with this probability.
    beacon : float, optional
        Also answer for each allele whether anybody has it: yes from a noisy count on that is
        reached with at most this probability where nobody has; in (0, ½).
    missing : {"refuse", "major", "panel"}
        "refuse" where it is public that no call is missing at a published variant: a study with one
        is refused. "major" reads missing calls as two copies of allele 2, "panel" as the most
        frequent genotype of the filters' panel.
    filters : Filters, optional
        Which variants and people are looked at: public lists and rules. Those of variants go with
        `all_variants`; with a list `panel` fills missing calls only.
    confirm : callable, optional
        Called once, before anything is charged, drawn or written, with sentences on noise that is
        larger than what is published can be; there may be none. Where it returns False there is
        no release. The sentences follow from public numbers and stand in the answer, too.

    Returns
    -------
    ReleasedFrequencies
        What was published; nothing in it was computed from genotypes without noise.

    Raises
    ------
    InvalidArgument
        If an argument is out of range, a file is missing or `out` is not free; if the list names a
        variant twice, or one that the file does not have once, or stands beside filters of
        variants; if the dataset is about others.
    DataError, InfeasibleTarget, BudgetExceeded, LedgerError
        As of `release`.
    ReleaseCancelled
        If `confirm` said no.

    References
    ----------
    canonne-kamath-steinke-2020 (the noise); sankararaman-2009 (what exact frequencies give away).

    Examples
    --------
    >>> import tempfile
    >>> from deniable import gwas
    >>> names = "variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2".split()
    >>> rows = [names, *([f"rs{i}", "250", "500", "250", "160", "480", "360"] for i in range(9))]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "counts.tsv"
    ...     _ = table.write_text("".join("\t".join(row) + "\n" for row in rows))
    ...     answer = gwas.frequencies(
    ...         table, Path(folder) / "out", variants=["rs3", "rs7"], gamma=2.0, delta=1e-6
    ...     )
    >>> [row.variant for row in answer.rows], answer.certificate.counted.part.half_width_95
    (['rs3', 'rs7'], 43.0)
    """
    words, files = given_words(report or {}), StudyFiles.of(prefix)
    names = _names(variants, all_variants)
    targets = {"gamma": gamma, "max_posterior": max_posterior, "attack_success": attack_success}
    targets |= {"advantage": advantage, "epsilon": epsilon}
    fields: dict[str, Any] = {"prior": prior, "adjacency": adjacency, "delta": delta}
    fields |= {"targets": targets, "missing": missing, "false_yes": beacon, "dataset": dataset}
    fields |= {"of": of, "listed": "file" if names is None else "list"}
    relatives = Families.of(families, family_size, StudyAdjacency(adjacency))
    request = FrequencyRequest(**fields, families=relatives)
    _check_filters(filters, names, request.missing, files)
    account = account_of(ledger, dataset, words.get("title"), files.first.stem)
    how: dict[str, Any] = {"phenotype": phenotype, "phenotype_name": phenotype_name}
    how |= {"multiallelic": multiallelic, "filters": filters, "autosomes": autosomes}
    # A panel fills at once; the other rules speak of the published variants only.
    rule = request.missing if request.missing is MissingRule.PANEL else MissingRule.LEAVE
    how |= {"missing": rule, "progress": progress, "effort": effort}
    left_out: list[int] = []

    def prepare() -> tuple[PreparedFrequencies, Draws[Any]]:
        study = count_study(files, families=request.families, **how)
        left_out.append(study.not_autosomal)
        listed = _select_listed(study, names, request.missing, files)
        size = StudySize(listed.cases, listed.controls, len(listed.variants))
        prepared = prepare_frequencies(request, size, words, study.filters)
        return prepared, _draws(listed, prepared, confirm)

    done = publish(KIND, out, prepare, lambda _: account)
    made, rows = done.certificate, in_columns(done.rows)
    return ReleasedFrequencies(made, rows, done.out, made.ledger, sum(left_out))


def _names(variants: Listed | None, all_variants: bool) -> tuple[str, ...] | None:
    """The names on the list; None for all of the file."""
    if (variants is None) != bool(all_variants):
        raise InvalidArgument(
            f"Expected either a list of variants or all of the file's, got "
            f"{'neither' if variants is None else 'both'}. Give the public list with variants "
            "(--variants), or say all_variants (--all-variants)."
        )
    return None if variants is None else read_names(variants)


def _check_filters(
    filters: Filters | None, names: tuple[str, ...] | None, rule: MissingRule, study: StudyFiles
) -> None:
    """Refuse filters of variants beside a list: which would hold?"""
    check_allele_order(study, None if filters is None else filters.allele_order, rule)
    if filters is None or names is None:
        return
    given = {
        "extract": filters.extract is not None,
        "exclude": filters.exclude is not None,
        "chromosomes": bool(filters.chromosomes),
        "min_frequency": filters.min_frequency is not None,
        "panel": filters.panel is not None and rule is not MissingRule.PANEL,
    }
    if filter_names := [name for name, is_given in given.items() if is_given]:
        raise InvalidArgument(
            "Expected a list of variants or filters of variants, got both, "
            f"{', '.join(filter_names)}. Take variants off the list, or filter all of the file's "
            "with all_variants (--all-variants)."
        )


def _select_listed(
    study: CountedStudy, names: tuple[str, ...] | None, rule: MissingRule, files: StudyFiles
) -> CountedStudy:
    """The study at the listed variants only, with the rule for missing calls applied."""
    variants, counts = study.variants, study.counts
    if names is not None:
        places = find_listed(names, variants)
        variants, counts = variants.take(places), counts.take(places)
    check_published_names(variants)
    if rule is MissingRule.REFUSE and counts.missing_calls:
        raise DataError(
            "Expected a call for every case and control at every published variant, got missing "
            f'ones at {files}. Fill them with missing "major" (--missing major), or impute them '
            "from an outside panel; leaving out variants or people for it would be a choice by "
            "looking."
        )
    if rule is MissingRule.MAJOR:
        counts = counts.fill_missing()
    return attrs.evolve(study, variants=variants, counts=counts, rule=rule, founder_controls=None)


def _draws(
    study: CountedStudy, prepared: PreparedFrequencies, confirm: Confirm | None
) -> Draws[Any]:
    if confirm is not None and not confirm(prepared.advice):
        raise ReleaseCancelled("Expected a yes, got a no. Nothing was charged, drawn or written.")
    exact = allele_totals(study.counts, prepared.request.of)
    noisy = yield Exact(prepared.mechanism, prepared.part, exact.astype(np.int64))
    return publish_rows(noisy, study.variants, prepared)
