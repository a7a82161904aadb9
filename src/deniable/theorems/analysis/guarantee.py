"""What any guarantee lets an adversary believe and an attack reach, as far as theorems lead."""

import inspect
import math
from collections.abc import Sequence
from typing import Any, overload

import attrs

from deniable.errors import InvalidArgument, NoDerivation, validate
from deniable.notions import (
    ZCDP,
    Adjacency,
    ApproxDP,
    GaussianDP,
    Notion,
    PrivacyLossTail,
    PureDP,
    Setting,
    TradeOffCurve,
)
from deniable.notions.adversaries import BoundedPriors
from deniable.notions.notation import read
from deniable.numerics.answer import Answer, CurveAnswer, fields_of
from deniable.theorems.analysis.budget import Explanation, explain_budget
from deniable.theorems.analysis.explain import (
    PosteriorRange,
    belief_cautions,
    either_end,
    posterior_ranges,
    range_loss,
    refuse_exceedance,
    usual_exceedance,
)
from deniable.theorems.analysis.together import SIZES, Together, belief_of_group, group_loss
from deniable.theorems.derive import Link, derive
from deniable.theorems.households import of_group
from deniable.theorems.membership import pure_dp_to_positive_membership


@attrs.frozen(repr=False)
class GuaranteeExplanation(CurveAnswer):
    """What a guarantee says, and what follows; every number is on the safe side.

    `gamma` is read at the privacy loss `loss`, and `posterior`, whose ranges may be left at either
    end, at `range_loss`; both hold but for outputs of probability at most `exceedance`. They are
    None, and empty, where no theorem bounds a loss. `tied` is as in `Explanation`, 1 where no
    theorem says less.
    """

    guarantee: Notion
    adversary: BoundedPriors
    exceedance: float
    loss: float | None
    range_loss: float | None
    gamma: float | None
    gamma_outside: float | None
    posterior: tuple[PosteriorRange, ...]
    attack_success: float | None
    advantage: float | None
    tied: tuple[Together, ...]

    @property
    def says(self) -> str:
        """What is claimed, in one sentence."""
        return inspect.cleandoc(type(self.guarantee).__doc__ or "").split("\n", 1)[0]

    @property
    def trade_off(self) -> tuple[tuple[float, float], ...] | None:
        """False positives with the least false negatives, which no attack is below."""
        try:
            curve = trade_off(self.guarantee, _RATES)
        except NoDerivation:
            return None
        return tuple((each.fpr, each.fnr) for each in curve.points)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is wrong with the limit on beliefs, in sentences; none where nothing is."""
        if self.loss is None:
            return ()
        success = 1.0 if self.attack_success is None else self.attack_success
        return belief_cautions(self.loss, success, self.exceedance)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            "cautions": list(self.cautions),
            "guarantee": self.guarantee.spec,
            "says": self.says,
            "prior": [self.adversary.low, self.adversary.high],
            **fields_of(self, "exceedance", "loss", "range_loss", "gamma", "gamma_outside"),
            **fields_of(self, "posterior", "attack_success", "advantage", "tied"),
        }


@overload
def explain(
    epsilon: float,
    delta: float | None = None,
    *,
    exceedance: float | None = None,
    level: float | None = None,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    prior: tuple[float, float] = (0.0, 1.0),
) -> Explanation: ...


@overload
def explain(
    epsilon: str | Notion,
    *,
    exceedance: float | None = None,
    level: float | None = None,
    prior: tuple[float, float] = (0.0, 1.0),
) -> Explanation | GuaranteeExplanation: ...


def explain(
    epsilon: float | str | Notion,
    delta: float | None = None,
    *,
    exceedance: float | None = None,
    level: float | None = None,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    prior: tuple[float, float] = (0.0, 1.0),
) -> Explanation | GuaranteeExplanation:
    r"""Return what an adversary can conclude under ε, (ε, δ), or any other guarantee.

    Parameters
    ----------
    epsilon : float, str or notion
        Privacy loss, natural logarithm, >= 0. Or a whole guarantee, as a value or written like
        ``zcdp:0.1``; it says its own δ and adjacency.
    delta : float, optional
        δ in (0, 1); left out, the guarantee is pure.
    exceedance : float, optional
        With δ: the probability X of outputs that may move beliefs further; above δ, below 1;
        100 δ if left out. Rises are then read at the loss ℓ = ε − ln(1 − δ/X), and ranges, which
        may be left at either end, at the slightly larger one of X/(1 + e^(−ℓ)).
    level : float, optional
        With δ: a posterior τ; the answer bounds the probability that a belief which starts at
        the prior's upper bound passes it.
    adjacency : Adjacency or str
        "replace-one" or "add-remove".
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before.

    Returns
    -------
    Explanation or GuaranteeExplanation
        Rounded outwards. The second where the guarantee is neither ε nor (ε, δ) on data of any
        size.

    Raises
    ------
    InvalidArgument
        If a number is out of its range, or exceedance or level come without delta.

    References
    ----------
    tramer-2015, Theorem 2; kairouz-oh-viswanath-2015, Theorem 2.1; humphries-2020, Theorem 3.

    Examples
    --------
    >>> import math
    >>> answer = explain(math.log(3), prior=(0.5, 0.5))
    >>> round(answer.gamma, 9), round(answer.attack_success, 9)
    (2.0, 0.75)
    >>> explain("zcdp:0.1").exceedance <= 1e-4
    True
    """
    if not isinstance(epsilon, str) and not attrs.has(type(epsilon)):
        return explain_budget(
            epsilon, delta, exceedance=exceedance, level=level, adjacency=adjacency, prior=prior
        )
    if delta is not None or adjacency != Adjacency.REPLACE_ONE:
        raise InvalidArgument(
            f"Expected a guarantee alone, got {epsilon} beside `delta` or `adjacency`. Write "
            "all of it in one word, as in approx-dp:1,1e-6@add-remove."
        )
    # Pure and approximate DP by their numbers, and all others by what follows of them.
    notion = read(epsilon, BoundedPriors(*validate.pair(prior, "prior")))
    if isinstance(notion, PureDP | ApproxDP) and notion.records is None:
        return explain_budget(
            notion.epsilon,
            notion.delta or None if isinstance(notion, ApproxDP) else None,
            exceedance=exceedance,
            level=level,
            adjacency=notion.adjacency,
            prior=prior,
        )
    if level is not None:
        raise InvalidArgument(
            f"Expected no `level` with {notion.spec}, got {level}. `level` goes with (ε, δ)."
        )
    return explain_guarantee(notion, exceedance=exceedance, prior=prior)


def explain_guarantee(
    guarantee: str | Notion,
    *,
    exceedance: float | None = None,
    prior: tuple[float, float] = (0.0, 1.0),
) -> GuaranteeExplanation:
    """Return what any guarantee implies for beliefs and attacks, as far as theorems lead.

    Parameters
    ----------
    guarantee : str or notion
        As a value, or written like ``zcdp:0.1``.
    exceedance : float, optional
        Where the loss is passed now and then: the probability of outputs that may move beliefs
        further; 100 δ if left out, δ being 1e-6 where the guarantee states none.
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before.

    Returns
    -------
    GuaranteeExplanation
        Rounded outwards.

    Raises
    ------
    InvalidArgument
        If the guarantee is written wrong, or a number is out of its range.

    Examples
    --------
    >>> answer = explain_guarantee("zcdp:0.1", prior=(0.5, 0.5))
    >>> round(answer.exceedance, 9), round(answer.posterior[0].upper, 3)
    (0.0001, 0.884)
    """
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    notion = read(guarantee, adversary)
    rarely, loss = _loss(notion, exceedance)
    gamma = gamma_outside = both_ways = None
    posterior: tuple[PosteriorRange, ...] = ()
    if loss is not None:
        at_loss = PureDP(loss, _adjacency(notion))
        gamma = pure_dp_to_positive_membership(at_loss, adversary).gamma
        gamma_outside = pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma
        both_ways = loss
        if isinstance(notion, PrivacyLossTail) and exceedance is None:
            rarely = either_end(loss, rarely)
        elif rarely:
            both_ways = range_loss(lambda share: tail_loss(notion, share), rarely, delta_of(notion))
        posterior = posterior_ranges(both_ways, dict.fromkeys([adversary.low, adversary.high]))
    return GuaranteeExplanation(
        guarantee=notion,
        adversary=adversary,
        exceedance=rarely,
        loss=loss,
        range_loss=both_ways,
        gamma=gamma,
        gamma_outside=gamma_outside,
        posterior=posterior,
        attack_success=_least(notion, "attack-success", "probability"),
        advantage=_least(notion, "advantage", "value"),
        tied=tuple(
            belief_of_group(k, _loss_of_group(notion, loss, rarely, k), adversary.high)
            for k in SIZES
        ),
    )


def _loss_of_group(notion: Notion, loss: float | None, rarely: float, people: int) -> float:
    """The loss about one of several people: what holds in data of every size adds up over them."""
    if loss is None:
        return math.inf
    if getattr(notion, "records", None) is None and not getattr(notion, "slack", 0):
        match notion if rarely else PureDP(loss):
            case PureDP() | ApproxDP() | ZCDP() as adds_up:
                return group_loss(adds_up, people, rarely)
            case GaussianDP() as adds_up:
                return tail_loss(of_group(adds_up, people), rarely)
    return loss if people == 1 else math.inf


def _adjacency(notion: Notion) -> Adjacency:
    setting = getattr(notion, "setting", None)
    if isinstance(setting, Setting):
        return setting.adjacency
    return getattr(notion, "adjacency", Adjacency.REPLACE_ONE)


def _loss(notion: Notion, exceedance: float | None) -> tuple[float, float | None]:
    """How rarely the loss is passed, and the loss: without exception where that is known."""
    suffix = _adjacency(notion).suffix
    certain = _least(notion, f"pure-dp{suffix}", "epsilon")
    if certain is not None:
        return refuse_exceedance(notion.spec, exceedance), certain
    rarely = usual_exceedance(exceedance, delta_of(notion))
    if isinstance(notion, PrivacyLossTail) and exceedance is None:
        return notion.exceedance, notion.epsilon
    loss = tail_loss(notion, rarely)
    return (0.0, None) if math.isinf(loss) else (rarely, loss)


def tail_loss(notion: Notion, rarely: float) -> float:
    """The least loss that is passed so rarely; infinite where no theorem bounds one."""
    loss = _least(notion, f"privacy-loss-tail:?,{rarely!r}{_adjacency(notion).suffix}", "epsilon")
    return math.inf if loss is None else loss


def delta_of(notion: Notion) -> float:
    """How often at most an output gives everything away; 0 where the guarantee states none."""
    if isinstance(notion, TradeOffCurve):
        return 1 - min(notion.points[0][1], notion.points[-1][0])
    return float(getattr(notion, "delta", 0.0))


def _least(notion: Notion, target: str, name: str) -> float | None:
    """The strongest number of a kind that follows, if one does."""
    try:
        value = getattr(derive(notion, target).target, name)
    except NoDerivation:
        return None
    return float(value)


_RATES = tuple(step / 50 for step in range(1, 50))
"""False-positive rates of a drawn curve: smooth at its size, each a search of some milliseconds."""
USUAL_RATES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95)
"""False-positive rates of a printed curve: attacks are judged at small ones."""


@attrs.frozen
class TradeOffPoint:
    """The share of members that an attack misses at least, at this false-positive rate."""

    fpr: float
    fnr: float


@attrs.frozen(repr=False)
class TradeOff(Answer):
    """Points of the trade-off function of a guarantee, each below it; `chain` says why.

    Straight lines between these points are above a convex function. `curve` is the guarantee that
    can be written and given again.
    """

    given: Notion
    points: tuple[TradeOffPoint, ...]
    chain: tuple[Link, ...]

    @property
    def curve(self) -> TradeOffCurve:
        """The highest of a few lines that no attack is below, which is no higher than `points`."""
        curve = derive(self.given, f"trade-off{_adjacency(self.given).suffix}").target
        assert isinstance(curve, TradeOffCurve)
        return curve

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        curve = self.curve
        to = {"notion": "trade-off", "parameters": {"points": curve.points}, "spec": curve.spec}
        return {
            "from": [self.given.spec],
            "to": to | {"points": self.points},
            "chain": self.chain,
            "about": "one and the same release",
        }


def trade_off(given: str | Notion, rates: Sequence[float] = USUAL_RATES) -> TradeOff:
    """Return the least false-negative rate of all attacks, at each given false-positive rate.

    Parameters
    ----------
    given : str or notion
        What holds, as a value or written like ``zcdp:0.1``.
    rates : sequence of float
        False-positive rates in (0, 1), dimensionless.

    Returns
    -------
    TradeOff
        Each point rounded down, by the strongest chain of theorems at its rate.

    Raises
    ------
    InvalidArgument
        If the guarantee is written wrong, or there is no rate.
    NoDerivation
        If no theorem leads from it to false-negative rates.

    Examples
    --------
    >>> [round(each.fnr, 3) for each in trade_off("gaussian-dp:1", [0.01, 0.5]).points]
    [0.908, 0.159]
    """
    notion, rates = read(given), [validate.number(rate, "each of rates") for rate in rates]
    if not rates:
        raise InvalidArgument("Expected at least one rate, got none. Name a false-positive rate.")
    adjacency = getattr(notion, "adjacency", None)
    suffix = "" if adjacency is None else adjacency.suffix
    points: list[TradeOffPoint] = []
    chain: list[Link] = []
    for rate in rates:
        derived = derive(notion, f"false-negative-rate:?,{rate!r}{suffix}")
        points.append(TradeOffPoint(derived.target.fpr, derived.target.fnr))
        chain += derived.chain
    return TradeOff(notion, tuple(points), tuple(chain))
