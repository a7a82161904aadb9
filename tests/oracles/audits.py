"""Attacks on the leakiest target that (ε, δ) allows, tried one by one; and slow, exact tails."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product
from math import comb

DIGITS = 60


def best_attack(runs: int, guesses: int, right: int, q: Fraction, delta: Fraction) -> Fraction:
    """The largest probability of `right` right guesses of `guesses`, over all rules.

    An output is a bit that is certain or one that is right with probability q. A rule sees all
    outputs and chooses which runs to guess, and how.
    """
    outputs = [(bit, sure) for bit in (0, 1) for sure in (False, True)]
    total = Fraction(0)
    for seen in product(outputs, repeat=runs):
        weight = Fraction(1)
        for _, sure in seen:
            weight *= Fraction(1, 2) * (delta if sure else 1 - delta)
        chances = [Fraction(1) if sure else q for _, sure in seen]
        total += weight * max(
            at_least(right, [chances[i] if follow else 1 - chances[i] for i, follow in rule])
            for rule in rules(runs, guesses)
        )
    return total


def rules(runs: int, guesses: int):
    for chosen in combinations(range(runs), guesses):
        for follows in product((True, False), repeat=guesses):
            yield list(zip(chosen, follows, strict=True))


def at_least(right: int, chances: list[Fraction]) -> Fraction:
    """Probability of `right` successes or more of independent trials."""
    law = [Fraction(1)]
    for chance in chances:
        law = [
            (law[k] * (1 - chance) if k < len(law) else 0) + (law[k - 1] * chance if k else 0)
            for k in range(len(law) + 1)
        ]
    return sum(law[right:], Fraction(0))


def p_value(runs: int, guesses: int, right: int, epsilon: float, delta: float) -> Decimal:
    """Pr[so many right guesses], summed term by term in sixty digits."""
    with localcontext() as context:
        context.prec = DIGITS
        q, d = 1 / (1 + (-Decimal(epsilon)).exp()), Decimal(delta)
        total = Decimal(0)
        for k in range(runs + 1):
            m = min(k, guesses)
            rest = sum(
                comb(guesses - m, j) * power(q, j) * power(1 - q, guesses - m - j)
                for j in range(max(right - m, 0), guesses - m + 1)
            )
            total += comb(runs, k) * power(d, k) * power(1 - d, runs - k) * rest
        return total


def power(base: Decimal, exponent: int) -> Decimal:
    """base^exponent, with 0^0 = 1."""
    return Decimal(1) if exponent == 0 else base**exponent
