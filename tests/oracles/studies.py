"""Small studies one by one: every table, every neighbour, every shortest way. Slow and plain."""

from collections import deque
from fractions import Fraction
from functools import cache
from itertools import product


@cache
def groups(size):
    """Every (individuals with 0, 1, 2 copies) of a group."""
    return [(size - b - c, b, c) for b in range(size + 1) for c in range(size + 1 - b)]


def tables(cases, controls):
    return product(groups(cases), groups(controls))


@cache
def changed(group):
    """The groups after one individual's genotype was replaced."""
    found = []
    for i, j in product(range(3), repeat=2):
        if i != j and group[i]:
            new = list(group)
            new[i] -= 1
            new[j] += 1
            found.append(tuple(new))
    return found


def with_a_replaced_genotype(table):
    r, s = table
    yield from ((new, s) for new in changed(r))
    yield from ((r, new) for new in changed(s))


def with_a_swap(table):
    r, s = table
    for i, j in product(range(3), repeat=2):
        if i != j and r[i] and s[j]:
            new_r, new_s = list(r), list(s)
            new_r[i] -= 1
            new_r[j] += 1
            new_s[j] -= 1
            new_s[i] += 1
            yield tuple(new_r), tuple(new_s)


NEIGHBOURS = {"genotype": with_a_replaced_genotype, "swap": with_a_swap}


def genotypic(table):
    """Σ (observed − expected)²/expected of the 2×3 table."""
    n_r, n_s = map(sum, table)
    total = Fraction(0)
    for a, b in zip(*table, strict=True):
        if a + b:
            for observed, size in ((a, n_r), (b, n_s)):
                expected = Fraction((a + b) * size, n_r + n_s)
                total += (observed - expected) ** 2 / expected
    return total


@cache
def allelic(table):
    """Σ (observed − expected)²/expected of the 2×2 table; None with a single allele."""
    rows = [(2 * g[0] + g[1], g[1] + 2 * g[2]) for g in table]
    columns = [sum(column) for column in zip(*rows, strict=True)]
    if not all(columns):
        return None
    return sum(
        (Fraction(row[k]) - Fraction(sum(row) * columns[k], sum(columns))) ** 2
        / Fraction(sum(row) * columns[k], sum(columns))
        for row in rows
        for k in range(2)
    )


def trend(table):
    """N times the squared correlation of copies and status; 0 where nobody differs."""
    (r, s), (n_r, n_s) = table, map(sum, table)
    copies = Fraction(
        sum(k * (a + b) for k, (a, b) in enumerate(zip(r, s, strict=True))), n_r + n_s
    )
    both = sum((k - copies) * a for k, a in enumerate(r))
    spread = sum((k - copies) ** 2 * (a + b) for k, (a, b) in enumerate(zip(r, s, strict=True)))
    return (n_r + n_s) ** 2 * both**2 / (n_r * n_s * spread) if spread else Fraction(0)


def significant(table, threshold):
    value = allelic(table)
    return value is not None and value >= Fraction(threshold)


def distances(every, threshold, neighbours):
    """Signed distance of every table: breadth-first from all of the other side at once.

    Where no table of the other side can be reached the distance is N + 1.
    """
    every = list(every)
    most = sum(map(sum, every[0]))
    marks = {table: significant(table, threshold) for table in every}
    signed = {}
    for side in (True, False):
        away = {table: 0 for table, mark in marks.items() if mark is not side}
        queue = deque(away)
        while queue:
            table = queue.popleft()
            for other in neighbours(table):
                if other not in away:
                    away[other] = away[table] + 1
                    queue.append(other)
        for table, mark in marks.items():
            if mark is side:
                d = away.get(table, most + 1)
                signed[table] = d if side else 1 - d
    return signed
