"""Studies of a few people, person by person, and what is counted of them. Slow and plain."""

from fractions import Fraction
from itertools import combinations, product


def studies(cases, controls, variants):
    """Every study: the genotypes (0, 1, 2 at each variant) of each case, then of each control."""
    people = list(product(range(3), repeat=variants))
    return product(people, repeat=cases + controls)


def replaced(study, cases, variants):
    """One person's whole genotype is another; nobody changes groups."""
    del cases
    for index in range(len(study)):
        for genome in product(range(3), repeat=variants):
            yield (*study[:index], genome, *study[index + 1 :])


def swapped(study, cases, variants):
    """A case and a control change places."""
    del variants
    for i, j in combinations(range(len(study)), 2):
        if i < cases <= j:
            other = list(study)
            other[i], other[j] = other[j], other[i]
            yield tuple(other)


NEIGHBOURS = {"genotype": replaced, "swap": swapped}


def totals(study, cases, of):
    """Copies at each variant, group after group within a variant."""
    groups = {
        "cases": [study[:cases]],
        "controls": [study[cases:]],
        "everybody": [study],
        "both": [study[:cases], study[cases:]],
    }[of]
    return [sum(copies) for at in zip(*map(columns, groups), strict=True) for copies in at]


def columns(group):
    return list(zip(*group, strict=True))


def largest_moves(adjacency, of, cases, controls, variants):
    """(L1, squared L2, coordinates) that neighbours differ by at most."""
    found = [0, 0, 0]
    for study in studies(cases, controls, variants):
        one = totals(study, cases, of)
        for other in NEIGHBOURS[adjacency](study, cases, variants):
            moved = [a - b for a, b in zip(one, totals(other, cases, of), strict=True)]
            sizes = sum(map(abs, moved)), sum(d * d for d in moved), sum(map(bool, moved))
            found = [max(pair) for pair in zip(found, sizes, strict=True)]
    return tuple(found)


def evidence(variants, people, spread, frequency):
    """s² of a member's log likelihood ratio where noise of information 1/spread² is on the copies.

    A person moves the copies by x − 2p; the expected squared move over the variance of a count.
    """
    p = Fraction(frequency)
    squares = sum(
        share * (copies - 2 * p) ** 2
        for copies, share in enumerate(((1 - p) ** 2, 2 * p * (1 - p), p**2))
    )
    return variants * squares / (people * squares + Fraction(spread) ** 2)
