"""What published numbers say of a person, by going through everybody's genotypes; no formula.

Nothing here comes from the package.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence

Law = dict[tuple[int, Hashable], float]
"""How likely the person has so many copies, and this is published."""


def genotype_law(p: float) -> list[float]:
    """0, 1, 2 copies of an allele with frequency p."""
    return [(1 - p) ** 2, 2 * p * (1 - p), p * p]


def group_law(p: float, others: int, extra: int | None) -> dict[int, float]:
    """Copies in a group of so many others, and of the person's own, if they are in it."""
    law: dict[int, float] = defaultdict(float)
    for people in itertools.product(range(3), repeat=others):
        weight = math.prod(genotype_law(p)[copies] for copies in people)
        law[sum(people) + (extra or 0)] += weight
    return dict(law)


def published_law(
    p: float,
    cases: int,
    controls: int,
    where: str,
    publish: Callable[[int, int], Hashable],
) -> Law:
    """The joint law of the person's copies and of what is published of the two groups.

    Parameters
    ----------
    where : str
        "case", "control" or "out": what the person is.
    """
    law: Law = defaultdict(float)
    for g, weight in enumerate(genotype_law(p)):
        xs = group_law(p, cases - (where == "case"), g if where == "case" else None)
        ys = group_law(p, controls - (where == "control"), g if where == "control" else None)
        for (x, a), (y, b) in itertools.product(xs.items(), ys.items()):
            law[g, publish(x, y)] += weight * a * b
    return dict(law)


def ratio_law(yes: Law, no: Law) -> dict[float, float]:
    """Log likelihood ratios and how likely they are if the answer is yes."""
    law: dict[float, float] = defaultdict(float)
    for seen, mass in yes.items():
        other = no.get(seen, 0.0)
        law[math.inf if other == 0 else round(math.log(mass / other), 9)] += mass
    return dict(law)


def sum_law(laws: Sequence[Mapping[float, float]]) -> dict[float, float]:
    """The law of a sum of independent terms."""
    total: dict[float, float] = {0.0: 1.0}
    for law in laws:
        longer: dict[float, float] = defaultdict(float)
        for (a, u), (b, v) in itertools.product(total.items(), law.items()):
            longer[round(a + b, 9) if math.isfinite(a + b) else math.inf] += u * v
        total = dict(longer)
    return total


def beyond(law: Mapping[float, float], value: float) -> float:
    """How likely it is larger than this."""
    return sum(mass for ratio, mass in law.items() if ratio > value)
