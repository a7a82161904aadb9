"""Rows of a published table beside a reference's variants: names, alleles, strands."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.genotypes import Variants
from deniable.gwas.published.statistics import PublishedTable
from deniable.gwas.published.text_table import Floats

_COMPLEMENT = {"A": "T", "T": "A", "C": "G", "G": "C"}
_CLEAR = 0.1
"""How far from ½ a frequency must lie on either side to say which strand an ambiguous variant is
on: beyond it chance turns the two over with fewer than 50 people only."""

Words = NDArray[np.object_]


@attrs.frozen
class Aligned:
    """The published numbers of a reference's variants, said of its allele 1.

    Parameters
    ----------
    table : PublishedTable
        One row a variant that was found.
    places : ndarray of int, shape (n_rows,)
        Where each stands in the reference, rising.
    left_out : dict of str to int
        Rows of the table that were not used, by reason.
    """

    table: PublishedTable
    places: NDArray[np.intp]
    left_out: dict[str, int]


def aligned(table: PublishedTable, variants: Variants, frequency: Floats) -> Aligned:
    """Find the reference's variants in a table.

    A variant matches by name and alleles, in capitals or not; the table may name the alleles in
    reverse. It may be read from the other strand as well, where its alleles match a reference's
    only after A is exchanged for T, and C for G. Variants with alleles A and T, or C and G, look
    alike from both: they are taken as named where all others match without such an exchange;
    otherwise by a frequency that says which, and without one they are left out.

    Parameters
    ----------
    table : PublishedTable
        What is published.
    variants : Variants
        Of the reference.
    frequency : ndarray of float, shape (n_variants,)
        Of allele 1 in the reference.
    """
    counts = dict.fromkeys(_REASONS, 0)
    rows, places = _matched(table, variants, counts)
    found = _in_capitals(table.taken(rows))
    first, second = _capitals(variants.allele_1[places]), _capitals(variants.allele_2[places])
    straight, reverse = _agree(found, first, second)
    other_first, other_second = _complement(first), _complement(second)
    from_other = _agree(found, other_first, other_second)
    ambiguous = other_first == second
    exchanged = (from_other[0] | from_other[1]) & ~(straight | reverse)
    turned = reverse | (exchanged & from_other[1])
    kept = straight | reverse | exchanged
    counts["published_other_alleles"] = int(np.count_nonzero(~kept))
    if exchanged.any():
        side = _side(found, turned, frequency[places])
        turned = np.where(ambiguous & (side < 0), ~turned, turned)
        unclear = kept & ambiguous & (side == 0)
        counts["published_ambiguous"] = int(np.count_nonzero(unclear))
        kept &= ~unclear
    useful = found.informative
    counts["published_no_number"] = int(np.count_nonzero(kept & ~useful))
    kept &= useful
    which = np.flatnonzero(kept)
    which = which[np.argsort(places[which], kind="stable")]
    result = found.taken(which)
    result = result.turned(turned[which])
    return Aligned(result, places[which], counts)


_REASONS = (
    "published_only",
    "published_repeats",
    "published_other_alleles",
    "published_ambiguous",
    "published_no_number",
)


def _matched(
    table: PublishedTable, variants: Variants, counts: dict[str, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of names that stand once in both, and where they stand in the reference."""
    own = variants.identifier
    if table.by_place:
        pairs = zip(variants.chromosome.tolist(), variants.position.tolist(), strict=True)
        own = np.array([f"{_bare(where)}:{place}" for where, place in pairs], dtype=object)
    theirs: dict[str, int] = {}
    for place, name in enumerate(own.tolist()):
        theirs[name] = -1 if name in theirs else place
    seen: dict[str, int] = {}
    names = table.names.tolist()
    if table.by_place:
        names = [_bare(name) for name in names]
    for row, name in enumerate(names):
        seen[name] = -1 if name in seen else row
    both = [(row, theirs[name]) for name, row in seen.items() if name in theirs]
    pairs_found = np.array(both, dtype=np.int64).reshape(-1, 2)
    once = (pairs_found >= 0).all(axis=1)
    counts["published_repeats"] = int(np.count_nonzero(~once))
    counts["published_only"] = len(seen) - len(both)
    return pairs_found[once, 0], pairs_found[once, 1]


def _bare(name: str) -> str:
    """A chromosome without the letters chr."""
    return name[3:] if name[:3].lower() == "chr" else name


def _in_capitals(table: PublishedTable) -> PublishedTable:
    other = None if table.other is None else _capitals(table.other)
    return attrs.evolve(table, effect=_capitals(table.effect), other=other)


def _capitals(alleles: Words) -> Words:
    distinct, places = np.unique(alleles.astype(str), return_inverse=True)
    return np.asarray(np.array([word.upper() for word in distinct.tolist()], object)[places])


def _agree(
    table: PublishedTable, first: Words, second: Words
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the effect allele is the first, or the second, of these two."""
    if table.other is None:
        straight, reverse = table.effect == first, table.effect == second
    else:
        straight = (table.effect == first) & (table.other == second)
        reverse = (table.effect == second) & (table.other == first)
    return np.asarray(straight, bool), np.asarray(reverse, bool)


def _complement(alleles: Words) -> Words:
    """Alleles as the other strand spells them; what is no letter of DNA matches nothing there."""
    distinct, places = np.unique(alleles.astype(str), return_inverse=True)
    spelled = [
        "".join(_COMPLEMENT[letter] for letter in word[::-1])
        if word and set(word) <= _COMPLEMENT.keys()
        else ""
        for word in distinct.tolist()
    ]
    return np.asarray(np.array(spelled, dtype=object)[places], dtype=np.object_)


def _side(table: PublishedTable, turned: NDArray[np.bool_], frequency: Floats) -> Floats:
    """1 where the published frequency says the named strand, −1 the other one, 0 nothing."""
    shares = np.full(len(table), np.nan)
    for each in table.frequencies.values():
        value = each.number.value
        if each.counted:
            value = (
                value / each.alleles if each.alleles is not None else np.full_like(value, np.nan)
            )
        shares = np.where(np.isfinite(shares), shares, value)
    shares = np.where(turned, 1 - shares, shares)
    clear = (np.abs(shares - 0.5) > _CLEAR) & (np.abs(frequency - 0.5) > _CLEAR)
    agree = np.sign(shares - 0.5) == np.sign(frequency - 0.5)
    return np.where(clear, np.where(agree, 1.0, -1.0), 0.0)
