"""The noise of every count, from what the owner asks for: public numbers only."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas import publication
from deniable.gwas.certificates import Attacker, Beacon, Compared, StudySize
from deniable.gwas.genotypes import GenotypeCounts, MissingRule
from deniable.gwas.public_filters import StudyFilters
from deniable.gwas.scores import StudyAdjacency, complete
from deniable.ledger.units import in_whole_units
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.rounding import Ball, Directed, directed, lower, upper
from deniable.pipeline.noise import Share, VectorPart
from deniable.pipeline.noise import calibrate_mechanism as least_noise
from deniable.theorems.analysis import calibrated, lattice_slack

Number = TypeVar("Number", int, NDArray[np.int64])


class Group(validate.Choice, argument="of"):
    """The group whose alleles are counted; its size is public."""

    CASES = "cases"
    CONTROLS = "controls"
    EVERYBODY = "everybody"
    """Cases and controls together."""
    BOTH = "both"
    """Cases, and controls, each apart."""

    def people(self, cases: Number, controls: Number) -> dict[str, Number]:
        """The published groups by name, and how many people are in each.

        Examples
        --------
        >>> Group.BOTH.people(10, 20)
        {'cases': 10, 'controls': 20}
        """
        if self is Group.EVERYBODY:
            return {"everybody": cases + controls}
        both = {"cases": cases, "controls": controls}
        return both if self is Group.BOTH else {str(self): both[self]}


def frequency_part(adjacency: StudyAdjacency, group: Group, variants: int) -> VectorPart:
    r"""What gets noise, with how far a neighbour moves it: proved, and attained.

    A genotype is a vector g of m numbers 0, 1, 2; the counts of a group are the sum of its
    people's. Under `genotype` one person's g becomes g′ and nobody changes groups, so that one
    group moves by g′ − g, each coordinate of which is at most 2:

    .. math:: \|g' - g\|_1 \le 2m, \qquad \|g' - g\|_2 \le 2\sqrt{m},

    attained where g is 0 and g′ is 2 everywhere. Subtracting a constant from everybody's numbers
    (one copy, say) moves both ends alike: between people who replace each other centring gains
    nothing. Under `swap` a case with g and a control with h change places: the cases move by h − g,
    the controls by g − h. So the bound is the same for one of the groups, for both of them it is
    twice as large in L1 and √2 times in L2, and everybody's counts do not move at all.

    Examples
    --------
    >>> part = frequency_part(StudyAdjacency.GENOTYPE, Group.BOTH, 100)
    >>> part.coordinates, part.l1, part.l2
    (200, 200, 20.0)
    """
    number = validate.integer(variants, "variants", least=1)
    groups = len(group.people(1, 1))
    is_swap = adjacency is StudyAdjacency.SWAP
    if is_swap and group is Group.EVERYBODY:
        raise InvalidArgument(
            "Expected of=cases, controls or both with adjacency=swap, got of=everybody. Two "
            "people who change places leave everybody's frequencies as they are. Hide who took "
            "part with adjacency=genotype."
        )
    return publication.count_part(groups * number, groups * number if is_swap else number)


def allele_totals(counts: GenotypeCounts, group: Group) -> NDArray[np.int64]:
    """Exact copies of allele 1, variant by variant, the groups side by side. Not public."""
    in_cases, in_controls = (
        table[:, 1] + 2 * table[:, 2]
        for table in (complete(each)[0] for each in (counts.cases, counts.controls))
    )
    return np.stack([*group.people(in_cases, in_controls).values()], axis=1).reshape(-1)


_LEAST_RATE, _COIN = 1e-15, 0.5
"""Smallest rate of false yes that a float can tell from 0 near 1, and the rate of a coin."""
_SEEN = 0.95
"""The probability with which an allele of `Beacon.seen` copies is called present."""


def check_rate(false_yes: float) -> float:
    """A rate of false yes below that of a coin."""
    rate = validate.open_probability(false_yes, "beacon")
    if not _LEAST_RATE <= rate < _COIN:
        raise InvalidArgument(
            f"Expected {_LEAST_RATE} <= beacon < 0.5, got beacon={rate}. It is the share of absent "
            "alleles that are called present; take a small one, such as 0.05."
        )
    return rate


def beacon(false_yes: float, mechanism: DiscreteGaussian | DiscreteLaplace) -> Beacon:
    r"""Return the noisy count from which on the answer is yes, and what is overlooked.

    The noise K is symmetric, so that with w(c) a whole number which |K| stays within with a
    probability of c or more,

    .. math:: \Pr[0 + K \ge w(1 - 2r) + 1] \le r, \qquad
              \Pr[k + K \ge t] \ge 0.95 \text{ for } k \ge t + w(0.9).

    r in (0, ½) is the largest probability of a yes where nobody carries the allele.

    Examples
    --------
    >>> beacon(0.05, DiscreteGaussian(100.0))
    Beacon(false_yes=0.05, threshold=165, seen=329)
    """
    rate = check_rate(false_yes)
    with directed() as r:
        inside, within = upper(1 - 2 * r(rate)), upper(1 - 2 * (1 - r(_SEEN)))
    threshold = mechanism.half_width(inside) + 1
    return Beacon(rate, threshold, threshold + mechanism.half_width(within))


BEFORE = 0.5
"""The belief before that growth is told from."""
DEVIATIONS = 2
"""Standard deviations of a member's bad luck, as in `gwas.safe`: 2 % give more away."""
FPR = 0.05
"""Share of strangers taken for members, at which power is told."""
_RARE = 0.05
"""A frequency at which precision is told besides ½."""


def compare_with_exact(
    variants: int, people: int, mechanism: DiscreteGaussian | DiscreteLaplace
) -> Compared:
    r"""What m frequencies of n people give away, exact and with noise of scale b on the copies.

    A member's log likelihood ratio is about normal with mean s²/2 and standard deviation s (see
    `gwas.safe`). At a variant of frequency p a person's genotype moves the copies by x − 2p, of
    variance 2pq, and the copies of n others are known up to their variance 2npq. Noise adds its own
    variance b² where it is Gaussian; what noise of another shape lets through is bounded by its
    Fisher information, which for Laplace noise is 1/b² too, and adds up in reciprocals at least
    (Stam). So

    .. math:: s^2 = \sum_j \frac{2 p_j q_j}{2 n p_j q_j + b^2} \le \frac{m}{n + 2 b^2},

    with equality at p = ½; exact frequencies have b = 0. Beliefs grow from ½ by a factor exp(s²/2 +
    2s) in odds for a member of whom 2 % give more away, and 1 member in Φ(s − z) is recognised
    where 1 in 20 strangers is.

    How many people's exact frequencies would be as precise, for a reader who wants the
    population's: a frequency of n′ people has variance pq/2n′, of which n with noise of variance v
    make

    .. math:: n' = \frac{n^2}{n + v / 2pq} .

    This is a theory for unlinked variants and no guarantee. What is given away is rounded up, what
    it is worth rounded down.

    References
    ----------
    sankararaman-2009 (the ratio and its power); stam-1959 (the sum of informations).
    """
    with directed() as r:
        squared = r(mechanism.scale) ** 2
        variance = squared if isinstance(mechanism, DiscreteGaussian) else 2 * squared
        n = r(people)
        worth = [n * n / (n + variance / (2 * r(p) * (1 - r(p)))) for p in (0.5, _RARE)]
        return Compared(
            people=people,
            exact=_attacker(r, variants / n),
            noisy=_attacker(r, variants / (n + 2 * squared)),
            as_of_people=lower(worth[0]),
            as_of_people_rare=lower(worth[1]),
        )


def _attacker(r: Directed, squared: Ball) -> Attacker:
    s = r.sqrt(squared)
    odds = r(BEFORE) / (1 - r(BEFORE)) * r.exp(squared / 2 + DEVIATIONS * s)
    belief = 1 - 1 / (1 + odds)
    power = r.normal_cdf(s + r.normal_quantile(r(FPR)))
    return Attacker(upper(s), min(upper(belief), 1.0), min(upper(power), 1.0))


def noise_advice(half_width: float, people: int) -> tuple[str, ...]:
    """What to know before anything is spent; none where the counts say something.

    The half-width is of a count, in copies, 95 %; people, each with two copies, are in the smallest
    group.

    Examples
    --------
    >>> noise_advice(40.0, 3000)
    ()
    """
    copies = 2 * people
    if 2 * half_width < copies:
        return ()
    return (
        f"Each frequency would be known to ± {half_width:,.0f} of {copies:,} copies of an allele. "
        "Such an interval contains every possible value, so it says nothing. Publish fewer "
        "variants, admit Gaussian noise with delta, or ask for less protection.",
    )


def _delta(value: float) -> float:
    return validate.open_probability(value, "delta")


@attrs.frozen(kw_only=True)
class FrequencyRequest(publication.GenomeRequest):
    """What the owner asks for of frequencies.

    The public list of variants is from a "list" or the "file". δ admits discrete Gaussian noise.
    The false yes are of a Beacon's answers, where they are asked for.
    """

    of: Group = attrs.field(converter=Group)
    listed: str
    delta: float | None = attrs.field(converter=attrs.converters.optional(_delta))
    false_yes: float | None = attrs.field(converter=attrs.converters.optional(check_rate))

    def __attrs_post_init__(self) -> None:
        frequency_part(self.adjacency, self.of, 1)


@attrs.frozen(kw_only=True)
class PreparedFrequencies(publication.PreparedGenomes):
    """A request for so many variants of a study of this size.

    Half-widths say what each error, and all errors together, stay within in 95 of 100 releases, in
    copies.
    """

    request: FrequencyRequest
    part: VectorPart
    share: Share
    mechanism: DiscreteGaussian | DiscreteLaplace
    half_width_95: float
    half_width_95_all: float
    compared: Compared
    beacon: Beacon | None

    @property
    def advice(self) -> tuple[str, ...]:
        """What to know before anything is spent, from public numbers only."""
        return noise_advice(self.half_width_95, self.compared.people)

    @property
    def people(self) -> dict[str, int]:
        """The published groups, and how many people are in each."""
        return self.request.of.people(self.size.cases, self.size.controls)


def prepare_frequencies(
    request: FrequencyRequest,
    size: StudySize,
    words: Mapping[str, str] = publication.NO_WORDS,
    filters: StudyFilters | None = None,
) -> PreparedFrequencies:
    """Calibrate a request for a study of this size."""
    study_filters = filters or StudyFilters()
    study_filters.check_panel(fills=request.missing is MissingRule.PANEL)
    part = frequency_part(request.adjacency, request.of, size.variants)
    adversary = request.adjacency.default_prior(size.cases, size.controls)
    if request.prior is not None:
        adversary = BoundedPriors(*request.prior)
    if request.families is None:
        slack = None if request.delta is None else lattice_slack([(1, part.l2, part.moved)])
        calibration = calibrated(request.target, adversary, delta=request.delta, slack=slack)
    else:
        calibration = publication.calibrate_family(
            request.families, request.target, adversary, request.delta
        )
    # All of the budget goes to the one vector: ρ with δ, ε without; of families one genome's.
    if (composition := calibration.composition) is None:
        budget = Fraction(publication.epsilon_of_person(request.families, calibration))
    else:
        budget = publication.rho_of_person(request.families, composition.rho)
    with directed() as r:
        amount = lower(r(budget if request.dataset is None else in_whole_units(budget)))
    share = Share(epsilon=amount) if composition is None else Share(rho=amount)
    mechanism = least_noise(part, share)
    if not isinstance(mechanism, DiscreteGaussian | DiscreteLaplace):
        raise AssertionError("counts were calibrated to other noise")
    least = min(request.of.people(size.cases, size.controls).values())
    with directed() as r:  # with which each of so many holds for all to hold
        each = upper(1 - (1 - r(publication.CONFIDENCE)) / part.coordinates)
    return PreparedFrequencies(
        request=request,
        size=size,
        calibration=calibration,
        part=part,
        share=share,
        mechanism=mechanism,
        half_width_95=float(mechanism.half_width(publication.CONFIDENCE)),
        half_width_95_all=float(mechanism.half_width(each)),
        compared=compare_with_exact(size.variants, least, mechanism),
        beacon=None if request.false_yes is None else beacon(request.false_yes, mechanism),
        words=words,
        filters=study_filters,
    )
