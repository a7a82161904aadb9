"""From what the owner asks for to the noise of every count: public numbers only."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.gwas.allele_frequencies.beacon import beacon, rate_of
from deniable.gwas.allele_frequencies.compared import compared
from deniable.gwas.allele_frequencies.groups import Group, frequency_part
from deniable.gwas.certificates.frequencies import Beacon, Compared
from deniable.gwas.certificates.genome import StudySize
from deniable.gwas.genotypes import MissingRule
from deniable.gwas.public_filters import StudyFilters
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.ledger.units import in_whole_units
from deniable.ledger.words import optional_word
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.rounding import directed, lower, upper
from deniable.pipeline.noise.parts import VectorPart
from deniable.pipeline.noise.shares import Share
from deniable.pipeline.noise.shares import calibrate_mechanism as least_noise
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.calibrate import Calibration, calibrated
from deniable.theorems.analysis.privacy_loss import lattice_slack
from deniable.theorems.analysis.target import Target, target_of

CONFIDENCE = 0.95
"""With which half-widths hold."""

_NO_WORDS: Mapping[str, str] = MappingProxyType({})


@attrs.frozen(kw_only=True)
class Request:
    """What the owner asks for; nothing of it depends on the data.

    Parameters
    ----------
    of : Group
        Whose alleles are counted.
    listed : str
        "list" or "file": where the public list of variants is from.
    target : Target
        γ, a posterior, or ε.
    delta : float or None
        Admits discrete Gaussian noise.
    prior : (float, float) or None
        The ends of what the adversary may believe before; None for the adjacency's default.
    adjacency : StudyAdjacency
        What neighbours are.
    missing : MissingRule
        What becomes of missing calls; not `LEAVE`.
    false_yes : float or None
        Of a Beacon's answers, where they are asked for.
    dataset : str or None
        Of a ledger, that the release is charged to.
    """

    of: Group
    listed: str
    target: Target
    delta: float | None
    prior: tuple[float, float] | None
    adjacency: StudyAdjacency
    missing: MissingRule
    false_yes: float | None
    dataset: str | None = None

    @classmethod
    def given(
        cls,
        *,
        of: Group | str,
        listed: str,
        targets: Mapping[str, float | None],
        delta: float | None,
        prior: tuple[float, float] | None,
        adjacency: StudyAdjacency | str,
        missing: MissingRule | str,
        false_yes: float | None,
        dataset: str | None = None,
    ) -> "Request":
        """The request of raw arguments.

        Raises
        ------
        InvalidArgument
            If one is out of range.
        """
        wanted = {kind: value for kind, value in targets.items() if value is not None}
        if len(wanted) != 1:
            raise InvalidArgument(
                f"Expected exactly one target of {', '.join(targets)}, got "
                f"{' and '.join(wanted) or 'none'}."
            )
        [(kind, value)] = wanted.items()
        rules = [rule.value for rule in MissingRule if rule is not MissingRule.LEAVE]
        word = missing.value if isinstance(missing, MissingRule) else missing
        ends = None
        if prior is not None:
            ends = validate.interval(*validate.pair(prior, "prior"), "prior")
        request = cls(
            of=Group.of(of),
            listed=listed,
            target=target_of(kind, value, None),
            delta=None if delta is None else validate.open_probability(delta, "delta"),
            prior=ends,
            adjacency=StudyAdjacency.of(adjacency),
            missing=MissingRule(validate.one_of(word, rules, "missing")),
            false_yes=None if false_yes is None else rate_of(false_yes),
            dataset=optional_word(dataset, "the dataset's name"),
        )
        frequency_part(request.adjacency, request.of, 1)
        return request


@attrs.frozen
class PreparedFrequencies:
    """A request for so many variants of a study of this size: everything but the data.

    Parameters
    ----------
    half_width_95, half_width_95_all : float
        What each error, and all errors together, stay within in 95 of 100 releases, in copies.
    words : mapping
        The releaser's own words for the report.
    filters : StudyFilters
        The public lists and rules that chose variants and people.
    """

    request: Request
    size: StudySize
    calibration: Calibration
    part: VectorPart
    share: Share
    mechanism: DiscreteGaussian | DiscreteLaplace
    half_width_95: float
    half_width_95_all: float
    compared: Compared
    beacon: Beacon | None
    words: Mapping[str, str]
    filters: StudyFilters = attrs.field(factory=StudyFilters)

    @property
    def people(self) -> dict[str, int]:
        """The published groups, and how many people are in each."""
        return self.request.of.people(self.size.cases, self.size.controls)


def prepared_frequencies(
    request: Request,
    size: StudySize,
    words: Mapping[str, str] = _NO_WORDS,
    filters: StudyFilters | None = None,
) -> PreparedFrequencies:
    """Calibrate a request for a study of this size.

    Raises
    ------
    InvalidArgument
        If a rule looks at a panel, and there is none.
    InfeasibleTarget
        If no noise meets the target.
    """
    chosen = filters or StudyFilters()
    chosen.check_panel(fills=request.missing is MissingRule.PANEL)
    part = frequency_part(request.adjacency, request.of, size.variants)
    adversary = request.adjacency.default_prior(size.cases, size.controls)
    if request.prior is not None:
        adversary = BoundedPriors(*request.prior)
    slack = None if request.delta is None else lattice_slack([(1, part.l2, part.moved)])
    calibration = calibrated(request.target, adversary, delta=request.delta, slack=slack)
    share = _share(calibration, whole_units=request.dataset is not None)
    mechanism = least_noise(part, share)
    if not isinstance(mechanism, DiscreteGaussian | DiscreteLaplace):
        raise AssertionError("counts were calibrated to other noise")
    least = min(request.of.people(size.cases, size.controls).values())
    return PreparedFrequencies(
        request=request,
        size=size,
        calibration=calibration,
        part=part,
        share=share,
        mechanism=mechanism,
        half_width_95=float(mechanism.half_width(CONFIDENCE)),
        half_width_95_all=float(mechanism.half_width(_of_each(CONFIDENCE, part.coordinates))),
        compared=compared(size.variants, least, mechanism),
        beacon=None if request.false_yes is None else beacon(request.false_yes, mechanism),
        words=words,
        filters=chosen,
    )


def _share(calibration: Calibration, *, whole_units: bool) -> Share:
    """All of the budget goes to the one vector: ρ with δ, ε without."""
    composition = calibration.composition
    budget = Fraction(calibration.epsilon if composition is None else composition.rho)
    with directed() as r:
        amount = lower(r(in_whole_units(budget) if whole_units else budget))
    return Share(epsilon=amount) if composition is None else Share(rho=amount)


def _of_each(confidence: float, number: int) -> float:
    """With which confidence each of so many must hold for all to hold: 1 − (1 − c)/number."""
    with directed() as r:
        return upper(1 - (1 - r(confidence)) / number)
