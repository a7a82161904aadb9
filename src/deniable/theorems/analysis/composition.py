"""Add up several releases about the same people, and say what an attacker can conclude.

Beliefs do not compose, differential privacy does: the guarantees are added up first, and beliefs
are read off the total. The releases may be chosen adaptively, each in the light of all earlier
outputs; their guarantees are those that are given, fixed beforehand.
"""

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import attrs

from deniable.errors import InvalidArgument, NoDerivation, NotApplicable, validate
from deniable.errors.validate import in_full
from deniable.notions import (
    ZCDP,
    Adjacency,
    ApproxDP,
    ApproxZCDP,
    GaussianDP,
    Notion,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    TradeOffCurve,
)
from deniable.notions.adversaries import BoundedPriors
from deniable.notions.notation import form_of, listed, parse, read_all, repeat
from deniable.numerics.answer import BudgetAnswer, fields_of, round_outwards
from deniable.numerics.rounding import directed, least_within, upper
from deniable.theorems.adjacency import (
    add_remove_approx_dp_to_replace_one_approx_dp,
    add_remove_dp_to_replace_one_dp,
    add_remove_gaussian_dp_to_replace_one_gaussian_dp,
    add_remove_zcdp_to_replace_one_zcdp,
)
from deniable.theorems.analysis.composed_loss import composed_loss
from deniable.theorems.analysis.explain import (
    DEFAULT_EXCEEDANCE,
    USUAL_DELTA,
    USUAL_PRIORS,
    PosteriorRange,
    belief_cautions,
    posterior_ranges,
    range_loss,
    refuse_exceedance,
    usual_exceedance,
)
from deniable.theorems.analysis.guarantee import delta_of
from deniable.theorems.analysis.privacy_loss import LARGEST_RHO, Composition, Route, least_loss
from deniable.theorems.analysis.target import Step
from deniable.theorems.attacks import approx_dp_to_attack_success
from deniable.theorems.derive import derive
from deniable.theorems.gaussian import gaussian_dp_to_zcdp
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.theorems.pure_and_approximate import (
    approx_dp_to_privacy_loss_tail,
    pure_dp_to_approx_dp,
    pure_dp_to_zcdp,
    zcdp_to_approx_zcdp,
)
from deniable.theorems.renyi import pure_dp_to_renyi_dp, renyi_dp_to_lower_order, zcdp_to_renyi_dp
from deniable.theorems.trade_off import (
    add_remove_trade_off_to_replace_one_trade_off,
    approx_dp_to_trade_off,
    compose_trade_offs,
    trade_off_to_privacy_loss_tail,
)

Composable: TypeAlias = PureDP | ApproxDP | ZCDP | ApproxZCDP | RenyiDP | GaussianDP | TradeOffCurve
"""What is known to add up when releases are chosen adaptively."""

N = TypeVar("N", bound=Composable)

_ADDED = {
    PureDP: "ε adds up, also where releases are chosen adaptively (dwork-roth-2014, Theorem B.1)",
    ApproxDP: "ε and δ add up, also where releases are chosen adaptively "
    "(dwork-roth-2014, Theorem B.1)",
    ZCDP: "ρ adds up, also where releases are chosen adaptively (bun-steinke-2016, Lemma 2.3)",
    ApproxZCDP: "ρ and δ add up, also where releases are chosen adaptively "
    "(bun-steinke-2016, Lemma 8.2)",
    RenyiDP: "ε adds up at each order, also where releases are chosen adaptively "
    "(mironov-2017, Proposition 1)",
    TradeOffCurve: "curves multiply as pairs of laws, also where releases are chosen adaptively "
    "(dong-roth-su-2022, Theorem 3.2)",
    GaussianDP: "μ² adds up, also where releases are chosen adaptively (dong-roth-su-2022)",
}


@attrs.frozen
class Total:
    """What several releases satisfy together, and the steps that show it."""

    guarantee: Composable
    steps: tuple[Step, ...]


def total(given: Sequence[Notion]) -> Total:
    """Convert the guarantees to one adjacency and measure, and add them up."""
    if not given:
        raise InvalidArgument("Expected at least one guarantee, got none. Name a release's.")
    steps: list[Step] = []
    rows = [_composable(each) for each in given]
    alike = _in_one_measure(_under_one_adjacency(rows, steps), steps)
    result = _sum(alike)
    steps.append(Step(_names(alike), result.spec, _ADDED[type(result)]))
    return Total(result, tuple(steps))


_FEW = 3
"""Releases of one guarantee in a row that are each named."""


def _names(guarantees: Sequence[Notion]) -> str:
    """Guarantees in a row; many that are the same as one, with their number."""
    names: list[str] = []
    for spec, same in itertools.groupby(each.spec for each in guarantees):
        count = len(list(same))
        names += [f"{count}*{spec}"] if count > _FEW else [spec] * count
    return " and ".join(names)


def _composable(notion: Notion) -> Composable:
    if not isinstance(notion, Composable):
        known = _differential_privacy_of(notion)
        raise NotApplicable(
            "Expected pure-dp, approx-dp, zcdp, approx-zcdp, rdp, gaussian-dp or trade-off, got "
            f"{notion.spec}, which is not added up. Give the differential privacy of that release"
            + (f", such as {known}." if known else "."),
            instead=(notion.spec, known) if known else None,
        )
    if isinstance(notion, PureDP | ApproxDP) and notion.records is not None:
        raise NotApplicable(
            f"Expected guarantees for data of any size, got {notion.spec}. Give one that holds for "
            "every size."
        )
    if isinstance(notion, GaussianDP) and notion.slack:
        raise NotApplicable(
            f"Expected gaussian-dp without slack, got {notion.spec}. Give the release's zcdp."
        )
    return notion


def _differential_privacy_of(notion: Notion) -> str | None:
    """What adds up and follows from a guarantee: ε, or ε at the usual δ."""
    adjacency = getattr(notion, "adjacency", Adjacency.REPLACE_ONE)
    delta = max(USUAL_DELTA, 2 * delta_of(notion))
    for target in ("pure-dp", f"approx-dp:?,{delta!r}"):
        with contextlib.suppress(NoDerivation):
            spec: str = derive(notion, f"{target}@{adjacency}").target.spec
            return spec
    return None


def _under_one_adjacency(given: Iterable[Composable], steps: list[Step]) -> list[Composable]:
    """All as they are if they share their neighbours, else all replace-one."""
    rows = list(given)
    if len({each.adjacency for each in rows}) == 1:
        return rows
    alike: list[Composable] = []
    for each in rows:
        if each.adjacency is Adjacency.ADD_REMOVE:
            if type(each) not in _TO_REPLACE_ONE:
                raise NotApplicable(
                    f"Expected replace-one beside replace-one, got {each.spec}. Give all of them "
                    "for the same neighbours."
                )
            each = _by(_TO_REPLACE_ONE[type(each)], each, steps)
        alike.append(each)
    return alike


def _by(theorem: Callable[..., Any], each: Composable, steps: list[Step]) -> Any:
    """What follows by a theorem, whose step is kept."""
    result = theorem(each)
    steps.append(Step(each.spec, result.spec, theorem.__name__))
    return result


def _in_one_measure(given: list[Composable], steps: list[Step]) -> list[Composable]:
    """All as they are if they are of one kind; pure ones to (ε, 0) beside δ; else all in ρ."""
    kinds = {type(each) for each in given}
    if len(kinds) == 1 and RenyiDP not in kinds:
        return given
    if TradeOffCurve in kinds:
        return [_trade_off(each, steps) for each in given]
    if ApproxDP in kinds:
        return [_approx(each, steps) for each in given]
    if ApproxZCDP in kinds:
        return [_approx_zcdp(each, steps) for each in given]
    if RenyiDP in kinds:
        return [*_at_common_orders(given, steps)]
    return [_zcdp(each, steps) for each in given]


def _trade_off(each: Composable, steps: list[Step]) -> TradeOffCurve:
    if isinstance(each, TradeOffCurve):
        return each
    if not isinstance(each, PureDP | ApproxDP):
        raise _needs_delta(each, "trade-off, pure-dp or approx-dp beside a trade-off")
    result = approx_dp_to_trade_off(_approx(each, steps))
    steps.append(Step(each.spec, result.spec, "approx_dp_to_trade_off"))
    return result


def _approx(each: Composable, steps: list[Step]) -> ApproxDP:
    if isinstance(each, ApproxDP):
        return each
    if not isinstance(each, PureDP):
        raise _needs_delta(each, "pure-dp or approx-dp beside an approx-dp")
    result: ApproxDP = _by(pure_dp_to_approx_dp, each, steps)
    return result


def _needs_delta(each: Composable, expected: str) -> NotApplicable:
    return NotApplicable(
        f"Expected {expected}, got {each.spec}. Choose a delta for it: deniable derive "
        f"{each.spec} approx-dp:?,1e-6.",
        instead=(each.spec, _differential_privacy_of(each) or ""),
    )


def _approx_zcdp(each: Composable, steps: list[Step]) -> ApproxZCDP:
    if isinstance(each, ApproxZCDP):
        return each
    if isinstance(each, RenyiDP):
        raise NotApplicable(
            f"Expected zcdp, gaussian-dp or pure-dp beside an approx-zcdp, got {each.spec}. "
            "Give its zcdp."
        )
    result: ApproxZCDP = _by(zcdp_to_approx_zcdp, _zcdp(each, steps), steps)
    return result


def _zcdp(each: Composable, steps: list[Step]) -> ZCDP:
    if isinstance(each, ZCDP):
        return each
    result: ZCDP = _by(_TO_ZCDP[type(each)], each, steps)
    return result


def _at_common_orders(given: list[Composable], steps: list[Step]) -> Iterator[RenyiDP]:
    """Each at every order that one of them names and all of them know."""
    known = [each.points for each in _of(RenyiDP, given)]
    highest = min(points[-1][0] for points in known)
    orders = sorted({order for points in known for order, _ in points if order <= highest})
    for each in given:
        source = _zcdp(each, steps) if isinstance(each, GaussianDP) else each
        theorem = _AT_ORDER[type(source)]
        rows = [theorem(source, order) for order in orders]
        first, *rest = ((row.order, row.epsilon) for row in rows)
        result = RenyiDP(*first, each.adjacency, tuple(rest))
        if result != each:
            steps.append(Step(source.spec, result.spec, theorem.__name__))
        yield result


_TO_REPLACE_ONE: dict[type, Callable[..., Any]] = {
    PureDP: add_remove_dp_to_replace_one_dp,
    ApproxDP: add_remove_approx_dp_to_replace_one_approx_dp,
    ZCDP: add_remove_zcdp_to_replace_one_zcdp,
    TradeOffCurve: add_remove_trade_off_to_replace_one_trade_off,
    GaussianDP: add_remove_gaussian_dp_to_replace_one_gaussian_dp,
}
_TO_ZCDP: dict[type, Callable[..., Any]] = {
    PureDP: pure_dp_to_zcdp,
    GaussianDP: gaussian_dp_to_zcdp,
}
_AT_ORDER: dict[type, Callable[..., Any]] = {
    RenyiDP: renyi_dp_to_lower_order,
    PureDP: pure_dp_to_renyi_dp,
    ZCDP: zcdp_to_renyi_dp,
}
"""What converts a guarantee of each kind."""


def _sum(alike: list[Composable]) -> Composable:
    adjacency = alike[0].adjacency
    match alike[0]:
        case PureDP():
            return PureDP(_add_up(each.epsilon for each in _of(PureDP, alike)), adjacency)
        case ApproxDP():
            rows = _of(ApproxDP, alike)
            epsilon = _add_up(each.epsilon for each in rows)
            return ApproxDP(epsilon, _added_deltas(each.delta for each in rows), adjacency)
        case ZCDP():
            return ZCDP(_add_up(each.rho for each in _of(ZCDP, alike)), adjacency)
        case ApproxZCDP():
            parts = _of(ApproxZCDP, alike)
            rho = _add_up(each.rho for each in parts)
            return ApproxZCDP(rho, _added_deltas(each.delta for each in parts), adjacency)
        case RenyiDP():
            columns = zip(*(each.points for each in _of(RenyiDP, alike)), strict=True)
            first, *rest = (
                (column[0][0], _add_up(epsilon for _, epsilon in column)) for column in columns
            )
            return RenyiDP(*first, adjacency, tuple(rest))
        case TradeOffCurve():
            return functools.reduce(compose_trade_offs, _of(TradeOffCurve, alike))
        case GaussianDP():
            with directed() as r:
                squares = [r(each.mu) ** 2 for each in _of(GaussianDP, alike)]
                return GaussianDP(upper(r.sqrt(sum(squares, r(0)))), adjacency)


def _added_deltas(deltas: Iterable[float]) -> float:
    total_ = _add_up(deltas)
    if total_ >= 1:
        raise NotApplicable(f"Expected deltas that add up to less than 1, got {total_}.")
    return total_


def _of(kind: type[N], alike: list[Composable]) -> list[N]:
    return [each for each in alike if isinstance(each, kind)]


def _add_up(amounts: Iterable[float]) -> float:
    with directed() as r:
        return upper(sum((r(amount) for amount in amounts), r(0)))


@attrs.frozen(repr=False)
class Composed(BudgetAnswer):
    """What several releases satisfy together; every number is on the safe side.

    `gamma`, and `gamma_outside` of any prior, are read at the privacy loss `loss`; `posterior`,
    whose ranges may be left at either end, at `range_loss`. All hold but for outputs of
    probability at most `exceedance`, 0 where all outputs keep to the loss.
    """

    given: tuple[Notion, ...]
    total: Composable
    adversary: BoundedPriors
    exceedance: float
    loss: float
    range_loss: float
    gamma: float
    gamma_outside: float
    posterior: tuple[PosteriorRange, ...]
    derivation: tuple[Step, ...]

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is wrong with the limit on beliefs, and with what it may be compared."""
        success = approx_dp_to_attack_success(ApproxDP(self.loss, self.exceedance)).probability
        alone = {each.spec: _usual_exceedance_of(each) for each in self.given}
        others = [
            f"{spec} {'without exception' if usual == 0 else f'at {_up(usual)}'}"
            for spec, usual in alone.items()
            if usual != self.exceedance
        ]
        cautions = belief_cautions(self.loss, success, self.exceedance)
        if not others or self.exceedance not in (
            _usual_exceedance_of(self.total),
            usual_exceedance(None),
        ):
            return cautions
        compare = "Ask for the same exceedance to compare them."
        if not any(alone.values()):  # no exceedance can be asked of these
            compare = f'To compare them, read the sum without exception: "{self.total.spec}".'
        return (
            *cautions,
            f"These beliefs are read at an exceedance of {_up(self.exceedance)}; those of one "
            f"release by itself, {', '.join(others)}. {compare}",
        )

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        form = form_of(type(self.total))
        return {
            "cautions": list(self.cautions),
            "from": [each.spec for each in self.given],
            "to": {
                "notion": form.word,
                "parameters": {name: getattr(self.total, name) for name in form.numbers},
                "spec": self.total.spec,
                "adjacency": str(self.total.adjacency),
            },
            "prior": [self.adversary.low, self.adversary.high],
            **fields_of(self, "exceedance", "loss", "range_loss", "gamma", "gamma_outside"),
            **fields_of(self, "posterior", "derivation"),
        }


def compose(
    guarantees: str | Notion | Sequence[str | Notion],
    *,
    exceedance: float | None = None,
    prior: tuple[float, float] = (0.0, 1.0),
) -> Composed:
    r"""Add up the guarantees of several releases about the same people.

    Pure and Gaussian guarantees are converted to ρ where they meet ρ, and all of these to the
    orders of a Rényi guarantee where they meet one; pure ones to (ε, 0) where they meet δ, and both
    to curves where they meet a curve, of which products are taken;
    add-remove ones to replace-one where both adjacencies occur.

    .. math:: \epsilon = \sum \epsilon_i, \quad \delta = \sum \delta_i, \quad
              \rho = \sum \rho_i, \quad \mu = \sqrt{\sum \mu_i^2}

    Parameters
    ----------
    guarantees : str, notion, or several
        One a release, as a value or written like ``pure-dp:1.0``: pure-dp, approx-dp, zcdp,
        approx-zcdp, rdp, gaussian-dp or trade-off; ``3*zcdp:0.1`` are three releases. They are
        the guarantees of *different* releases; several that hold of one and the same release go
        to `derive`.
    exceedance : float, optional
        For several releases, or one in δ, ρ, μ or Rényi orders: the probability of outputs that may
        move beliefs further; 100 δ if left out, δ being 1e-6 where the total states none.
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before the first release.

    Returns
    -------
    Composed
        The total, and beliefs after all releases, rounded outwards.

    Raises
    ------
    InvalidArgument
        If a guarantee is written wrong, or the exceedance is out of its range.
    NotApplicable
        If a guarantee is not known to add up: statements about beliefs, about one population, or
        ρ or μ beside δ or a curve.

    References
    ----------
    dwork-roth-2014, Theorem B.1; bun-steinke-2016, Lemma 2.3; dong-roth-su-2022.

    Examples
    --------
    >>> answer = compose(["pure-dp:0.5", "pure-dp:0.25"], prior=(0.1, 0.1))
    >>> answer.total.spec, round(answer.posterior[2].upper, 4)
    ('pure-dp:0.75', 0.1904)
    """
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    releases = repeat(listed(guarantees))
    given = read_all(releases)
    try:
        added = total(given)
    except NotApplicable as error:
        error.instead = _as_typed(error.instead, releases, given)
        raise
    parts = _under_one_adjacency(map(_composable, given), [])
    rarely, loss, both_ways, because = _best_loss(parts, added, exceedance)
    at_loss = PureDP(loss, added.guarantee.adjacency)
    return Composed(
        given=given,
        total=added.guarantee,
        adversary=adversary,
        exceedance=rarely,
        loss=loss,
        range_loss=both_ways,
        gamma=pure_dp_to_positive_membership(at_loss, adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=posterior_ranges(
            both_ways, sorted({*USUAL_PRIORS, adversary.low, adversary.high})
        ),
        derivation=(*added.steps, *because),
    )


def _as_typed(
    instead: tuple[str, str] | None, guarantees: Sequence[str | Notion], given: Sequence[Notion]
) -> tuple[str, str] | None:
    """What to write in place of a guarantee, which is named as it was written; if that answers."""
    if instead is None or not instead[1]:
        return None
    wrong, right = instead
    place = [each.spec for each in given].index(wrong)
    text = guarantees[place]
    with contextlib.suppress(NotApplicable):
        total(
            [
                parse(right) if each == text else notion
                for each, notion in zip(guarantees, given, strict=True)
            ]
        )
        return (text if isinstance(text, str) else wrong), right
    return None


def _usual_exceedance_of(guarantee: Notion) -> float:
    """Return the exceedance at which beliefs are read unless told; 0 where all outputs keep."""
    delta = getattr(guarantee, "delta", 0.0)
    if isinstance(guarantee, PureDP) or (isinstance(guarantee, ApproxDP) and not delta):
        return 0.0
    return DEFAULT_EXCEEDANCE * (delta or USUAL_DELTA)


def _best_loss(
    parts: Sequence[Composable], added: Total, exceedance: float | None
) -> tuple[float, float, float, tuple[Step, ...]]:
    """How rarely beliefs may move further, the losses of γ and of ranges, and why they are less."""
    # The loss of the total holds, and so does that of all parts; of several pure ones, too, where
    # one that is passed now and then is less than their sum.
    result, reasons = added.guarantee, [""]
    certain = None
    if isinstance(result, PureDP) or (isinstance(result, ApproxDP) and not result.delta):
        certain = result.epsilon
        if len(parts) == 1 or math.isinf(certain):
            return *_loss(result, exceedance), certain, ()

    def loss_at(share: float) -> float:
        of_parts, reason = composed_loss(parts, share)
        of_total = _loss(result, share)[1] if certain is None else certain
        reasons.append(reason if of_parts < of_total else "")
        return min(of_parts, of_total)

    if certain is None:
        rarely, _ = _loss(result, exceedance)
    else:
        rarely = usual_exceedance(exceedance)
    loss, both_ways = loss_at(rarely), range_loss(loss_at, rarely, delta_of(result))
    if loss == certain:
        return 0.0, loss, loss, ()
    if not reasons[1]:
        return rarely, loss, both_ways, ()
    tail = PrivacyLossTail(loss, rarely, result.adjacency).spec
    return rarely, loss, both_ways, (Step(_names(parts), tail, f"{reasons[1]} are composed"),)


def _loss(guarantee: Composable, exceedance: float | None) -> tuple[float, float]:
    """How rarely beliefs may move further, and the loss at which they are read."""
    match guarantee:
        case PureDP():
            return refuse_exceedance(guarantee.spec, exceedance), guarantee.epsilon
        case ApproxDP(delta=0.0) if exceedance is None:
            return 0.0, guarantee.epsilon
    rare = getattr(guarantee, "delta", 0.0)
    is_usual = isinstance(guarantee, ApproxZCDP) and exceedance is None
    rarely = usual_exceedance(exceedance, max(rare, USUAL_DELTA) if is_usual else rare)
    match guarantee:
        case ApproxDP():
            return rarely, approx_dp_to_privacy_loss_tail(guarantee, rarely).epsilon
        case RenyiDP():
            return rarely, _chernoff(guarantee, rarely)
        case TradeOffCurve():
            return rarely, _least_loss_of(guarantee, rarely)
        case ZCDP() | ApproxZCDP():
            route = Route.APPROXIMATE if rare else Route.CONCENTRATED
            composition = Composition(guarantee.rho, route, None, guarantee.adjacency, rare)
        case GaussianDP():
            rho = gaussian_dp_to_zcdp(guarantee).rho
            composition = Composition(rho, Route.GAUSSIAN, 0.0, guarantee.adjacency)
    if composition.rho > LARGEST_RHO:
        return rarely, math.inf  # beyond what the search covers, and beyond any protection
    return rarely, least_loss(composition, rarely).epsilon


_LARGEST_LOSS = 700.0
"""Privacy loss up to which one is searched; e^700 is near the largest float."""


def _least_loss_of(guarantee: TradeOffCurve, rarely: float) -> float:
    """The least loss that is passed with at most that probability, rounded up."""

    def exceedance(loss: float) -> float:
        return trade_off_to_privacy_loss_tail(guarantee, loss).exceedance

    if exceedance(_LARGEST_LOSS) > rarely:
        return math.inf
    return least_within(exceedance, rarely, 0.0, _LARGEST_LOSS, tolerance=1e-9)


def _up(exceedance: float) -> str:
    """Three digits, rounded up: 100 times 1e-6 is a float below 1e-4."""
    return in_full(float(round_outwards(exceedance, 3)))


def _chernoff(guarantee: RenyiDP, rarely: float) -> float:
    """The least loss that is passed with at most that probability, rounded up: over orders."""
    with directed() as r:
        losses = [
            upper(r(epsilon) - r.log(r(rarely)) / (r(order) - 1)) if epsilon else 0.0  # equal laws
            for order, epsilon in guarantee.points
        ]
    return min(losses)
