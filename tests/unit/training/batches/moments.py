"""A second way to what allocation tells: moments of R on a line, in high precision.

∫₀^∞ min(r, k) r^(−s−1) dr = k^(1−s) / (s (1−s)) for 0 < Re s < 1, which Mellin's inversion turns
round. So with s = ½ + iu and K(s) = E R^s of one epoch

    E min(R, k) = (1/π) ∫₀^∞ Re(k^(1−s) K(s)^E / (s (1−s))) du,
    K(s) = 1 + (s/Γ(1−s)) ∫₀^∞ (e^(−w) − φ(w/T)^T) w^(−s−1) dw,    φ(x) = E e^(−xz),

and H_k(P‖Q) = 1 − E min(R, k). Every integral is a sum over equal nodes, which converges
geometrically. Nothing here is shared with the laws that are tested.
"""

import functools
import math

from flint import acb, arb, ctx

DIGITS = 22
"""Of δ, absolute."""
_MOST = 170.0
"""u beyond which 1/Γ(1−s) would eat all digits."""


def far(sigma: float, steps: int, epochs: int) -> float:
    """About where the moments of R have fallen below all digits."""
    spread = math.sqrt(epochs * math.log1p(math.expm1(1 / sigma**2) / steps))
    gaussian = 8 + math.sqrt(2 * (DIGITS + 4) * math.log(10)) / spread
    return max(gaussian, 100.0) if steps < 8 and epochs < 8 else gaussian  # few steps: slower


@functools.lru_cache(maxsize=4)
def weights(sigma: float, steps: int, digits: int) -> list[tuple[arb, arb]]:
    """(x, e^(−w) − φ(w/T)^T) at w = e^x, over equal nodes x."""
    s = arb(1) / arb(sigma)
    reach = math.sqrt(2 * digits * math.log(10))
    step = 2 * math.pi / reach
    ys = [arb(step) * i for i in range(-int(reach / step) - 1, int(reach / step) + 2)]
    norm = arb(step) / (2 * arb.pi()).sqrt()
    law = [(norm * (-y * y / 2).exp(), (s * y - s * s / 2).exp()) for y in ys]
    nodes = []
    h = math.pi**2 / (digits * math.log(10))
    i = -int(digits * math.log(10) / 1.5 / h)
    while True:
        x = arb(h) * i
        w = x.exp()
        phi = sum((m * (-w / steps * z).exp() for m, z in law), arb(0))
        power = phi**steps
        nodes.append((x, arb(h) * ((-w).exp() - power)))
        if x > 0 and power < arb(10) ** -digits and (-w).exp() < arb(10) ** -digits:
            return nodes
        i += 1


def delta(sigma: float, steps: int, epochs: int, k: float) -> float:
    """H_k(P‖Q) of random allocation over so many epochs."""
    most = far(sigma, steps, epochs)
    if most > _MOST:
        raise ArithmeticError("Expected moments that fall off, got none.")
    digits = int(DIGITS + 10 + 1.1 * most * math.pi / math.log(10))
    ctx.prec = int(digits * 3.33) + 60
    pairs = weights(sigma, steps, digits)
    h = math.pi / ((DIGITS + 2) * math.log(10))  # poles of 1/(s (1−s)) are ½ away
    step = [acb(0, -h * float(1)) * acb(x) for x, _ in pairs]
    turn = [each.exp() for each in step]
    now = [acb(value) * (acb(-0.5) * acb(x)).exp() for x, value in pairs]
    log_k, total, i = arb(k).log(), arb(0), 0
    while True:
        s = acb(0.5, arb(h) * i)
        moment = 1 + s / (1 - s).gamma() * sum(now, acb(0))
        value = ((1 - s) * acb(log_k)).exp() * moment**epochs / (s * (1 - s))
        total += value.real * (arb(h) / 2 if i == 0 else arb(h))
        if i > 8 and abs(value) < arb(10) ** -(DIGITS + 2):
            return float((1 - total / arb.pi()).mid())
        now = [(a * b).mid() for a, b in zip(now, turn, strict=True)]  # balls would grow
        i += 1
        if i * h > 2 * most + 40:
            raise ArithmeticError("Expected moments that fall off, got none.")


def total_variation_of_two(sigma: float, k: float) -> float:
    """H_k for T = 2, E = 1 by a sum over one coordinate; the other has a closed form."""
    s, step = 1 / sigma, 1e-3
    total = 0.0
    for i in range(-12_000, 12_001):
        y = i * step
        z = math.exp(s * y - s * s / 2)
        # E over the other ratio w of ((z + w)/2 − k)₊ = ½ E (w − (2k − z))₊
        c = 2 * k - z
        if c <= 0:
            inner = 1 - c
        else:
            d = (math.log(c) + s * s / 2) / s
            inner = 0.5 * math.erfc((d - s) / math.sqrt(2)) - c * 0.5 * math.erfc(d / math.sqrt(2))
        total += math.exp(-y * y / 2) * inner / 2
    return total * step / math.sqrt(2 * math.pi)
