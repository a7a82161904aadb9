"""The total of several guarantees, in the strongest measure in which all of them add up."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeVar

import attrs

from deniable.errors import InvalidArgument, NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, Notion, PureDP
from deniable.numerics.rounding import directed, upper
from deniable.theorems.adjacency import (
    add_remove_approx_dp_to_replace_one_approx_dp,
    add_remove_dp_to_replace_one_dp,
    add_remove_gaussian_dp_to_replace_one_gaussian_dp,
    add_remove_zcdp_to_replace_one_zcdp,
)
from deniable.theorems.analysis.target import Step
from deniable.theorems.concentrated import pure_dp_to_zcdp
from deniable.theorems.gaussian import gaussian_dp_to_zcdp
from deniable.theorems.pure_and_approximate import pure_dp_to_approx_dp

Composable: TypeAlias = PureDP | ApproxDP | ZCDP | GaussianDP
"""What is known to add up when releases are chosen adaptively."""

N = TypeVar("N", bound=Composable)

_ADDED = {
    PureDP: "ε adds up, also where releases are chosen adaptively (dwork-roth-2014, Theorem B.1)",
    ApproxDP: "ε and δ add up, also where releases are chosen adaptively "
    "(dwork-roth-2014, Theorem B.1)",
    ZCDP: "ρ adds up, also where releases are chosen adaptively (bun-steinke-2016, Lemma 2.3)",
    GaussianDP: "μ² adds up, also where releases are chosen adaptively (dong-roth-su-2022)",
}


@attrs.frozen
class Total:
    """What several releases satisfy together, and the steps that show it."""

    guarantee: Composable
    steps: tuple[Step, ...]


def total(given: Sequence[Notion]) -> Total:
    """Convert the guarantees to one adjacency and measure, and add them up.

    Raises
    ------
    InvalidArgument
        If there is none.
    NotApplicable
        If one is not known to add up with the others.
    """
    if not given:
        raise InvalidArgument("Expected at least one guarantee, got none. Name a release's.")
    steps: list[Step] = []
    rows = [_composable(each) for each in given]
    alike = _in_one_measure(_under_one_adjacency(rows, steps), steps)
    result = _sum(alike)
    names = " and ".join(each.spec for each in alike)
    steps.append(Step(names, result.spec, _ADDED[type(result)]))
    return Total(result, tuple(steps))


def _composable(notion: Notion) -> Composable:
    if not isinstance(notion, PureDP | ApproxDP | ZCDP | GaussianDP):
        raise NotApplicable(
            f"Expected pure-dp, approx-dp, zcdp or gaussian-dp, got {notion.spec}, which speaks "
            "of one release and does not add up. Give the differential privacy of that release."
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


def _under_one_adjacency(given: Iterable[Composable], steps: list[Step]) -> list[Composable]:
    """All as they are if they share their neighbours, else all replace-one."""
    rows = list(given)
    if len({each.adjacency for each in rows}) == 1:
        return rows
    return [_replace_one(each, steps) for each in rows]


def _replace_one(each: Composable, steps: list[Step]) -> Composable:
    if each.adjacency is Adjacency.REPLACE_ONE:
        return each
    result: Composable
    match each:
        case PureDP():
            result, name = add_remove_dp_to_replace_one_dp(each), "add_remove_dp_to_replace_one_dp"
        case ApproxDP():
            result = add_remove_approx_dp_to_replace_one_approx_dp(each)
            name = "add_remove_approx_dp_to_replace_one_approx_dp"
        case ZCDP():
            result = add_remove_zcdp_to_replace_one_zcdp(each)
            name = "add_remove_zcdp_to_replace_one_zcdp"
        case GaussianDP():
            result = add_remove_gaussian_dp_to_replace_one_gaussian_dp(each)
            name = "add_remove_gaussian_dp_to_replace_one_gaussian_dp"
    steps.append(Step(each.spec, result.spec, name))
    return result


def _in_one_measure(given: list[Composable], steps: list[Step]) -> list[Composable]:
    """All as they are if they are of one kind; pure ones to (ε, 0) beside δ; else all in ρ."""
    kinds = {type(each) for each in given}
    if len(kinds) == 1:
        return given
    if ApproxDP in kinds:
        return [_approx(each, steps) for each in given]
    return [_zcdp(each, steps) for each in given]


def _approx(each: Composable, steps: list[Step]) -> ApproxDP:
    match each:
        case ApproxDP():
            return each
        case PureDP():
            result = pure_dp_to_approx_dp(each)
            steps.append(Step(each.spec, result.spec, "pure_dp_to_approx_dp"))
            return result
        case _:
            raise NotApplicable(
                f"Expected pure-dp or approx-dp beside an approx-dp, got {each.spec}. Choose a "
                f"delta for it: deniable derive {each.spec} approx-dp:?,1e-6."
            )


def _zcdp(each: Composable, steps: list[Step]) -> ZCDP:
    match each:
        case ZCDP():
            return each
        case PureDP():
            result, name = pure_dp_to_zcdp(each), "pure_dp_to_zcdp"
        case GaussianDP():
            result, name = gaussian_dp_to_zcdp(each), "gaussian_dp_to_zcdp"
        case _:
            raise AssertionError("approx-dp is handled before")
    steps.append(Step(each.spec, result.spec, name))
    return result


def _sum(alike: list[Composable]) -> Composable:
    adjacency = alike[0].adjacency
    match alike[0]:
        case PureDP():
            return PureDP(_add_up(each.epsilon for each in _of(PureDP, alike)), adjacency)
        case ApproxDP():
            rows = _of(ApproxDP, alike)
            delta = _add_up(each.delta for each in rows)
            if delta >= 1:
                raise NotApplicable(f"Expected deltas that add up to less than 1, got {delta}.")
            return ApproxDP(_add_up(each.epsilon for each in rows), delta, adjacency)
        case ZCDP():
            return ZCDP(_add_up(each.rho for each in _of(ZCDP, alike)), adjacency)
        case GaussianDP():
            with directed() as r:
                squares = [r(each.mu) ** 2 for each in _of(GaussianDP, alike)]
                return GaussianDP(upper(r.sqrt(sum(squares, r(0)))), adjacency)


def _of(kind: type[N], alike: list[Composable]) -> list[N]:
    return [each for each in alike if isinstance(each, kind)]


def _add_up(amounts: Iterable[float]) -> float:
    """The sum, rounded up once."""
    with directed() as r:
        return upper(sum((r(amount) for amount in amounts), r(0)))
