"""Slow, obvious references for genotypes: bits one by one, statistics in fractions.

Nothing here comes from the package. A call is 0, 1, 2 copies of allele 1, or None.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

CALLS = {(0, 0): 2, (1, 0): None, (0, 1): 1, (1, 1): 0}
"""By the lower and the higher bit of a genotype in a bed file."""

Table = Sequence[int]
"""Individuals with 0, 1, 2 copies."""


def bed_calls(bed: bytes, individuals: int) -> list[list[int | None]]:
    """Calls by variant and individual, from the bytes of a bed file."""
    assert bed[:3] == bytes([0x6C, 0x1B, 0x01])
    body, width = bed[3:], math.ceil(individuals / 4)
    found = []
    for start in range(0, len(body), width):
        row = body[start : start + width]
        bits = [byte >> place & 1 for byte in row for place in range(8)]
        pairs = list(zip(bits[0::2], bits[1::2], strict=True))
        found.append([CALLS[pair] for pair in pairs[:individuals]])
    return found


def bed_bytes(calls: Sequence[Sequence[int | None]], padding: int = 0) -> bytes:
    """A bed file of such calls; bits of `padding` fill the last byte of a row."""
    bits_of = {call: bits for bits, call in CALLS.items()}
    body = bytearray()
    for row in calls:
        bits = [bit for call in row for bit in bits_of[call]]
        bits += [padding] * (-len(bits) % 8)
        for start in range(0, len(bits), 8):
            body.append(sum(bit << place for place, bit in enumerate(bits[start : start + 8])))
    return bytes([0x6C, 0x1B, 0x01]) + bytes(body)


def counted(calls: Sequence[int | None], who: Sequence[bool]) -> list[int]:
    """0, 1, 2 copies and missing, among some."""
    own = [call for call, chosen in zip(calls, who, strict=True) if chosen]
    return [own.count(0), own.count(1), own.count(2), own.count(None)]


def study_counts(prefix: Path) -> tuple[list[list[int]], list[list[int]]]:
    """Counts of cases and of controls by variant, from the three files."""
    status = [line.split()[5] for line in prefix.with_suffix(".fam").read_text().splitlines()]
    calls = bed_calls(prefix.with_suffix(".bed").read_bytes(), len(status))
    cases, controls = ([word == code for word in status] for code in "21")
    return [counted(row, cases) for row in calls], [counted(row, controls) for row in calls]


def pearson(rows: Sequence[Sequence[int]]) -> Fraction | None:
    """Σ (observed − expected)²/expected over cells; None if fewer than two rows or columns."""
    columns = [column for column in zip(*rows, strict=True) if sum(column)]
    sums = [sum(row) for row in rows]
    if not all(sums) or len(columns) < 2:
        return None
    total, whole = Fraction(0), sum(sums)
    for column in columns:
        for observed, row in zip(column, sums, strict=True):
            expected = Fraction(sum(column) * row, whole)
            total += (observed - expected) ** 2 / expected
    return total


def trend(cases: Table, controls: Table) -> Fraction | None:
    """N times the squared correlation of copies and status, from moments about the means."""
    people = [(copies, status, number)
              for status, group in ((1, cases), (0, controls))
              for copies, number in enumerate(group[:3])]  # fmt: skip
    n = sum(number for *_, number in people)
    if not n:
        return None
    middle, share = (Fraction(sum(row[i] * row[2] for row in people), n) for i in (0, 1))
    both = sum((copies - middle) * (status - share) * number for copies, status, number in people)
    spread = sum((copies - middle) ** 2 * number for copies, _, number in people)
    groups = sum((status - share) ** 2 * number for _, status, number in people)
    return n * both**2 / (spread * groups) if spread and groups else None


def allelic(cases: Table, controls: Table) -> Fraction | None:
    """χ² of the table of alleles."""
    return pearson([(2 * r[0] + r[1], r[1] + 2 * r[2]) for r in (cases, controls)])


def genotypic(cases: Table, controls: Table) -> Fraction | None:
    """χ² of the table of genotypes."""
    return pearson([cases[:3], controls[:3]])


def hardy_weinberg(table: Table) -> float:
    """All numbers of heterozygotes listed with whole weights in proportion to their chances."""
    none, one, two = table[:3]
    people, copies = none + one + two, one + 2 * two
    weights = {
        both: 2**both * math.comb(people, both) * math.comb(people - both, (copies - both) // 2)
        for both in range(copies % 2, min(copies, 2 * people - copies) + 1, 2)
    }
    likely = sum(weight for weight in weights.values() if weight <= weights[one])
    return float(Fraction(likely, sum(weights.values())))


def r_squared(one: Sequence[int | None], other: Sequence[int | None]) -> Fraction:
    """Squared correlation, a missing call at its variant's mean; 0 where one does not vary."""
    first, second = _about_mean(one), _about_mean(other)
    squares = sum(x * x for x in first) * sum(y * y for y in second)
    product = sum(x * y for x, y in zip(first, second, strict=True))
    return Fraction(product**2, squares) if squares else Fraction(0)


def _about_mean(row: Sequence[int | None]) -> list[int]:
    """Differences from the mean, times the number of known calls; 0 where missing."""
    known = [call for call in row if call is not None]
    number, total = len(known), sum(known)
    return [0 if call is None else number * call - total for call in row]


def pruned(
    calls: Sequence[Sequence[int | None]], chromosomes: Sequence[str], bound: float, window: int
) -> list[int]:
    """Variants that stay, in order: of one that varies, r² with each of the last kept is below."""
    kept: list[int] = []
    for index, row in enumerate(calls):
        near = [each for each in kept if chromosomes[each] == chromosomes[index]][-window:]
        varies = len({call for call in row if call is not None}) > 1
        if varies and all(r_squared(row, calls[each]) < Fraction(bound) for each in near):
            kept.append(index)
    return kept
