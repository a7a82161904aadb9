"""Two editions of exact tables by enumeration: every way, every prior at a bound, every world.

Each person is a bit. A cell has stayers, leavers and joiners; the first edition counts stayers and
leavers, the second stayers and joiners. Nothing here imports the package.
"""

import itertools
from fractions import Fraction

ROLES = ("stayed", "left", "joined")


def published(count, rule):
    """What a rule makes of a count: hide low…high, then round to a multiple, halves up."""
    hide, base = rule
    if hide is not None and hide[0] <= count <= hide[1]:
        return "*"
    return count if base is None else (2 * count + base) // (2 * base) * base


def printed(counts, rule, total):
    """A table: its cells and, if it has one, the exact or the independently rounded total."""
    table = [published(each, rule) for each in counts]
    if total == "exact":
        table.append(sum(counts))
    elif total == "independent":
        table.append(published(sum(counts), rule))
    return table


def beliefs(ways, rules, totals, tables, priors, seen=None):
    """The least and the largest belief by cell and role, over ways that allow both tables.

    Parameters
    ----------
    ways : list
        Of each way and each cell, how many stayed, left and joined.
    rules, totals, tables : pair
        Of each edition; a table is None where it was not published.
    priors : pair
        Bounds of every person's prior.
    seen : pair of collections of int, optional
        Places of each table that were published; all if left out.
    """
    answer = {}
    for way in ways:
        people = [
            (cell, role)
            for cell, numbers in enumerate(way)
            for role, number in zip(ROLES, numbers, strict=True)
            for _ in range(number)
        ]
        worlds = []
        for world in itertools.product((0, 1), repeat=len(people)):
            if _agrees(world, people, len(way), rules, totals, tables, seen):
                worlds.append(world)
        if not worlds:
            continue
        ends = sorted(set(priors))
        for prior in itertools.product(ends, repeat=len(people)):
            weight = [_chance(world, prior) for world in worlds]
            whole = sum(weight)
            if not whole:
                continue
            for number, who in enumerate(people):
                inside = sum(w for w, world in zip(weight, worlds, strict=True) if world[number])
                belief = Fraction(inside, whole)
                low, high = answer.get(who, (belief, belief))
                answer[who] = min(low, belief), max(high, belief)
    return answer


def _agrees(world, people, cells, rules, totals, tables, seen):
    for edition, absent in enumerate(("joined", "left")):
        if tables[edition] is None:
            continue
        counts = [0] * cells
        for is_in, (cell, role) in zip(world, people, strict=True):
            counts[cell] += is_in and role != absent
        table = printed(counts, rules[edition], totals[edition])
        places = range(len(table)) if seen is None else seen[edition]
        if any(table[place] != tables[edition][place] for place in places):
            return False
    return True


def _chance(world, prior):
    product = Fraction(1)
    for is_in, p in zip(world, prior, strict=True):
        product *= p if is_in else 1 - p
    return product


def options(before, change, after=None):
    """Ways of one list: how many stayed, left and joined, by trying all."""
    ways = []
    for left in range(before + 1):
        for joined in range(9):
            size = before - left + joined
            if "at_most" in change:
                is_possible = left + joined <= change["at_most"]
            else:
                is_possible = (left, joined) == (change.get("left", 0), change.get("joined", 0))
            if is_possible and size and after in (None, size):
                ways.append((before - left, left, joined))
    return ways
