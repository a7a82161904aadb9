"""Rényi differential privacy: how far apart the laws of a release may be, order by order."""

import math
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import _fields
from deniable.notions._fields import Adjacency


def _order(value: Any) -> float:
    result = validate.number(value, "order")
    if not 1 < result < math.inf:
        raise InvalidArgument(f"Expected 1 < order < inf, got order={result}.")
    return result


def _also(value: Any) -> tuple[tuple[float, float], ...]:
    return tuple((_order(order), _fields.epsilon(epsilon)) for order, epsilon in value)


@attrs.frozen
class RenyiDP:
    r"""Rényi differential privacy (mironov-2017): the divergence of one order, or of several.

    .. math:: D_a(P \| Q) = \tfrac{1}{a - 1} \ln \sum_x P(x)^a Q(x)^{1-a} \le \epsilon

    for the laws P and Q of the release on neighbours, either way round; a > 1 is the `order`. With
    `also`, pairs of an order and its ε, the same holds of these.
    """

    order: float = attrs.field(converter=_order)
    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    also: tuple[tuple[float, float], ...] = attrs.field(default=(), converter=_also)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Every order with its ε, the lowest order first."""
        return tuple(sorted([(self.order, self.epsilon), *self.also]))

    @property
    def spec(self) -> str:
        """``rdp:a,ε``, and ``@also-a,ε/a,ε`` where more orders are known."""
        first, *rest = (_fields.numbers(*pair) for pair in ((self.order, self.epsilon), *self.also))
        also = f"@also-{'/'.join(rest)}" if rest else ""
        return f"rdp:{first}{self.adjacency.suffix}{also}"
