"""δ of Poisson-sampled Gaussian steps in both directions, to hundreds of digits.

A step gives P = (1 − q)N(0, σ²) + qN(1, σ²) where the record may be, and Q = N(0, σ²) where not.
"""

from contextlib import contextmanager

from flint import arb, ctx


@contextmanager
def bits(precision):
    """Balls of so many bits inside."""
    before, ctx.prec = ctx.prec, precision
    try:
        yield
    finally:
        ctx.prec = before


def below(x):
    """Φ(x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def threshold(ratio, q, sigma):
    """The output at which P/Q is the ratio; None where it is more everywhere."""
    exponential = (ratio - 1 + q) / q
    return sigma**2 * exponential.log() + arb(1) / 2 if exponential > 0 else None


def one_step(ratio, q, sigma, *, removed):
    """∫ max(0, p − ratio·q), or the two laws exchanged."""
    q, sigma = arb(q), arb(sigma)
    if removed:
        x = threshold(ratio, q, sigma)
        if x is None:
            return 1 - ratio
        there = (1 - q) * below(-x / sigma) + q * below((1 - x) / sigma)
        return there - ratio * below(-x / sigma)
    x = threshold(1 / ratio, q, sigma)
    if x is None:
        return arb(0)
    there = (1 - q) * below(x / sigma) + q * below((x - 1) / sigma)
    return below(x / sigma) - ratio * there


def several_steps(ratio, q, sigma, steps, *, removed, spacing=0.5, far=30):
    """The same of equal steps: all but one integrated by the trapezoidal rule.

    It is exact to e^(−2π²/h²) about, h the spacing in standard deviations, where the loss of a
    step is smooth on that scale: σ is to be several times 1.
    """
    if steps == 1:
        return one_step(ratio, q, sigma, removed=removed)
    total, h, s = arb(0), arb(spacing), arb(sigma)
    for k in range(-round(far / spacing), round(far / spacing) + 1):
        x = h * k
        odds = 1 - arb(q) + arb(q) * ((2 * x * s - 1) / (2 * s**2)).exp()
        weight = h * (-(x**2) / 2).exp() / (2 * arb.pi()).sqrt()
        weight, odds = (weight * odds, odds) if removed else (weight, 1 / odds)
        rest = several_steps(
            ratio / odds, q, sigma, steps - 1, removed=removed, spacing=spacing, far=far
        )
        total += weight * rest
    return total


def every_record(ratio, sigma, steps):
    """q = 1, where steps are one Gaussian of μ = √T/σ; both directions alike."""
    mu, epsilon = arb(steps).sqrt() / arb(sigma), ratio.log()
    return below(mu / 2 - epsilon / mu) - ratio * below(-mu / 2 - epsilon / mu)
