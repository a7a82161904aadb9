"""Which column of a table is what: by the names that PLINK, GWAS-SSF and our own tables use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri_exp

from deniable.errors import DataError
from deniable.errors.late import late
from deniable.gwas.genotypes import Variants
from deniable.gwas.published.statistics import (
    GROUPS,
    Effects,
    Floats,
    Frequency,
    Measured,
    PublishedTable,
    parse_numbers,
    text_table,
)

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="gwas")
    pc = late("pyarrow.compute", extra="gwas")


# --- Rows of a published table beside a reference's variants: names, alleles, strands.


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


def align(table: PublishedTable, variants: Variants, frequency: Floats) -> Aligned:
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
    rows, places = _match(table, variants, counts)
    matched = _in_capitals(table.take(rows))
    first, second = _capitals(variants.allele_1[places]), _capitals(variants.allele_2[places])
    straight, reverse = _agree(matched, first, second)
    other_first, other_second = _complement(first), _complement(second)
    from_other = _agree(matched, other_first, other_second)
    ambiguous = other_first == second
    exchanged = (from_other[0] | from_other[1]) & ~(straight | reverse)
    turned = reverse | (exchanged & from_other[1])
    kept = straight | reverse | exchanged
    counts["published_other_alleles"] = int(np.count_nonzero(~kept))
    if exchanged.any():
        side = _side(matched, turned, frequency[places])
        turned = np.where(ambiguous & (side < 0), ~turned, turned)
        unclear = kept & ambiguous & (side == 0)
        counts["published_ambiguous"] = int(np.count_nonzero(unclear))
        kept &= ~unclear
    useful = matched.informative
    counts["published_no_number"] = int(np.count_nonzero(kept & ~useful))
    kept &= useful
    which = np.flatnonzero(kept)
    which = which[np.argsort(places[which], kind="stable")]
    result = matched.take(which)
    result = result.swap_alleles(turned[which])
    return Aligned(result, places[which], counts)


_REASONS = (
    "published_only",
    "published_repeats",
    "published_other_alleles",
    "published_ambiguous",
    "published_no_number",
)


def _match(
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


# --- Which column of a table is what: by the names that PLINK, GWAS-SSF and our own tables use.


_WORDS = {
    "name": ("variant", "snp", "id", "rsid", "rs_id", "variant_id", "markername"),
    "chromosome": ("chrom", "chr", "chromosome"),
    "position": ("pos", "bp", "base_pair_location", "position"),
    "effect": ("effect_allele", "a1", "alt", "allele_1"),
    "other": ("other_allele", "a2", "ax", "omitted", "ref", "allele_2"),
    "pool": ("effect_allele_frequency", "eaf", "a1_freq", "alt_freqs", "maf"),
    "cases": ("cases_frequency", "f_a", "maf_a", "a1_case_freq"),
    "controls": ("controls_frequency", "f_u", "maf_u", "a1_ctrl_freq"),
    "pool copies": ("a1_ct", "alt_cts", "c1"),
    "cases copies": ("cases_allele_1", "c_a", "a1_case_ct"),
    "controls copies": ("controls_allele_1", "c_u", "a1_ctrl_ct"),
    "pool alleles": ("nchrobs", "allele_ct"),
    "cases alleles": ("nchrobs_a", "case_allele_ct"),
    "controls alleles": ("nchrobs_u", "ctrl_allele_ct"),
    "other copies": ("c2",),
    "observed": ("obs_ct",),
    "people": ("n", "nmiss"),
    "odds ratio": ("odds_ratio", "or"),
    "beta": ("beta",),
    "error": ("standard_error", "se", "log(or)_se"),
    "low": ("ci_lower", "l95"),
    "high": ("ci_upper", "u95"),
    "z": ("z_stat", "stat", "zscore", "z"),
    "t": ("t_stat",),
    "chi-squared": ("chisq",),
    "p-value": ("p_value", "p", "pval"),
    "log p-value": ("neg_log_10_p_value", "neg_log10_p"),
    "test": ("test",),
}
"""Names of columns, the first found counts."""
_GENOTYPES = {
    "pool": (
        ("c(hom a2)", "c(het)", "c(hom a1)"),
        ("hom_ref_ct", "het_ref_alt_cts", "two_alt_geno_cts"),
    ),
    "cases": (("cases_0", "cases_1", "cases_2"),),
    "controls": (("controls_0", "controls_1", "controls_2"),),
}
"""People with 0, 1, 2 copies of the effect allele."""
_ADDITIVE = ("ADD", "ALLELIC", "TREND")
"""Tests whose effect is that of a copy."""
_TO_95 = 1.959963984540054
"""Standard errors from an estimate to the bound of its 95 % interval."""


@attrs.frozen
class _Columns:
    table: pa.Table
    path: Path

    def name(self, what: str) -> str | None:
        return next((word for word in _WORDS[what] if word in self.table.column_names), None)

    def has(self, what: str) -> bool:
        return self.name(what) is not None

    def words(self, what: str) -> NDArray[np.object_]:
        column = self.table[self.name(what)].combine_chunks()
        encoded = pc.dictionary_encode(column)
        distinct = np.array([word.strip() for word in encoded.dictionary.to_pylist()], object)
        return np.asarray(distinct[np.from_dlpack(encoded.indices)], dtype=np.object_)

    def number(self, what: str) -> Measured | None:
        name = self.name(what)
        return None if name is None else parse_numbers(self.table[name])

    def numbers(self, names: tuple[str, ...]) -> list[Floats] | None:
        if not set(names) <= set(self.table.column_names):
            return None
        return [parse_numbers(self.table[name]).value for name in names]


def read_published_table(path: Path) -> PublishedTable:
    """A table of frequencies, counts or effects, from PLINK 1.9, PLINK 2, GWAS-SSF or a scan.

    Raises
    ------
    InvalidArgument
        If there is no such file.
    DataError
        If it is no table, names no variants or alleles, or holds nothing about frequencies.
    """
    columns = _Columns(text_table(path), path)
    if columns.has("test"):
        additive = pc.is_in(columns.table[columns.name("test")], value_set=pa.array(_ADDITIVE))
        columns = _Columns(columns.table.filter(additive), path)
    names, by_place = _names(columns)
    if not columns.has("effect"):
        raise _unreadable(path, "a column that names the effect allele (effect_allele, A1, ALT)")
    effect, other = _alleles(columns)
    with np.errstate(all="ignore"):  # numbers that cannot be overflow to what is nothing
        effects = _effects(columns)
        frequencies = _frequencies(columns, effects is not None)
    if not frequencies and effects is None:
        raise _unreadable(path, "frequencies, allele counts, or effects with their p-values")
    descriptions = [
        _FREQUENCIES[name, frequencies[name].counted] for name in GROUPS if name in frequencies
    ]
    table = PublishedTable(
        names,
        by_place,
        effect,
        other,
        frequencies,
        effects,
        _people(columns, effects is not None),
        (*descriptions, *_describe_effects(effects)),
    )
    if not table.informative.any():
        raise DataError(f"Expected a number or more, got none at {path}. Correct the file.")
    return table


_FREQUENCIES = {
    ("cases", False): "frequencies in cases",
    ("controls", False): "frequencies in controls",
    ("pool", False): "frequencies in cases and controls together",
    ("cases", True): "allele counts in cases",
    ("controls", True): "allele counts in controls",
    ("pool", True): "allele counts in cases and controls together",
}


def _unreadable(path: Path, what: str) -> DataError:
    return DataError(
        f"Expected {what}, got none at {path}. Give what plink --freq, --assoc or --logistic, "
        "plink2 --freq or --glm, deniable gwas scan or release writes, or columns of GWAS-SSF."
    )


def _names(columns: _Columns) -> tuple[NDArray[np.object_], bool]:
    name = columns.name("name")
    if name is not None:
        return np.array(columns.table[name].to_pylist(), dtype=np.object_), False
    if not (columns.has("chromosome") and columns.has("position")):
        raise _unreadable(columns.path, "a column of variants (variant_id, SNP, ID)")
    places = (columns.table[columns.name(what)] for what in ("chromosome", "position"))
    joined = pc.binary_join_element_wise(*places, ":")
    return np.array(joined.to_pylist(), dtype=np.object_), True


def _alleles(columns: _Columns) -> tuple[NDArray[np.object_], NDArray[np.object_] | None]:
    effect = columns.words("effect")
    names = set(columns.table.column_names)
    if {"a1", "ref", "alt"} <= names and "effect_allele" not in names:
        # plink2 counts A1, which is usually but not always the alternative allele.
        ref, alt = (_words(columns.table, name) for name in ("ref", "alt"))
        return effect, np.where(effect == alt, ref, alt)
    return effect, columns.words("other") if columns.has("other") else None


def _words(table: pa.Table, name: str) -> NDArray[np.object_]:
    return np.array(table[name].to_pylist(), dtype=np.object_)


def _frequencies(columns: _Columns, tested: bool) -> dict[str, Frequency]:
    frequencies = {}
    for group in GROUPS:
        each = _genotypes(columns, group) or _one(columns, group, tested)
        if each is not None:
            frequencies[group] = each
    return frequencies


def _genotypes(columns: _Columns, group: str) -> Frequency | None:
    for names in _GENOTYPES[group]:
        numbers = columns.numbers(names)
        if numbers is not None:
            none, one, two = numbers
            copies = one + 2 * two
            return Frequency(Measured(copies, 0 * copies), 2 * (none + one + two), counted=True)
    return None


def _one(columns: _Columns, group: str, tested: bool) -> Frequency | None:
    known = columns.number(f"{group} alleles")
    alleles = None if known is None else known.value
    observed = columns.number("observed")
    if alleles is None and group == "pool" and observed is not None:
        alleles = observed.value * (2 if tested else 1)  # of people beside a test
    copies = columns.number(f"{group} copies")
    if copies is not None:
        others = columns.number("other copies")
        if group == "pool" and alleles is None and others is not None:
            alleles = copies.value + others.value
        return Frequency(Measured(copies.value, 0 * copies.value), alleles, counted=True)
    share = columns.number(group)
    if share is None:
        return None
    possible = (share.value >= 0) & (share.value <= 1)
    value, half = (np.where(possible, each, np.nan) for each in (share.value, share.half))
    return Frequency(Measured(value, half), alleles, counted=False)


def _people(columns: _Columns, tested: bool) -> Floats | None:
    people = columns.number("people") or (columns.number("observed") if tested else None)
    return None if people is None else people.value


def _effects(columns: _Columns) -> Effects | None:
    beta, error = _beta(columns), columns.number("error")
    z, sign = _z(columns)
    if columns.has("t"):
        # Of a linear regression on 0 and 1: its effect is no log odds ratio, its t is like z.
        beta, error = None, None
    if beta is None and z is None:
        return None
    size = len(columns.table)
    nothing = Measured(np.full(size, np.nan), np.full(size, np.nan))
    if error is None and beta is not None and columns.has("low") and columns.has("high"):
        error = _from_interval(columns)
    if beta is not None:
        sign = np.where(np.isfinite(beta.value), np.sign(beta.value), sign)
    if error is not None:
        error = Measured(np.where(error.value > 0, error.value, np.nan), error.half)
    allelic = columns.has("chi-squared")
    return Effects(beta or nothing, error or nothing, z or nothing, sign, allelic)


def _beta(columns: _Columns) -> Measured | None:
    ratio = columns.number("odds ratio")
    if ratio is None:
        return columns.number("beta")
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(ratio.value > 0, np.log(ratio.value), np.nan)
        return Measured(value, ratio.half / ratio.value)


def _from_interval(columns: _Columns) -> Measured:
    low, high = columns.number("low"), columns.number("high")
    if low is None or high is None:
        raise AssertionError("an interval has two bounds")
    bounds = low.value, high.value
    with np.errstate(divide="ignore", invalid="ignore"):
        of_ratio = columns.has("odds ratio")
        width = np.log(bounds[1]) - np.log(bounds[0]) if of_ratio else bounds[1] - bounds[0]
        scale = (1 / bounds[0], 1 / bounds[1]) if of_ratio else (1.0, 1.0)
        half = low.half * scale[0] + high.half * scale[1]
        value = np.where(np.isfinite(width) & (width > 0), width / (2 * _TO_95), np.nan)
    return Measured(value, half / (2 * _TO_95))


def _z(columns: _Columns) -> tuple[Measured | None, Floats]:
    """|z| and the sign where a statistic has one; (n_rows,)."""
    unknown = np.zeros(len(columns.table))
    signed = columns.number("z") or columns.number("t")
    if signed is not None:
        sign = np.where(np.isfinite(signed.value), np.sign(signed.value), 0.0)
        return Measured(np.abs(signed.value), signed.half), sign
    squared = columns.number("chi-squared")
    p = columns.number("p-value")
    logarithm = columns.number("log p-value")
    with np.errstate(divide="ignore", invalid="ignore"):
        if squared is not None:
            root = np.sqrt(np.where(squared.value >= 0, squared.value, np.nan))
            return Measured(root, squared.half / (2 * np.maximum(root, 1e-3))), unknown
        if logarithm is not None:
            scale = np.log(10.0)
            log_p, relative = -scale * logarithm.value, scale * logarithm.half
        elif p is not None:
            # A p-value printed as 0 lies between 0 and half of its last digit.
            zero = (p.value == 0) & (p.half > 0)
            value, half = np.where(zero, p.half / 2, p.value), np.where(zero, p.half / 2, p.half)
            log_p, relative = np.log(np.where(value > 0, value, np.nan)), half / value
        else:
            return None, unknown
        log_p = np.where(log_p <= 0, log_p, np.nan)
        z = -ndtri_exp(log_p - np.log(2.0))
        # dz/dp = 1/(2 φ(z)) for p = 2 Φ(−z)
        log_density = -0.5 * z**2 - 0.5 * np.log(2 * np.pi)
        half = relative * np.exp(log_p - np.log(2.0) - log_density)
    return Measured(z, half), unknown


def _describe_effects(effects: Effects | None) -> list[str]:
    if effects is None:
        return []
    descriptions = []
    if np.isfinite(effects.beta.value).any():
        descriptions.append("odds ratios or β")
    if np.isfinite(effects.error.value).any():
        descriptions.append("standard errors")
    if np.isfinite(effects.z.value).any():
        signed = bool((effects.sign != 0).any())
        descriptions.append(
            "test statistics or p-values" + ("" if signed else " without direction")
        )
    return descriptions
