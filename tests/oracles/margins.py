"""Margins by dense matrices of fractions, from the definitions, slowly."""

import itertools
import math
from fractions import Fraction

import numpy as np


def cells(sizes):
    """All cells of a table, the last column running fastest."""
    return list(itertools.product(*map(range, sizes)))


def margin_matrix(sizes, margin):
    """Q_A: one row a cell of the margin, one column a cell of the full table."""
    full = cells(sizes)
    return [
        [int(all(cell[i] == value for i, value in zip(margin, row, strict=True))) for cell in full]
        for row in cells([sizes[i] for i in margin])
    ]


def centring_matrix(sizes, margin):
    """⊗(n_i I − 11ᵀ) on the cells of a margin."""
    own = [sizes[i] for i in margin]
    return [
        [
            math.prod(n * (a == b) - 1 for n, a, b in zip(own, row, column, strict=True))
            for column in cells(own)
        ]
        for row in cells(own)
    ]


def product(first, second):
    columns = list(zip(*second, strict=True))
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]
        for row in first
    ]


def apply(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def measurement_matrix(sizes, measured, *, residuals):
    """The vector of a design, as a matrix: blocks of (margin, multiplier) joined."""
    rows = []
    for margin, multiplier in measured:
        block = margin_matrix(sizes, margin)
        if residuals:
            block = product(centring_matrix(sizes, margin), block)
        rows += [[multiplier * entry for entry in row] for row in block]
    return rows


def tables_of_one_entity(sizes, most, *, fixed):
    """What an entity of up to `most` rows, or of exactly so many, adds to the table."""
    number = len(cells(sizes))
    for rows in range(most if fixed else 0, most + 1):
        for places in itertools.combinations_with_replacement(range(number), rows):
            yield [places.count(place) for place in range(number)]


def largest_moves(matrix, sizes, most, *, replaced, fixed=False):
    """The largest squared L2 and the largest L1 norm, over all pairs of neighbours."""
    images = [apply(matrix, table) for table in tables_of_one_entity(sizes, most, fixed=fixed)]
    if replaced:
        moves = [
            [a - b for a, b in zip(one, other, strict=True)]
            for one, other in itertools.combinations(images, 2)
        ]
    else:
        moves = images
    squared = max(sum(a * a for a in move) for move in moves)
    return squared, max(sum(abs(a) for a in move) for move in moves)


def least_squares_map(matrix, target):
    """The matrix F with F y = target · x̂ for every least squares solution x̂ of matrix · x = y.

    Its rows solve MᵀM g = t for the rows t of the target, in fractions; then F = gᵀMᵀ.
    """
    transposed = [list(column) for column in zip(*matrix, strict=True)]
    normal = product(transposed, matrix)
    solutions = [_solve(normal, row) for row in target]
    return product(solutions, transposed)


def _solve(matrix, right):
    """Some solution of a singular system that has one, by elimination in fractions."""
    rows = [
        [Fraction(a) for a in row] + [Fraction(b)] for row, b in zip(matrix, right, strict=True)
    ]
    width, pivots, top = len(matrix[0]), [], 0
    for column in range(width):
        place = next((i for i in range(top, len(rows)) if rows[i][column]), None)
        if place is None:
            continue
        rows[top], rows[place] = rows[place], rows[top]
        rows[top] = [a / rows[top][column] for a in rows[top]]
        for i in range(len(rows)):
            if i != top and rows[i][column]:
                factor = rows[i][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[top], strict=True)]
        pivots.append(column)
        top += 1
    assert not any(row[-1] for row in rows[top:])
    solution = [Fraction(0)] * width
    for i, column in enumerate(pivots):
        solution[column] = rows[i][-1]
    return solution


def optimum(margins, weights, rho, *, public_total=False):
    """Section 2 as it stands: noise of each block, variances, and their least weighted sum."""
    size = {margin: math.prod(margins.sizes[i] for i in margin) for margin in margins.margins}
    cost = {margin: math.prod(1 - 1 / margins.sizes[i] for i in margin) for margin in size}
    if public_total:
        cost[()] = 0.0
    root = {
        block: math.sqrt(
            sum(
                float(weights.get(margin, 0)) * size[block] ** 2 / size[margin] ** 2
                for margin in size
                if {*block} <= {*margin}
            )
        )
        for block in size
    }
    total = sum(cost[block] * root[block] for block in size) / (2 * rho)
    noise = {block: total / root[block] for block in size if block or not public_total}
    variances = {
        margin: sum(
            value * cost[block] * size[block] ** 2 / size[margin] ** 2
            for block, value in noise.items()
            if {*block} <= {*margin}
        )
        for margin in size
    }
    return noise, variances, 2 * rho * total**2


def count_cells(margins, table):
    """Every margin of a contingency table, each summed from the whole table."""
    numbers, everything = np.asarray(table), range(len(margins.sizes))
    return {
        margin: np.asarray(numbers.sum(axis=tuple(i for i in everything if i not in margin)))
        for margin in margins.margins
    }
