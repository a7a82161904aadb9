"""Slow references for values behind sums: linear programs in fractions, and enumeration.

Nothing here uses flows or trees: a simplex method with Bland's rule on all contributors' values at
once, and every whole-number assignment.
"""

import itertools
from fractions import Fraction


def linear_program(costs, rows, sides):
    """The largest Σ c x over x ≥ 0 with A x = b, in fractions; None if unbounded."""
    n = len(costs)
    signs = [1 if side >= 0 else -1 for side in sides]
    tableau = [
        [Fraction(s * each) for each in row]
        + [Fraction(int(k == place)) for k in range(len(rows))]
        + [Fraction(s * side)]
        for place, (row, side, s) in enumerate(zip(rows, sides, signs, strict=True))
    ]
    basis = list(range(n, n + len(rows)))
    assert _maximised(tableau, basis, [0] * n + [-1] * len(rows), n + len(rows)) == 0
    for place, column in enumerate(basis):  # leave no artificial variable that could grow
        if column >= n:
            entering = next((j for j in range(n) if tableau[place][j] != 0), None)
            if entering is not None:
                _pivot(tableau, basis, place, entering)
    kept = [place for place, column in enumerate(basis) if column < n]
    tableau, basis = [tableau[k] for k in kept], [basis[k] for k in kept]
    return _maximised(tableau, basis, [*costs, *[0] * len(rows)], n)


def _maximised(tableau, basis, costs, columns):
    while True:
        reduced = [
            costs[j]
            - sum(costs[b] * row[j] for b, row in zip(basis, tableau, strict=True) if row[j])
            for j in range(columns)
        ]
        entering = next((j for j in range(columns) if reduced[j] > 0), None)
        if entering is None:
            return sum((costs[b] * row[-1] for b, row in zip(basis, tableau, strict=True)), 0)
        ratios = [
            (row[-1] / row[entering], basis[place], place)
            for place, row in enumerate(tableau)
            if row[entering] > 0
        ]
        if not ratios:
            return None
        _pivot(tableau, basis, min(ratios)[2], entering)


def _pivot(tableau, basis, place, entering):
    pivot = tableau[place][entering]
    tableau[place] = [each / pivot for each in tableau[place]]
    for other, row in enumerate(tableau):
        if other != place and row[entering] != 0:
            factor = row[entering]
            tableau[other] = [
                a - factor * b if b else a for a, b in zip(row, tableau[place], strict=True)
            ]
    basis[place] = entering


def bounds(values, sums, known, target):
    """The least and the largest value of some contributors together, by linear programs.

    `values` are (low, high, value), `sums` are (members, low, high), `known` are indices of
    contributors whom the attackers know.
    """
    free = [k for k in range(len(values)) if k not in known]
    place = {k: number for number, k in enumerate(free)}
    rows, sides = [], []
    slacks = sum(2 for _, low, high in sums if low < high) + sum(
        values[k][1] is not None for k in free
    )
    width, slack = len(free) + slacks, len(free)

    def add(members, sign, side):
        nonlocal slack
        row = [0] * width
        for k in members:
            row[place[k]] = 1
        if sign:
            row[slack] = sign
            slack += 1
        rows.append(row)
        sides.append(side)

    for members, low, high in sums:
        inside = [k for k in members if k in place]
        rest = sum(values[k][2] for k in members if k in known)
        least = sum(values[k][0] for k in inside)
        if low == high:
            add(inside, 0, low - rest - least)
        else:
            add(inside, -1, low - rest - least)
            add(inside, 1, high - rest - least)
    for k in free:
        if values[k][1] is not None:
            add([k], 1, values[k][1] - values[k][0])
    costs = [0] * width
    for k in target:
        costs[place[k]] = 1
    base = sum(values[k][0] for k in target)
    most = linear_program(costs, rows, sides)
    least = linear_program([-c for c in costs], rows, sides)
    return base - least, None if most is None else base + most


def posterior(values, laws, sums, known, target):
    """The belief in each value of one contributor, by enumeration of all others'."""
    choices = [
        [(value, Fraction(1))] if k in known else list(laws[k].items())
        for k, (_, _, value) in enumerate(values)
    ]
    belief = {}
    for world in itertools.product(*choices):
        weight = Fraction(1)
        for _, chance in world:
            weight *= chance
        if all(low <= sum(world[k][0] for k in members) <= high for members, low, high in sums):
            value = world[target][0]
            belief[value] = belief.get(value, 0) + weight
    total = sum(belief.values())
    return {value: weight / total for value, weight in sorted(belief.items())}


def best_guess(belief, within):
    """The largest belief that a guess is near, over guesses at and between all ends."""
    ends = {Fraction(0)}
    for value in belief:
        ends |= {value * (1 - within), value * (1 + within), Fraction(value)}
    ordered = sorted(ends)
    guesses = [*ordered, *((a + b) / 2 for a, b in itertools.pairwise(ordered))]
    return max(
        sum(
            chance
            for value, chance in belief.items()
            if abs(g - value) < within * value or (value == 0 == g)
        )
        for g in guesses
    )
