"""Beliefs and errors at a privacy loss; `budget.py` and `guarantee.py` explain whole guarantees."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.errors.validate import in_full
from deniable.notions import ZCDP, ApproxDP, FalseNegativeRate, GaussianDP, PureDP
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems.attacks import (
    approx_dp_to_false_negative_rate,
    gaussian_dp_to_false_negative_rate,
)
from deniable.theorems.beliefs import pure_dp_to_max_posterior, pure_dp_to_min_posterior

if TYPE_CHECKING:
    from deniable.notions import Notion
    from deniable.theorems import pure_and_approximate, renyi
    from deniable.theorems.analysis import together
else:
    pure_and_approximate = late("deniable.theorems.pure_and_approximate")
    renyi = late("deniable.theorems.renyi")
    together = late("deniable.theorems.analysis.together")

USUAL_PRIORS = (0.01, 0.05, 0.1, 0.5)
"""Beliefs that answers translate, besides the ends of the adversary's own range."""


@attrs.frozen
class PosteriorRange:
    """A prior and where the posterior can lie, rounded outwards."""

    prior: float
    lower: float
    upper: float


def posterior_upper(epsilon: float, prior: float) -> float:
    """The largest posterior that a privacy loss of ε allows, rounded up."""
    return pure_dp_to_max_posterior(PureDP(epsilon), prior).posterior


def posterior_lower(epsilon: float, prior: float) -> float:
    """The smallest posterior that a privacy loss of ε allows, rounded down."""
    return pure_dp_to_min_posterior(PureDP(epsilon), prior)


def posterior_ranges(epsilon: float, priors: Iterable[float]) -> tuple[PosteriorRange, ...]:
    """The range of the posterior at each prior."""
    checked = [validate.probability(prior, "prior") for prior in priors]
    return tuple(
        PosteriorRange(p, posterior_lower(epsilon, p), posterior_upper(epsilon, p)) for p in checked
    )


_UNLIKELY, _SURE = 0.001, 0.99
"""A limit that lets 0.1 % become 99 % limits nothing that anybody would call a belief."""
_OFTEN = 0.01
"""An exception of 1 % of releases is no longer rare."""


def belief_cautions(loss: float, attack_success: float, exceedance: float) -> tuple[str, ...]:
    """What is wrong with a limit on beliefs, in sentences; none where nothing is."""
    cautions = []
    if posterior_upper(loss, _UNLIKELY) >= _SURE and attack_success >= _SURE:
        cautions.append("This protects nobody: a belief of 0.1 % can become one of 99 % or more.")
    if exceedance >= _OFTEN:
        cautions.append(
            "This promises little: the limit on beliefs has an exception with a probability of "
            f"up to {in_full(exceedance)}."
        )
    return tuple(cautions)


DEFAULT_EXCEEDANCE = 100
"""Exceedance in units of δ where none is asked for."""
USUAL_DELTA = 1e-6
"""δ where a guarantee states none (ρ, μ, Rényi orders), for its exceedance."""


def usual_exceedance(exceedance: float | None, delta: float = 0.0) -> float:
    """The stated exceedance, or the one default: 100 δ, δ being 1e-6 where none is stated."""
    usual = DEFAULT_EXCEEDANCE * (delta or USUAL_DELTA)
    result = validate.number(usual if exceedance is None else exceedance, "exceedance")
    if not delta < result < 1:
        why = "" if exceedance is not None else " (none is stated, and 100 delta is no probability)"
        raise InvalidArgument(
            f"Expected delta < exceedance < 1, got delta={delta}, exceedance={result}{why}. "
            "Lower delta or state an exceedance in between.",
            instead=("", f"--exceedance {(delta + 1) / 2:.3g}") if why and delta < 0.99 else None,
        )
    return result


def refuse_exceedance(spec: str, exceedance: float | None) -> float:
    """The exceedance of a guarantee that all outputs keep to, 0; refused where one is stated."""
    if exceedance is not None:
        raise InvalidArgument(
            f"Expected no `exceedance` with {spec}, which all outputs keep to, got {exceedance}. "
            "Leave `exceedance` out."
        )
    return 0.0


EACH_WAY = "in each direction (rising or falling)"
"""An exceedance of a privacy loss is of rises, or of falls, and not of both together."""


def either_end(loss: float, exceedance: float) -> float:
    """Bound the probability that a belief leaves its range at one end or the other, rounded up.

    Given t, outputs that raise the odds by more than e^ℓ have probability at most X. Those that
    lower them by more have at most X given ¬t, and so at most e^(−ℓ) X given t. Three outputs
    attain the sum X (1 + e^(−ℓ)).
    """
    with directed() as r:
        return min(upper(r(exceedance) * (1 + r.exp(-r(loss)))), 1.0)


_GRID = 2.0**-6
"""Losses that are tried as the one beyond which beliefs fall: e^(−ℓ) moves by a sixtieth."""
_ONE_SIDED = 64.0
"""Loss from which falls add nothing: 1 + e^(−64) is 1 but for the last bits of a float."""


def range_loss(loss_at: Callable[[float], float], exceedance: float, delta: float = 0.0) -> float:
    """Return a loss beyond which beliefs rise or fall, both together, at most so often.

    Of a loss ℓ' and the loss that is passed with probability X/(1 + e^(−ℓ')) in one direction, the
    larger one will do: `either_end` of it is at most X. The least over all ℓ' of a grid never
    falls where `loss_at` rises, the loss that is passed in one direction with at most a given
    probability above δ. X is `exceedance`, 0 where no output passes the loss.
    """
    one_way = loss_at(exceedance)
    if exceedance == 0 or math.isinf(one_way / _GRID):
        return one_way if exceedance == 0 else math.inf

    def at(place: int) -> float:
        with directed() as r:
            share = lower(r(exceedance) / (1 + r.exp(-r(place) * r(_GRID))))
        return loss_at(share) if share > delta else math.inf

    low = math.floor(one_way / _GRID)
    best = at(low)
    high = math.ceil(min(best, max(one_way, _ONE_SIDED)) / _GRID)
    if best > high * _GRID and (last := at(high)) > high * _GRID:
        return last
    while high - low > 1:
        middle = (low + high) // 2
        if (value := at(middle)) > middle * _GRID:
            low, best = middle, value
        else:
            high = middle
    return max(one_way, min(best, high * _GRID))


_RATES = 100
"""Steps of false-positive rates of a curve: smooth at the size it is drawn."""


def least_trade_off(guarantees: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    r"""The trade-off that (ε, δ) pairs allow at most, at regular false-positive rates.

    .. math:: f(x) = \max_{(ε, δ)} \max(0, 1 - δ - e^ε x, e^{-ε} (1 - δ - x))

    It is [dong-roth-su-2022]_'s curve of guarantees that hold together, rounded down.
    """
    points = []
    for flagged in (step / _RATES for step in range(_RATES + 1)):
        missed = [0.0]
        with directed() as r:
            for epsilon, delta in guarantees:
                e, rest = r(epsilon), 1 - r(delta)
                missed.append(lower(rest - r.exp(e) * r(flagged)))
                missed.append(lower(r.exp(-e) * (rest - r(flagged))))
        points.append((flagged, max(missed)))
    return points


_TO_FALSE_NEGATIVES: "dict[type[Notion], Callable[..., FalseNegativeRate]]" = {
    ApproxDP: approx_dp_to_false_negative_rate,
    ZCDP: lambda guarantee, fpr: renyi.zcdp_to_false_negative_rate(guarantee, fpr),
    GaussianDP: gaussian_dp_to_false_negative_rate,
}


@attrs.frozen
class ErrorCurve:
    """The least false negatives that several guarantees of one release prove together."""

    guarantees: "tuple[Notion, ...]"

    @property
    def mu(self) -> float | None:
        """μ of Gaussian differential privacy; None where it is not among the guarantees."""
        return next((each.mu for each in self.guarantees if isinstance(each, GaussianDP)), None)

    @property
    def is_searched(self) -> bool:
        """Whether each rate takes a search for ρ's best order, which μ makes needless."""
        return self.mu is None and any(isinstance(each, ZCDP) for each in self.guarantees)

    def false_negatives(self, fpr: float) -> float:
        """The least rate that is proved of any test with this false-positive rate, rounded down."""
        given = self.guarantees
        if self.mu is not None:  # as good as ρ at every order
            given = tuple(each for each in given if not isinstance(each, ZCDP))
        return max(_TO_FALSE_NEGATIVES[type(each)](each, fpr).fnr for each in given)
