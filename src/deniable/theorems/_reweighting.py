"""How far a law moves when it is reweighted by factors of bounded spread."""

from deniable.numerics.rounding import Ball, directed, upper


def moved_by(epsilon: float, spread: int) -> float:
    """How far factors of spread e^(spread·ε) move a law: tanh(spread·ε/4), rounded up."""
    with directed() as r:
        grown: Ball = r.expm1(spread * r(epsilon) / 2)
        return max(0.0, min(upper(grown / (grown + 2)), 1.0))


def spread_of(distance: float) -> float:
    """The ε whose spread e^ε moves a law by `distance`: 4 artanh, rounded up."""
    with directed() as r:
        d = r(distance)
        return max(0.0, upper(2 * r.log1p(2 * d / (1 - d))))
