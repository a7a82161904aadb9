r"""What is published of a study, from noisy and public numbers only: also where none is read.

Let a variant lead all others but M − 1 by g, and let noise have the scale s. In each round of the
choice a variant at distance g below it wins against it at most :math:`e^{-g/s}` times as often:
exactly so with Gumbel noise, and less with exponential noise, where the hazard
:math:`q/(1 - uq)` of the leading one grows faster. Of K − 1 others at most M − 1 are not below,
and there are M rounds, so the leading one is chosen before anyone below it, and in time, with

.. math:: \Pr \ge \frac{1}{1 + (K - 1) e^{-g/s}}
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.gwas.association import FAMILY_LEVEL, allelic_chi_squared
from deniable.gwas.certificates import NoisyAlleles, ReleasedVariant, StudyCertificate
from deniable.gwas.genotypes import GenotypeCounts, Strata, chromosome_name, sum_over_strata
from deniable.gwas.pages import GenomeAxis, Reach, genome_layers, study_document, study_picture
from deniable.gwas.publication.noisy_alleles import (
    CountNoise,
    noisy_alleles,
    read_names,
    read_noisy_counts,
)
from deniable.gwas.publication.request import CONFIDENCE, PreparedStudy
from deniable.gwas.publication.windows import BASES
from deniable.gwas.scores import Score, scores
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.rounding import directed, lower, upper
from deniable.pipeline.kind import PublishedRows
from deniable.report.charts import finish


def page(
    certificate: StudyCertificate, prepared: PreparedStudy, released: Sequence[ReleasedVariant]
) -> str:
    """The report, from public numbers and the published variants only."""
    return study_document(certificate, released, _axis(certificate), reach(prepared))


def study_plot(certificate: StudyCertificate, released: Sequence[ReleasedVariant]) -> Any:
    """The picture of the report as an Altair chart."""
    return finish(genome_layers(study_picture(certificate, released, _axis(certificate))))


def _axis(certificate: StudyCertificate) -> GenomeAxis:
    return GenomeAxis.between(
        {each.name: (each.first, each.last) for each in certificate.chromosomes}
    )


def publish_alleles(counts: NDArray[np.int64], prepared: PreparedStudy) -> Iterator[NoisyAlleles]:
    """What is published of noisy counts, those of cases first; all of it follows from them."""
    if (noise := _count_noise(prepared)) is None:
        raise AssertionError("no allele counts were calibrated")
    return noisy_alleles(counts, prepared.size.cases, prepared.size.controls, noise)


def _count_noise(prepared: PreparedStudy) -> CountNoise | None:
    if (planned := prepared.statistics) is None:
        return None
    if not isinstance(planned.mechanism, DiscreteLaplace):
        raise AssertionError("allele counts were calibrated to other noise")
    return CountNoise.of(planned.mechanism, CONFIDENCE)


def rebuild_rows(prepared: PreparedStudy, published: PublishedRows) -> list[ReleasedVariant]:
    """Ranks, and of noisy counts all that follows from them; names and counts are published."""
    noisy: list[NoisyAlleles | None] = [None] * len(published)
    if prepared.statistics is not None:
        names = "cases_allele_1", "controls_allele_1"
        counts = read_noisy_counts(row.get(name) for name in names for row in published)
        noisy = [*publish_alleles(counts, prepared)]
    released = [
        ReleasedVariant(rank, **read_names(row, _NAMES), noisy=noisy[rank - 1])
        for rank, row in enumerate(published, start=1)
    ]
    if prepared.chromosomes is not None:
        known = {each.name: each for each in prepared.chromosomes}
        for each in released:
            place = known.get(each.chromosome)
            if place is None or not place.first <= each.position <= place.last:
                raise InvalidArgument("Expected variants on the study's chromosomes, got others.")
    # No chosen variant stands in another's window; on a genetic map that is taken on trust.
    if (window := prepared.request.window) is not None and window.kb is not None:
        places = [(chromosome_name(each.chromosome), each.position) for each in released]
        for (one, here), (other, there) in itertools.combinations(places, 2):
            if one == other and abs(here - there) <= window.kb * BASES:
                raise InvalidArgument("Expected one variant in each window, got two.")
    return released


_NAMES = ("variant", "chromosome", "position", "allele_1", "allele_2")
"""Columns that say which variant it is."""
_SHARES = (0.1, 0.5)
"""Shares of allele 1 among the controls' alleles, for examples: a rare and the commonest."""
_STEPS = 2000
"""Frequencies in cases that are tried: χ² comes out to a few parts in a thousand."""


def reach(prepared: PreparedStudy) -> Reach:
    """What a release that was asked for in this way can find; public numbers only."""
    scale = prepared.selection.mechanism.scale * prepared.selection.part.step
    others = prepared.size.variants - 1
    lead = least_lead(scale, others, CONFIDENCE)
    # At the most every case has two copies and no control has one.
    size, strata = prepared.size, None
    counts = GenotypeCounts([[0, 0, size.cases, 0]], [[size.controls, 0, 0, 0]])
    if size.strata:
        called = np.array([size.divided])
        strata = Strata(size.divided, *sum_over_strata(called * np.array([2, 0]), called))
    (largest,) = _scores(prepared, counts, strata).tolist()
    examples: list[tuple[float, float | None]] = []
    for share in _SHARES if prepared.request.score is Score.DISTANCE else ():
        # The least allelic χ² whose distance reaches the lead, in Hardy and Weinberg's ratios.
        cases = _hardy_weinberg(np.linspace(share, 1.0, _STEPS), size.cases)
        controls = _hardy_weinberg(np.array([share]), size.controls)
        tables = GenotypeCounts(cases, np.repeat(controls, len(cases), axis=0))
        (enough,) = np.nonzero(_scores(prepared, tables) >= lead)
        chi_squared = allelic_chi_squared(tables)
        examples.append((share, float(chi_squared[enough[0]]) if len(enough) else None))
    # Noise alone explains |X/R − Y/S| up to t/min(R, S), t the reach of both errors.
    noise = _count_noise(prepared)
    return Reach(
        CONFIDENCE,
        lead,
        largest,
        least_probability(scale, others, largest),
        tuple(examples),
        None if noise is None else noise.both / (2 * min(size.cases, size.controls)),
    )


def least_lead(scale: float, others: int, probability: float) -> float:
    r"""g = s ln((K − 1) p/(1 − p)), at least 0, rounded up.

    Examples
    --------
    >>> round(least_lead(2.0, 999, 0.95), 2)
    19.7
    """
    if not others:
        return 0.0
    with directed() as r:
        p = r(probability)
        return max(upper(r(scale) * r.log(others * p / (1 - p))), 0.0)


def least_probability(scale: float, others: int, lead: float) -> float:
    """1/(1 + (K − 1) e^(−g/s)), rounded down."""
    with directed() as r:
        return max(lower(1 / (1 + others * r.exp(-r(lead) / r(scale)))), 0.0)


def _hardy_weinberg(shares: NDArray[np.float64], people: int) -> NDArray[np.int64]:
    """People with 0, 1, 2 copies and without a call, as close as whole numbers come."""
    two = np.rint(people * shares**2).astype(np.int64)
    one = np.minimum(np.rint(people * 2 * shares * (1 - shares)).astype(np.int64), people - two)
    return np.stack([people - one - two, one, two, 0 * two], axis=1)


def _scores(
    prepared: PreparedStudy, counts: GenotypeCounts, strata: Strata | None = None
) -> NDArray[np.float64]:
    request = prepared.request
    is_shared = isinstance(request.threshold, str)
    threshold = FAMILY_LEVEL / prepared.size.variants if is_shared else request.threshold
    scored = scores(
        counts, score=request.score, adjacency=request.adjacency, threshold=threshold, strata=strata
    )
    return np.asarray(scored.steps * scored.step)
