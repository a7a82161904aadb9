"""The trade-off of a guarantee: the least share of members that an attack misses, rate by rate."""

from collections.abc import Sequence
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.notions import FalseNegativeRate, Notion
from deniable.notions.notation import parse
from deniable.numerics.answer import Answer
from deniable.theorems.derive import Link, derive

USUAL_RATES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95)
"""False-positive rates of a printed curve: attacks are judged at small ones."""


@attrs.frozen
class TradeOffPoint:
    """At this false-positive rate an attack misses at least so many members."""

    fpr: float
    fnr: float


@attrs.frozen(repr=False)
class TradeOff(Answer):
    """Points of the trade-off function of a guarantee, each below it; `chain` says why."""

    given: Notion
    points: tuple[TradeOffPoint, ...]
    chain: tuple[Link, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            "from": [self.given.spec],
            "to": {"notion": "trade-off", "points": [attrs.asdict(each) for each in self.points]},
            "chain": [link.as_json() for link in self.chain],
            "about": "one and the same release",
        }


def trade_off(given: str | Notion, rates: Sequence[float] = USUAL_RATES) -> TradeOff:
    """The least false-negative rate of every attack, at each of some false-positive rates.

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
    notion = parse(given) if isinstance(given, str) else given
    if not rates:
        raise InvalidArgument("Expected at least one rate, got none. Name a false-positive rate.")
    adjacency = getattr(notion, "adjacency", None)
    suffix = "" if adjacency is None else adjacency.suffix
    points: list[TradeOffPoint] = []
    chain: list[Link] = []
    for rate in rates:
        derived = derive(notion, f"false-negative-rate:?,{rate!r}{suffix}")
        points += [
            TradeOffPoint(each.fpr, each.fnr)
            for each in (derived.target,)
            if isinstance(each, FalseNegativeRate)
        ]
        chain += derived.chain
    return TradeOff(notion, tuple(points), tuple(chain))
