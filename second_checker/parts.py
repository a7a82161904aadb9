"""What each statistic adds noise to, and how far one entity moves it: what the pages say."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpz

from .numbers import ball

ROW = 2**30
"""What a row adds to each of the sums that share one noise."""


class Part(NamedTuple):
    """Label, and of noise the norms (L1, and L2 squared), both in steps; ``step`` None: public."""

    label: str
    l1: int = 0
    square: Any = 0
    step: float | None = None
    moved: int | None = None
    """How many numbers an entity may move; without it, no Gaussian curve is used."""
    fraction: Fraction = Fraction(1)
    monotone: bool | None = None
    cells: int = 0
    """Over how many cells the noise adds up to zero; 0 where it is independent."""


def parts_of(query: dict[str, Any], r: int | None, swap: bool, design: Any) -> list[Part] | None:
    """The parts of a query; None where this checker does not know them."""
    statistic, p, c = query["statistic"], query["parameters"], query["max_contribution"]
    unknown = "threshold" in query
    if r is None and c is None:
        return None
    r = r or 0
    cells = 2**62 if unknown else math.prod(len(group["keys"]) for group in query["group_by"])
    cells *= max(1, len(p.get("edges", [])) - 1)

    def values(
        low: int, high: int, owned: int, step: float, label: str = statistic, share: int = 1
    ) -> Part:
        """Sums of one number a row, or of what an entity adds where that is scaled down."""
        low, high = (low, high) if c is None else (-(low < 0), int(high > 0))
        negative, positive = owned * max(-low, 0), owned * max(high, 0)
        most, both, part = max(negative, positive), negative + positive, Fraction(1, share)
        if not swap:
            return Part(label, most, most**2, step, min(owned, cells), part)
        if cells == 1:
            return Part(label, both, both**2, step, 1, part)
        square = max(both**2, 2 * most**2)
        return Part(label, 2 * most, square, step, min(2 * owned, cells), part)

    if statistic in ("count", "histogram"):
        step = 1.0 if c is None else 2.0**-20
        part = values(0, 1, math.floor(Fraction(c or r) / Fraction(step)), step)
        return [part._replace(cells=query.get("partition", 0))]
    if statistic == "sum":
        low, high, step = whole_steps(p["bounds"])
        return [values(low, high, r if c is None else math.floor(c / Fraction(step)), step)]
    if c is not None:
        return None
    if statistic == "entities":
        moved = min((1 + swap) * r, cells)
        return [Part(statistic, moved, moved, 1.0, None if unknown else moved)]
    if statistic == "mean":
        low, high, step = whole_steps(p["bounds"])
        middle, public = (low + high) // 2, p["size_is_public"]
        total = values(low - middle, high - middle, r, step, "sum", 1 if public else 2)
        return [total, Part("size") if public else values(0, 1, r, 1.0, "count", 2)]
    if statistic == "quantile":
        part = fraction_of(p["quantile"])
        if part is None:
            return None
        n, d = part.numerator, part.denominator
        reach = r * max(n, d - n) * (1 + (swap and cells > 1))
        reach = r * d if swap and cells == 1 else reach
        return [Part(statistic, reach, reach**2, 1 / d, None, Fraction(1), False)]
    if statistic == "top":
        return [Part(statistic, r, r * r, 1.0, None, Fraction(1), not swap)]
    if statistic == "removed":
        if p["most_rows"] is None:
            return [Part("entities", 1 + swap, 1 + swap, 1.0, 1 + swap)]
        most = p["most_rows"]
        return [Part("rows", most, r * r + (most - r) ** 2, 1.0, 2)]
    if statistic in ("variance", "regression"):
        bounds = [*(b for _, b in p.get("predictors", [])), p["bounds"]]
        return [moments(statistic, bounds, r, swap, cells)]
    if statistic == "running_count":  # Σ of squares of the coefficients of (1 − z)^(−2/5)
        square = ball(Fraction(1, 5)).gamma() / ball(Fraction(3, 5)).gamma() ** 2
        return [Part(statistic, 0, square * 2**40 * r * r * (1 + swap), 2.0**-20)]
    if statistic in ("crosstab", "tree") and design is not None:
        moved = design.between if design.public else design.alone
        moved = max(moved, design.between) if swap else moved
        vector = Part(statistic, r * moved, r * r * moved, 1.0, design.coordinates)
        return [Part("total"), vector] if design.public else [vector]
    return None


def moments(statistic: str, bounds: list[Any], r: int, swap: bool, cells: int) -> Part:
    """Rows, distances from the middle, and products of any two: one vector."""
    spans = [whole_steps(each)[:2] for each in bounds]
    far = [high - (low + high) // 2 for low, high in spans]
    largest, rounded, d = [ROW] + [ROW // h * h for h in far], 0, len(far) + 1
    for i, one in enumerate(far):
        for k, other in enumerate(far[i:], i):
            most, shift = one * other, 0
            while ROW << shift < 16 * most:
                shift += 1
            high = (most * ((ROW << shift) // most) + ((1 << shift) >> 1)) >> shift
            largest.append(high - high // 2 if i == k else high)
            rounded += shift > 0
    l1, square = sum(largest), sum(each**2 for each in largest)
    if not swap:
        return Part(statistic, r * l1, r * r * square, 1.0 / ROW, len(largest) * min(r, cells))
    columns = 9 * (d - 1) * ROW // 4 + 2 * ((d - 1) ** 2 // 4) * ROW
    apart = min((2 * (d * d // 4) + d - 1) * ROW, columns) + rounded
    between = d * ROW + math.isqrt(rounded) + 1
    sides = 1 if cells == 1 else 2
    l1, square = max(sides * l1, apart), max(sides * square, between**2)
    return Part(statistic, r * l1, r * r * square, 1.0 / ROW, len(largest) * min(2 * r, cells))


def fraction_of(quantile: float) -> Fraction | None:
    """A quantile as it was meant: a binary fraction of 20 digits, or six decimals."""
    exact, decimal = Fraction(quantile), Fraction(repr(quantile))
    if exact.denominator <= 2**20:
        return exact
    return decimal if 10**6 % decimal.denominator == 0 else None


def whole_steps(bounds: list[float]) -> tuple[int, int, float]:
    """Bounds in steps, to the nearest one, and the step: a power of two, 2²⁴ steps at most."""
    low, high = (Fraction(bound) for bound in bounds)
    largest = max(abs(low), abs(high))
    step = Fraction(2) ** (math.frexp(float(largest))[1] - 26)
    while largest > 2**24 * step:
        step *= 2
    return round(low / step), round(high / step), float(step)


class Design(NamedTuple):
    """Multipliers (0 where public), how many numbers, the norm of a row, and of one for another."""

    multipliers: list[int]
    coordinates: int
    alone: int
    between: int
    public: bool


def margins_of(columns: int, asked: Any, names: list[str]) -> list[tuple[int, ...]]:
    """All margins that are published, the total first."""
    largest: list[Any] = asked
    if isinstance(asked, int):
        largest = list(itertools.combinations(names, min(asked, columns)))
    below = {
        tuple(sorted(names.index(name) for name in some))
        for each in largest
        for n in range(len(each) + 1)
        for some in itertools.combinations(each, n)
    }
    return sorted(below, key=lambda each: (len(each), each))


def crosstab(
    sizes: list[int], blocks: list[Any], importance: dict[Any, float], public: bool, pure: bool
) -> Design:
    """Multipliers in proportion to roots of rates, the largest 1,024 times a power of two."""
    number = {block: math.prod(sizes[i] for i in block) for block in blocks}
    weights = {b: number[b] * Fraction(importance.get(b, 1)) for b in blocks}
    least = min(weight for weight in weights.values() if weight > 0)
    rates, degree = [weights[block] or least for block in blocks], 3
    if not pure:
        above = {b: [a for a in blocks if set(b) <= set(a)] for b in blocks}
        rates = [
            sum(weights[a] / number[a] ** 2 for a in above[b]) / number[b] ** 2 for b in blocks
        ]
        degree = 4
    for doubled in range(31):
        powers = [
            (2048 << doubled) ** degree * rate / max(rates[public:]) for rate in rates[public:]
        ]
        multipliers = [max((int(fmpz(math.floor(p)).root(degree)) + 1) // 2, 1) for p in powers]
        if min(multipliers) >= 64:
            break
    measured = list(zip(blocks[public:], multipliers, strict=True))
    multipliers = [0] * public + multipliers
    coordinates = sum(number[block] for block, _ in measured)
    if pure:
        between = 2 * sum(m for block, m in measured if block)
        return Design(multipliers, coordinates, sum(multipliers), between, public)

    def own(columns: Any) -> int:
        return math.prod(sizes[i] * (sizes[i] - 1) for i in columns)

    between, used = 0, sorted({i for block in blocks for i in block})
    for apart in itertools.chain(*(itertools.combinations(used, n + 1) for n in range(len(used)))):
        moved = 0
        for block, m in measured:
            differing = math.prod(-sizes[i] for i in apart if i in block)
            moved += m * m * (own(block) - differing * own(set(block) - set(apart)))
        between = max(between, 2 * moved)
    alone = sum(m * m * own(block) for block, m in measured)
    return Design(multipliers, coordinates, alone, between, public)


def tree_of(nested: Any) -> tuple[list[Any], list[Any]]:
    """The children of a node, each as its own children, and the values of its leaves in order."""
    if isinstance(nested, list):
        return [[] for _ in nested], list(nested)
    parts = [tree_of(each) for each in nested.values()]
    return [node for node, _ in parts], [leaf for _, leaves in parts for leaf in leaves]


def tree(root: list[Any], weights: list[float], public: bool, pure: bool) -> Design:
    """Shares of a path in proportion to roots of what each family's noise costs below it."""
    power, between = 3 if pure else 2, 0

    def rooted(x: float) -> float:
        return math.cbrt(x) if pure else math.sqrt(x)

    def costs(node: list[Any], level: int) -> tuple[float, float, float, list[Any]]:
        """What noise above costs, roots of the family's own and the subtree's, and the children."""
        k, inner = len(node), [costs(child, level + 1) for child in node]
        below = sum(each[0] for each in inner)
        own = rooted(((k - 1) / k) ** (1 if pure else 2) * below) if k else 0.0
        need = own + rooted(sum(each[2] ** power for each in inner))
        return weights[level] + (below / k**2 if k else 0.0), own, need, inner

    def sizes(costed: Any, left: float) -> Iterator[tuple[int, float]]:
        """Children and size of each family, from the top; one child alone has no size."""
        _, own, need, inner = costed
        if k := len(inner):
            part = own / need if need else 0.0
            yield k, left * part if pure else math.sqrt(left * part / (k * (k - 1) or 1))
            for each in inner:
                yield from sizes(each, left * (1 - part))

    costed = costs(root, 0)
    top = 0.0 if public else rooted(costed[0])
    whole = top + costed[2]
    families = list(sizes(costed, costed[2] / whole))
    first = top / whole if pure else math.sqrt(top / whole)
    every = [*(size for _, size in families), first]
    most, factor = max(every), 1024
    widest = max(1.0, *(k * size / most for k, size in families))
    while factor * min(filter(None, every)) / most < 64 and 2 * factor * widest <= 2**29:
        factor *= 2
    multipliers = [
        max(math.floor(factor * (size / most) + 0.5), 1) for size in (first, *every[:-1])
    ]
    multipliers[0] *= not public
    order = iter(multipliers[1:])

    def farthest(node: list[Any]) -> int:
        nonlocal between
        if not node:
            return 0
        k, m = len(node), next(order)
        second, longest = sorted([0, 0, *map(farthest, node)])[-2:]
        if k == 1:
            return longest
        between = max(between, (2 * m if pure else 2 * (m * k) ** 2) + longest + second)
        return (m if pure else m * m * k * (k - 1)) + longest

    alone = farthest(root) + multipliers[0] ** (1 if pure else 2)
    number = sum(k for k, _ in families if k > 1) + (not public)
    return Design(multipliers, number, alone, between, public)
