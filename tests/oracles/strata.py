"""Small studies in strata one by one: every table of each, neighbours, and the textbook's sums."""

from fractions import Fraction
from itertools import product

from tests.oracles import studies


def tables(sizes):
    """Every study of strata of these sizes (cases, controls)."""
    return product(*(list(studies.tables(*size)) for size in sizes))


def neighbours(study, adjacency):
    """One stratum's table is replaced by a neighbour of it."""
    for k, table in enumerate(study):
        for other in studies.NEIGHBOURS[adjacency](table):
            yield (*study[:k], other, *study[k + 1 :])


def sums(study):
    """D and V: the first cell of each 2×2 table of alleles less its mean, and its variance.

    Given the margins the cell is hypergeometric: of n = 2N alleles, m are drawn as the cases', and
    t of the n are copies: mean mt/n, variance m t (n − m)(n − t)/(n² (n − 1)).
    """
    difference = variance = Fraction(0)
    for cases, controls in study:
        copies = [group[1] + 2 * group[2] for group in (cases, controls)]
        m, rest = 2 * sum(cases[:3]), 2 * sum(controls[:3])
        n, t = m + rest, sum(copies)
        if not n:
            continue
        difference += copies[0] - Fraction(m * t, n)
        variance += Fraction(m * t * rest * (n - t), n * n * (n - 1))
    return difference, variance


def mantel_haenszel(study):
    """D²/V; None where nobody of a stratum differs from others."""
    difference, variance = sums(study)
    return difference**2 / variance if variance else None
