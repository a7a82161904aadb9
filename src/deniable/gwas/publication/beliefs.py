"""From what an adversary may believe to ε, and what published frequencies let them believe.

Both adjacencies replace one record of a set whose size is public, so replace-one theorems apply
to both: to the participants' genomes under `genotype`, to the list of cases under `swap`.
"""

from collections.abc import Mapping, Sequence

from deniable.errors import InvalidArgument, validate
from deniable.gwas.scores import StudyAdjacency
from deniable.numerics.rounding import Ball, directed, lower, upper
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import Calibration, Target, calibrated, target_of

STUDY_TARGETS = ("gamma", "max_posterior", "attack_success", "advantage", "epsilon")
"""Kinds of targets that a release of a study takes.

Not identifiability: it needs how many genomes somebody may have, which nobody knows.
"""


def study_target(targets: Mapping[str, float | None]) -> Target:
    """What is asked of a release of a study: the one target among these that is given.

    Raises
    ------
    InvalidArgument
        If none or several are given, or it is out of range.
    """
    wanted = {kind: value for kind, value in targets.items() if value is not None}
    if len(wanted) != 1:
        raise InvalidArgument(
            f"Expected exactly one target of {', '.join(STUDY_TARGETS)}, got "
            f"{' and '.join(wanted) or 'none'}."
        )
    [(kind, value)] = wanted.items()
    return target_of(validate.one_of(kind, STUDY_TARGETS, "target"), value)


def study_budget(
    *,
    cases: int,
    controls: int,
    adjacency: StudyAdjacency,
    prior: tuple[float, float] | None = None,
    strata: Sequence[tuple[int, int]] = (),
    **targets: float | None,
) -> Calibration:
    """The largest ε that keeps to a limit, or what an ε given outright means for beliefs.

    Parameters
    ----------
    cases, controls : int
        Public numbers of individuals, each >= 1.
    adjacency : StudyAdjacency
        What a belief that "this person is in the data" is about.
    prior : (float, float), optional
        The bounds [a, b] of what the adversary may believe before; by default the adjacency's.
    strata : sequence of (int, int)
        Cases and controls of each stratum that has both, where strata are public.
    **targets : float
        Exactly one of gamma, max_posterior, attack_success, advantage and epsilon.

    Returns
    -------
    Calibration
        `epsilon` is rounded down, what is claimed is rounded up.

    Raises
    ------
    InvalidArgument
        If a number is out of range or not exactly one target is given.
    InfeasibleTarget
        If no noise meets the target.

    References
    ----------
    tramer-2015, Theorem 2.

    Examples
    --------
    >>> budget = study_budget(
    ...     cases=1000, controls=1000, adjacency=StudyAdjacency.SWAP, gamma=2.0
    ... )
    >>> budget.adversary, round(budget.epsilon, 6)
    (BoundedPriors(low=0.5, high=0.5), 1.098612)
    """
    target = study_target(targets)
    adversary = adjacency.default_prior(cases, controls, strata)
    if prior is not None:
        adversary = BoundedPriors(*validate.pair(prior, "prior"))
    return calibrated(target, adversary)


def prior_after_frequencies(
    prior: float, *, unlinked_variants: int, pool: int, deviations: float = 3.0
) -> BoundedPriors:
    r"""What somebody who saw allele frequencies published earlier may believe of a person.

    .. math:: \operatorname{logit} p = \operatorname{logit} p_0
              \pm \frac{m}{2n} \pm z \sqrt{m/n}

    The log-likelihood ratio of a person's genotypes is about normal with mean m/2n for members of
    the pool and −m/2n for others, and variance m/n. An interval from it is an *assumption of the
    adversary model*: people farther out than z standard deviations, linked variants and better
    attacks fall outside.

    Parameters
    ----------
    prior : float
        Belief p₀ before those frequencies, in (0, 1).
    unlinked_variants : int
        m >= 0, variants with published frequencies, pruned to near independence.
    pool : int
        n >= 1 individuals whose frequencies were published.
    deviations : float
        z >= 0, standard deviations to allow for.

    Returns
    -------
    BoundedPriors
        The interval, rounded outwards.

    References
    ----------
    sankararaman-2009 (the likelihood ratio and its power).

    Examples
    --------
    >>> prior_after_frequencies(0.5, unlinked_variants=0, pool=100)
    BoundedPriors(low=0.5, high=0.5)
    >>> wider = prior_after_frequencies(0.5, unlinked_variants=100, pool=1000, deviations=2.0)
    >>> round(wider.low, 3), round(wider.high, 3)
    (0.336, 0.664)
    """
    start = validate.open_probability(prior, "prior")
    m = validate.integer(unlinked_variants, "unlinked_variants", least=0)
    n = validate.integer(pool, "pool", least=1)
    z = validate.non_negative(deviations, "deviations")
    if not m:
        return BoundedPriors(start, start)
    with directed() as r:
        share = r(m) / n
        shift = share / 2 + r(z) * r.sqrt(share)

        def believed(change: Ball) -> Ball:
            odds = r(start) / (1 - r(start)) * r.exp(change)
            return 1 - 1 / (1 + odds)

        return BoundedPriors(max(lower(believed(-shift)), 0.0), min(upper(believed(shift)), 1.0))
