"""A second way to what allocation tells: moments of R on a line, in high precision.

(k − r)₊ is the Mellin inverse of k^(p+1)/(p (p+1)), Re p > 0. So with p = a + iu

    E (k − R)₊ = (1/π) ∫₀^∞ Re(k^(p+1) K(p)^E / (p (p+1))) du,
    K(p) = E R^(−p) of one epoch = (1/Γ(p)) ∫₀^∞ x^(p−1) φ(x/T)^T dx,      φ(x) = E e^(−xz),

and a record that is removed has δ = E (k − R)₊ + 1 − k at k = e^ε, one that is added has
k E (1/k − R)₊.
Every integral is a sum over equal nodes, which converges geometrically; digits are as many as are
lost on the way. Nothing here is shared with the laws that are tested.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from flint import acb, arb, ctx
from scipy.special import loggamma, logsumexp

DIGITS = 20
"""Of δ, absolute."""
_LONGER = (1.5, 2.5, 5.0)
"""By how much moments may fall off later than a normal law's; longer for skewed laws."""
_TEN = math.log(10)
_MOST_TERMS = 1_500_000
"""Exponentials of all nodes: some ten seconds."""


@dataclass(frozen=True)
class Line:
    """Where moments are taken, at a + iu, with what floats say of the law R^(−a) tilts to."""

    a: float
    log_moment: float
    """ln K(a)^E."""
    spread: float
    """Standard deviation of ln R under that law."""
    most_log_k: float
    longer: float
    """By how much moments fall off later than a normal law's."""

    @property
    def last(self) -> float:
        """u beyond which nothing is left, about."""
        return self.longer * math.sqrt(2 * (DIGITS + 4) * _TEN) / self.spread

    @property
    def digits(self) -> int:
        """What the answer needs, what Γ loses, and what tilting makes larger."""
        lost = loggamma(self.a).real - loggamma(complex(self.a, self.last)).real
        larger = max(self.log_moment, 0.0) + (self.a + 1) * self.most_log_k
        return int(DIGITS + 8 + (lost + larger) / _TEN)

    @property
    def step(self) -> float:
        """Between nodes u: copies of the law a period away must not matter."""
        few = (DIGITS + 4) * _TEN
        below = 1.5 * self.spread * math.sqrt(2 * few) + self.a * self.spread**2
        return 2 * math.pi / (max(below, few / self.a) + 2 * self.most_log_k)


def line_of(sigma: float, steps: int, epochs: int, most_log_k: float, longer: float) -> Line:
    """The line on which the fewest digits are lost."""
    spread = math.sqrt(epochs * math.log1p(math.expm1(1 / sigma**2) / steps))
    y = np.linspace(-9, 9, 1500)
    z, mass = np.exp(y / sigma - 0.5 / sigma**2), np.exp(-(y**2) / 2)
    candidates = [0.5 * 1.25**n / spread for n in range(26)]
    v = np.linspace(math.log(candidates[0]) - 12, math.log(candidates[-1]) + 4 + 2 * spread, 1500)
    mass /= mass.sum()
    log_phi = steps * np.log(np.exp(-np.multiply.outer(np.exp(v) / steps, z)) @ mass + 1e-300)

    def log_moment(a: float) -> float:
        return float(logsumexp(a * v + log_phi) + math.log(v[1] - v[0]) - loggamma(a).real)

    lines = []
    for a in candidates:
        low, middle, high = (log_moment(a * x) for x in (0.98, 1.0, 1.02))
        curved = max((low + high - 2 * middle) / (0.02 * a) ** 2, 1e-12)
        tilted = math.sqrt(epochs * curved)
        lines.append(Line(a, epochs * middle, tilted, most_log_k, longer))
    return min(lines, key=lambda line: line.digits * line.last / line.step)


@functools.lru_cache(maxsize=2)
def _law_of_one(sigma: float, digits: int) -> list[tuple[arb, arb]]:
    """(mass, z) of one step's ratio, over equal nodes."""
    s = arb(1) / arb(sigma)
    reach = math.sqrt(2 * digits * _TEN)
    # In a strip of y this wide e^(−xz) stays below 1.
    strip = min(reach, math.pi / 2 * sigma)
    step = 2 * math.pi * strip / (digits * _TEN + strip**2 / 2)
    count = int(reach / step) + 1
    norm = arb(step) / (2 * arb.pi()).sqrt()
    ys = [arb(step) * i for i in range(-count, count + 1)]
    return [(norm * (-y * y / 2).exp(), (s * y - s * s / 2).exp()) for y in ys]


def _weights(sigma: float, steps: int, line: Line) -> list[tuple[arb, arb]]:
    """(ln x, x^a φ(x/T)^T) over equal nodes of ln x."""
    law = _law_of_one(sigma, line.digits)
    top = loggamma(complex(line.a, line.last)).real
    other = line.last
    while top - loggamma(complex(line.a, other)).real < (DIGITS + 8) * _TEN:
        other *= 1.05
    h = 2 * math.pi / (line.last + other)
    if line.digits * _TEN / line.a / h * len(law) > _MOST_TERMS:
        raise ArithmeticError("Expected fewer terms, got some that take minutes.")
    least, nodes = arb(10) ** -line.digits, []
    middle = int(math.log(line.a) / h)
    peak = arb(0)
    for way in (1, -1):
        i = middle if way > 0 else middle - 1
        while True:
            x = (arb(h) * i).exp()
            at = -x / steps
            phi = sum((mass * (at * z).exp() for mass, z in law), arb(0))
            value = (arb(line.a) * arb(h) * i).exp() * phi**steps
            peak = value if value > peak else peak
            if value < least * peak:
                break
            nodes.append((arb(h) * i, arb(h) * value))
            i += way
    return nodes


class Moments:
    """E (k − R)₊ of random allocation over so many epochs, for ln k of at most `most_log_k`."""

    def __init__(
        self, sigma: float, steps: int, epochs: int, most_log_k: float, most_digits: int = 10**4
    ) -> None:
        for longer in _LONGER:
            self.line = line_of(sigma, steps, epochs, most_log_k, longer)
            if self.line.digits > most_digits:
                break
            ctx.prec = self.bits = int(self.line.digits * 3.33) + 40
            self.terms = self._terms(_weights(sigma, steps, self.line), epochs)
            if self.terms:
                return
        raise ArithmeticError("Expected moments that fall off within so many digits, got none.")

    def _terms(self, pairs: list[tuple[arb, arb]], epochs: int) -> list[tuple[acb, acb]]:
        """(p, K(p)^E/(p (p + 1))) over equal nodes of u; none where they do not fall off."""
        line, terms = self.line, []
        turn = [acb(0, line.step * x).exp() for x, _ in pairs]
        now = [acb(value) for _, value in pairs]
        enough = arb(10) ** -(DIGITS + 3) * arb(-line.most_log_k * (line.a + 1)).exp()
        for i in range(int(line.last / line.step)):
            p = acb(line.a, arb(line.step) * i)
            moment = ((sum(now, acb(0)) / p.gamma()) ** epochs).mid()
            terms.append((p, arb(line.step) * moment / (p * (p + 1)) * (0.5 if i == 0 else 1)))
            if abs(terms[-1][1]) < enough:
                return terms
            now = [(a * b).mid() for a, b in zip(now, turn, strict=True)]  # balls would grow
        return []

    def below(self, k: arb) -> arb:
        """E (k − R)₊."""
        ctx.prec = self.bits
        log_k = k.log()
        return sum((((p + 1) * log_k).exp() * term for p, term in self.terms), acb(0)).real / (
            arb.pi()
        )

    def remove(self, epsilon: float) -> float:
        """H_k(P‖Q) at k = e^ε."""
        ctx.prec = self.bits
        k = arb(epsilon).exp()
        return float((self.below(k) + 1 - k).mid())

    def add(self, epsilon: float) -> float:
        """H_k(Q‖P)."""
        ctx.prec = self.bits
        k = arb(epsilon).exp()
        return float((self.below(1 / k) * k).mid())


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
