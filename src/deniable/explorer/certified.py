"""Certified budgets at 200 points: what a page without ball arithmetic may read off.

With δ the largest ρ for a target has no closed form. A guess in floats is made for all points at
once; each is then lowered until the theorem of its route, in balls, says that it holds. The page
takes the next point on the safe side.
"""

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from deniable.notions import Adjacency, Advantage, ApproxDP, PrivacyLossTail
from deniable.numerics.search import bisect_each
from deniable.theorems.analysis import LARGEST_RHO, Composition, Requirement, Route, is_satisfied

POINTS = 200  # points of a curve: neighbours differ by 4 %, and so do the answers at most
_LEAST_LOSS, _MOST_LOSS = 0.01, 50.0
"""Ends of the curves in ε: below nothing is useful, beyond the page shows no belief."""
_LEAST_GAIN = 0.001  # the least advantage of the curve: nobody asks for less
_GAIN = 0.005  # distance between advantages: a belief of 50 % moves by a quarter of 1 %
_DIGITS = 4  # significant digits of a number on the page; it is rounded to the safe side
_HALVINGS = 60  # steps of the bisection in floats: the whole precision of a float64
_ROUTES = (Route.CONCENTRATED, Route.GAUSSIAN)
"""Kinds of plans with a page: those whose keys are public."""
_SHARES = 128  # parts of ε at which the infimum of a tail is looked for; any of them is a bound
_STEP = 1e-4  # share by which a guess that does not hold is lowered; it doubles each time

Floats = NDArray[np.float64]
_ToRequirement = Callable[[float], Requirement]


def certified_curves(
    delta: float, slack: float | None, adjacency: Adjacency = Adjacency.REPLACE_ONE
) -> dict[str, Any]:
    """What the page reads with δ: ρ for a tail of the loss, for (ε, δ)-DP, and for an advantage.

    For growing `losses`, `tail` and `approx` are ρ that are certainly small enough, and so is
    `advantage` for growing `gains`; 0 where none is.

    >>> curves = certified_curves(1e-6, None)
    >>> sorted(curves), len(curves["tail"])
    (['advantage', 'approx', 'delta', 'gains', 'losses', 'tail'], 200)
    """
    losses = spread(_LEAST_LOSS, _MOST_LOSS)
    gains = (_LEAST_GAIN, *(round(_GAIN * i, 3) for i in range(1, POINTS)))
    rows: dict[str, tuple[tuple[float, ...], _ToRequirement]] = {
        "tail": (losses, lambda x: PrivacyLossTail(x, delta, adjacency)),
        "approx": (losses, lambda x: ApproxDP(x, delta, adjacency)),
        "advantage": (gains, Advantage),
    }
    curves: dict[str, Any] = {"delta": delta, "losses": list(losses), "gains": list(gains)}
    for kind, (limits, requirement) in rows.items():
        guesses = {route: _guesses(kind, route, limits, delta, slack) for route in _ROUTES}
        curves[kind] = [
            _certify(requirement(x), {route: guesses[route][i] for route in _ROUTES}, slack)
            for i, x in enumerate(limits)
        ]
    return curves


def spread(low: float, high: float, points: int = POINTS) -> tuple[float, ...]:
    """Evenly spread numbers by size, each a short decimal."""
    return tuple(float(f"{x:.4g}") for x in np.geomspace(low, high, points))


def shorten(value: float, *, up: bool) -> float:
    """Round a number to few digits, up or down."""
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    return float(Context(prec=_DIGITS, rounding=rounding).create_decimal(Decimal(value)))


def _certify(requirement: Requirement, guess: dict[Route, float], slack: float | None) -> float:
    """The larger guess, lowered until it holds; on few digits."""
    adjacency = getattr(requirement, "adjacency", Adjacency.REPLACE_ONE)
    route = max(guess, key=lambda each: guess[each])
    rho, share = guess[route], _STEP
    for _ in range(40):  # most attempts to lower a guess: 1e-4 doubled so often is any number
        short = shorten(rho, up=False)
        if short <= 0:
            return 0.0
        if is_satisfied(Composition(short, route, slack, adjacency), requirement):
            return short
        rho, share = rho * max(1 - share, 0.0), 2 * share
    return 0.0


def _guesses(
    kind: str, route: Route, limits: Sequence[float], delta: float, slack: float | None
) -> Floats:
    """The largest ρ of each point in floats, by bisection of all at once; 0 for a closed route."""
    x = np.array(limits)
    if route is Route.GAUSSIAN and slack is None:
        return np.zeros(len(x))
    low, high = np.full(len(x), 1e-14), np.full(len(x), LARGEST_RHO)
    limit = x if kind == "advantage" else np.full(len(x), delta)

    def holds(rho: Floats) -> NDArray[np.bool_]:
        return np.asarray(_SPENT[kind, route](rho, x, slack or 0.0) <= limit)

    return bisect_each(holds, low, high, halvings=_HALVINGS, by_size=True)[0]


def _delta(rho: Floats, epsilon: Floats, slack: float) -> Floats:
    """Φ(μ/2 − ε/μ + τ) − e^ε Φ(−μ/2 − ε/μ − τ), τ = μ·slack."""
    mu = np.sqrt(2 * rho)
    rise = np.exp(log_ndtr(mu / 2 - epsilon / mu + mu * slack))
    return np.asarray(rise - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu - mu * slack)))


def _tail(rho: Floats, epsilon: Floats, slack: float) -> Floats:
    """Least of δ(e)/(1 − e^(e−ε)) over e < ε."""
    shares = (np.arange(_SHARES) / _SHARES)[:, None]
    curve = _delta(rho[None, :], epsilon * shares, slack)
    return np.asarray((curve / -np.expm1(epsilon * (shares - 1))).min(axis=0))


def _concentrated_delta(rho: Floats, epsilon: Floats, _: float) -> Floats:
    """Least of e^((α−1)(αρ−ε)) (1 − 1/α)^α/(α − 1) over α > 1."""
    above = np.geomspace(1e-3, 1e5, 4 * _SHARES)[:, None]
    order = 1 + above
    logs = above * (order * rho - epsilon) - np.log(above) + order * np.log(above / order)
    return np.asarray(np.exp(np.minimum(logs.min(axis=0), 0.0)))


_SPENT: dict[tuple[str, Route], Callable[[Floats, Floats, float], Floats]] = {
    ("tail", Route.GAUSSIAN): _tail,
    # exp(−(ε − ρ)²/4ρ) for ε > ρ
    ("tail", Route.CONCENTRATED): lambda rho, epsilon, _: np.where(
        epsilon > rho, np.exp(-((epsilon - rho) ** 2) / (4 * rho)), 1.0
    ),
    ("approx", Route.GAUSSIAN): _delta,
    ("approx", Route.CONCENTRATED): _concentrated_delta,
    # 2Φ(μ/2 + μ·slack) − 1
    ("advantage", Route.GAUSSIAN): lambda rho, _, slack: np.asarray(
        2 * np.exp(log_ndtr(np.sqrt(2 * rho) * (0.5 + slack))) - 1
    ),
    # min(√(ρ/2), √(1 − e^−ρ))
    ("advantage", Route.CONCENTRATED): lambda rho, *_: np.asarray(
        np.minimum(np.sqrt(rho / 2), np.sqrt(-np.expm1(-rho)))
    ),
}
"""The theorems of `analysis.privacy_loss` in floats: only to guess with."""
