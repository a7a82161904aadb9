"""Which column of a table is what: by the names that programs of association studies use."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri_exp

from deniable.errors import DataError
from deniable.gwas.files.arrow import pa, pc
from deniable.gwas.genotypes import NAMELESS, Floats, Variants, name_or_place, places_of
from deniable.gwas.published.statistics import (
    GROUPS,
    Effects,
    Frequency,
    Measured,
    PublishedTable,
    parse_numbers,
    text_table,
    unread_columns,
)

_COMPLEMENT = str.maketrans("ACGT", "TGCA")
_CLEAR = 0.1
"""How far from ½ a frequency must lie on either side to say which strand an ambiguous variant is
on: beyond it chance turns the two over with fewer than 50 people only."""

Words = NDArray[np.object_]


@attrs.frozen
class Aligned:
    """The published numbers of a reference's variants, said of its allele 1.

    A row a variant that was found; where each stands in the reference, rising; and how many rows of
    the table were not used, by reason.
    """

    table: PublishedTable
    places: NDArray[np.intp]
    left_out: dict[str, int]


def align(table: PublishedTable, variants: Variants, frequency: Floats) -> Aligned:
    """Find the reference's variants in a table, whose allele 1 has these frequencies.

    A variant matches by name and alleles, in capitals or not; the table may name the alleles in
    reverse. It may be read from the other strand as well, where its alleles match a reference's
    only after A is exchanged for T, and C for G. Variants with alleles A and T, or C and G, look
    alike from both: they are taken as named where all others match without such an exchange;
    otherwise by a frequency that says which, and without one they are left out.
    """
    counts = dict.fromkeys(_REASONS, 0)
    rows, places = _match(table, variants, counts)
    if table.effect is None:  # p-values alone, which are the same of either allele
        kept = table.take(rows).informative
        counts["published_no_number"] = int(np.count_nonzero(~kept))
        which = np.flatnonzero(kept)[np.argsort(places[kept], kind="stable")]
        return Aligned(table.take(rows[which]), places[which], counts)
    matched = table.take(rows)
    matched = attrs.evolve(
        matched,
        effect=None if matched.effect is None else _spelled(matched.effect, str.upper),
        other=None if matched.other is None else _spelled(matched.other, str.upper),
    )
    own = variants.allele_1[places], variants.allele_2[places]
    first, second = (_spelled(each, str.upper) for each in own)
    straight, reverse = _agree(matched, first, second)
    other_first, other_second = (_spelled(each, _on_other_strand) for each in (first, second))
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
    result = matched.take(which).swap_alleles(turned[which], frequency[places[which]])
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
    names, theirs = table.names.tolist(), places_of(variants.identifier.tolist())
    if any(name.startswith("\t") for name in names):
        where, place = variants.chromosome.tolist(), variants.position.tolist()
        theirs |= places_of(name_or_place([""] * len(where), where, place))
    seen = places_of(names)
    both = [(row, theirs[name]) for name, row in seen.items() if name in theirs]
    pairs_found = np.array(both, dtype=np.int64).reshape(-1, 2)
    once = (pairs_found >= 0).all(axis=1)
    _, which, times = np.unique(pairs_found[:, 1], return_inverse=True, return_counts=True)
    once &= times[which] == 1  # by its name, or by its place
    known = sum(name in theirs for name in names)
    counts["published_repeats"] = known - int(np.count_nonzero(once))
    counts["published_only"] = len(names) - known
    return pairs_found[once, 0], pairs_found[once, 1]


def _spelled(alleles: Words, spell: Callable[[str], str]) -> Words:
    distinct, places = np.unique(alleles.astype(str), return_inverse=True)
    return np.asarray(np.array([spell(word) for word in distinct.tolist()], object)[places])


def _on_other_strand(word: str) -> str:
    """An allele as the other strand spells it; what is no word of DNA matches nothing there."""
    return word[::-1].translate(_COMPLEMENT) if set(word) <= set("ACGT") else ""


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


def _side(table: PublishedTable, turned: NDArray[np.bool_], frequency: Floats) -> Floats:
    """1 where the published frequency says the named strand, −1 the other one, 0 nothing."""
    shares = np.full(len(table), np.nan)
    for each in table.frequencies.values():
        if each.folded:
            continue
        value = each.number.value
        if each.counted:
            value = value / (np.nan if each.alleles is None else each.alleles)
        shares = np.where(np.isfinite(shares), shares, value)
    shares = np.where(turned, 1 - shares, shares)
    clear = (np.abs(shares - 0.5) > _CLEAR) & (np.abs(frequency - 0.5) > _CLEAR)
    agree = np.sign(shares - 0.5) == np.sign(frequency - 0.5)
    return np.where(clear, np.where(agree, 1.0, -1.0), 0.0)


_NAMES = tomllib.loads(Path(__file__).with_name("column_names.toml").read_text("utf-8"))
_WORDS: dict[str, list[str]] = _NAMES["columns"]
"""Names of columns, of numbers the first that has one in a row counts; see `_spell`."""
_GENOTYPES: dict[str, list[list[str]]] = _NAMES["genotypes"]
"""People with 0, 1, 2 copies of the effect allele."""
_SECOND_COUNTED = {"af_allele2", "ac_allele2", "markerid", "tstat"}
"""Columns by which SAIGE says that its effects and frequencies are of Allele2; others that name
alleles so mean the first."""
_SIZED = re.compile(r"(frq_[au])_[0-9]+")
"""Frequencies as the Psychiatric Genomics Consortium names them, with the number of people."""
_PAIR = r"^(?P<one>[^/]*)/(?P<other>[^/]*)$"
_ADDITIVE = ("ADD", "ALLELIC", "TREND")
"""Tests whose effect is that of a copy."""
_TO_95 = 1.959963984540054
"""Standard errors from an estimate to the bound of its 95 % interval."""


def _spell(name: str) -> str:
    """One spelling of a column's name: "P-value", "p.value" and "P_VALUE" are "p_value".

    Examples
    --------
    >>> [_spell(name) for name in ("#CHROM", "AF.Cases", "FRQ_A_53386")]
    ['chrom', 'af_cases', 'f_a']
    """
    word = re.sub(r"[.\- ]", "_", name.lstrip("#").lower())
    sized = _SIZED.fullmatch(word)
    return word if sized is None else sized[1].replace("frq", "f")


@attrs.define
class _Columns:
    """A table's columns by what they are, and which of them were used."""

    table: pa.Table
    spelled: dict[str, str]
    used: set[str] = attrs.field(factory=set)

    @classmethod
    def of(cls, path: Path) -> _Columns:
        table = text_table(path)
        spelled: dict[str, str] = {}
        for name in table.column_names:
            spelled.setdefault(_spell(name), name)
        return cls(table, spelled)

    def name(self, what: str) -> str | None:
        return next((word for word in _WORDS[what] if word in self.spelled), None)

    def has(self, what: str) -> bool:
        return self.name(what) is not None

    def uses(self, what: str) -> bool:
        return any(self.spelled.get(word) in self.used for word in _WORDS[what])

    def column(self, word: str) -> pa.ChunkedArray:
        self.used.add(self.spelled[word])
        return self.table[self.spelled[word]]

    def words(self, word: str) -> NDArray[np.object_]:
        encoded = pc.dictionary_encode(self.column(word).combine_chunks())
        distinct = np.array([word.strip() for word in encoded.dictionary.to_pylist()], object)
        return np.asarray(distinct[np.from_dlpack(encoded.indices)], dtype=np.object_)

    def number(self, *kinds: str, most: float = math.inf) -> Measured | None:
        """Each row's number from the first column that has one, at `most` in size."""
        value = half = np.full(len(self.table), np.nan)
        for word in (word for what in kinds for word in _WORDS[what] if word in self.spelled):
            each = parse_numbers(self.table[self.spelled[word]])
            new = np.isnan(value) & (np.abs(each.value) <= most)
            if new.any():
                self.used.add(self.spelled[word])
                value, half = np.where(new, each.value, value), np.where(new, each.half, half)
        return Measured(value, half) if np.isfinite(value).any() else None

    def numbers(self, names: Sequence[str]) -> list[Floats] | None:
        if not set(names) <= self.spelled.keys():
            return None
        values = [parse_numbers(self.table[self.spelled[name]]).value for name in names]
        if not np.isfinite(sum(values)).any():
            return None
        self.used.update(self.spelled[name] for name in names)
        return values


def read_published_table(path: Path) -> PublishedTable:
    """A table of frequencies, counts or effects, as programs of association studies write it."""
    columns = _Columns.of(path)
    of_copies = True
    if (test := columns.name("test")) is not None:
        # The rows of one test are kept, of a copy's effect where there is one.
        tests = columns.words(test).tolist()
        kept = next((each for each in _ADDITIVE if each in tests), tests[0] if tests else "")
        columns.table = columns.table.filter(pa.array([each == kept for each in tests], pa.bool_()))
        of_copies = kept in _ADDITIVE
    names = _names(columns, path)
    effect, other = _alleles(columns)
    with np.errstate(all="ignore"):  # numbers that cannot be overflow to what is nothing
        effects = _effects(columns, named=effect is not None) if of_copies else None
        groups = GROUPS if effect is not None else ()
        each_group = {name: _frequency(columns, name, effects is not None) for name in groups}
        frequencies = {name: each for name, each in each_group.items() if each is not None}
    if effect is None and effects is None:
        raise _unreadable(path, "a column that names the effect allele (effect_allele, A1, ALT)")
    if not frequencies and effects is None:
        raise _unreadable(path, "frequencies, allele counts, or effects with their p-values")
    descriptions = [
        f"{'allele counts' if each.counted else 'frequencies'} in {_IN_WORDS.get(name, name)}"
        for name, each in frequencies.items()
    ]
    people, of_effects = columns.number("people"), dict[str, Measured]()
    if effects is not None:
        people = columns.number("observed") if people is None else people
        direction = "" if (effects.sign != 0).any() else " without direction"
        of_effects = {
            "odds ratios or β": effects.beta,
            "standard errors": effects.error,
            f"test statistics or p-values{direction}": effects.z,
        }
    table = PublishedTable(
        names,
        effect,
        other,
        frequencies,
        effects,
        None if people is None else people.value,
        (
            *descriptions,
            *(what for what, each in of_effects.items() if np.isfinite(each.value).any()),
        ),
        unread_columns(columns.table, columns.used),
    )
    if not table.informative.any():
        raise DataError(f"Expected a number or more, got none at {path}. Correct the file.")
    return table


_IN_WORDS = {"pool": "cases and controls together"}


def _unreadable(path: Path, what: str) -> DataError:
    return DataError(
        f"Expected {what}, got none at {path}. Give what PLINK, REGENIE, SAIGE, BOLT-LMM, METAL, "
        "deniable gwas scan or release writes, or columns of GWAS-SSF."
    )


def _names(columns: _Columns, path: Path) -> Words:
    name, where, place = map(columns.name, ("name", "chromosome", "position"))
    names = [""] * len(columns.table)
    if name is not None:
        names = columns.column(name).to_pylist()
    if where is not None and place is not None and any(each.upper() in NAMELESS for each in names):
        places = (columns.column(each).to_pylist() for each in (where, place))
        names = name_or_place(names, *places)
    elif name is None:
        raise _unreadable(path, "a column of variants (variant_id, SNP, ID)")
    return np.array(names, np.object_)


def _alleles(columns: _Columns) -> tuple[NDArray[np.object_] | None, NDArray[np.object_] | None]:
    """The allele that numbers are about, and the other one, as far as they are named."""
    known = columns.spelled.keys()
    first, second = columns.name("effect"), columns.name("other")
    if first is None:
        return None, None
    if {"allele1", "allele2"} <= known and (first, second) == ("allele1", "allele2"):
        first, second = ("allele2", "allele1") if _SECOND_COUNTED & known else (first, second)
    effect = columns.words(first)
    if first == "a1" and second != "a2" and {"ref", "alt"} <= known:
        # plink2 counts A1, which is usually but not always the alternative allele.
        ref, alt = columns.words("ref"), columns.words("alt")
        return effect, np.where(effect == alt, ref, alt)
    return effect, None if second is None else columns.words(second)


def _counted(copies: Floats, alleles: Floats | None) -> Frequency:
    return Frequency(Measured(copies, 0 * copies), alleles, counted=True)


def _frequency(columns: _Columns, group: str, tested: bool) -> Frequency | None:
    for names in _GENOTYPES[group]:
        if (numbers := columns.numbers(names)) is not None:
            none, once, twice = numbers
            return _counted(once + 2 * twice, 2 * (none + once + twice))
    if group != "pool" and (both := columns.name(f"{group} both")) is not None:
        # PLINK's --model: copies of A1 and A2 with a stroke between them
        parts = pc.extract_regex(columns.column(both).combine_chunks(), pattern=_PAIR)
        one, other = (
            parse_numbers(pa.chunked_array([pc.fill_null(pc.struct_field(parts, [name]), "")]))
            for name in ("one", "other")
        )
        return _counted(one.value, one.value + other.value)
    known = columns.number(f"{group} alleles")
    alleles = None if known is None else known.value
    if group != "pool" and alleles is None:
        people = columns.number(f"{group} people")
        alleles = None if people is None else 2 * people.value
    if group == "pool" and alleles is None and (columns.has(group) or columns.has("pool copies")):
        observed = columns.number("observed")
        alleles = None if observed is None else observed.value * (2 if tested else 1)  # of people
    copies = columns.number(f"{group} copies")
    if copies is not None:
        others = None
        if group == "pool" and alleles is None:
            others = columns.number("other copies")
        return _counted(copies.value, alleles if others is None else copies.value + others.value)
    share = columns.number(group, most=1.0)
    rarer = group == "pool" and share is None
    share = columns.number("rarer", most=1.0) if rarer else share
    if share is None:
        return None
    possible = share.value >= 0
    value, half = (np.where(possible, each, np.nan) for each in (share.value, share.half))
    # PLINK's MAF, beside the number of alleles, is that of its A1; others' is of either allele.
    folded = rarer and not columns.has("pool alleles") and not bool((value > 0.5).any())
    return Frequency(Measured(value, half), alleles, counted=False, folded=folded)


def _effects(columns: _Columns, *, named: bool) -> Effects | None:
    """Effects, where an allele is named; of a table without alleles p-values alone."""
    # Of a linear regression on 0 and 1: its effect is no log odds ratio, its t is like z. And what
    # REGENIE's --htp calls an effect beside its bounds is an odds ratio or a difference.
    scaled = named and not columns.has("t") and "lci_effect" not in columns.spelled
    beta = _beta(columns) if scaled else None
    error = None if beta is None else columns.number("error")
    z, sign = _z(columns, named=named)
    if beta is None and z is None:
        return None
    size = len(columns.table)
    nothing = Measured(np.full(size, np.nan), np.full(size, np.nan))
    if error is None and beta is not None:
        error = _from_interval(columns)
    if beta is not None:
        sign = np.where(np.isfinite(beta.value), np.sign(beta.value), sign)
    if error is not None:
        error = Measured(np.where(error.value > 0, error.value, np.nan), error.half)
    allelic = columns.uses("chi-squared") and not columns.has("beta")
    return Effects(beta or nothing, error or nothing, z or nothing, sign, allelic)


def _beta(columns: _Columns) -> Measured | None:
    ratio = columns.number("odds ratio")
    if ratio is None:
        return columns.number("beta")
    value = np.where(ratio.value > 0, np.log(ratio.value), np.nan)
    half = ratio.half / ratio.value
    if np.isnan(ratio.value).any() and (beta := columns.number("beta")) is not None:
        new = np.isnan(ratio.value)
        value, half = np.where(new, beta.value, value), np.where(new, beta.half, half)
    return Measured(value, half)


def _from_interval(columns: _Columns) -> Measured | None:
    if not (columns.has("low") and columns.has("high")):
        return None
    low, high = columns.number("low"), columns.number("high")
    if low is None or high is None:
        return None
    width, half = high.value - low.value, low.half + high.half
    if columns.uses("odds ratio"):
        width = np.log(high.value) - np.log(low.value)
        half = low.half / low.value + high.half / high.value
    value = np.where(np.isfinite(width) & (width > 0), width / (2 * _TO_95), np.nan)
    return Measured(value, half / (2 * _TO_95))


def _z(columns: _Columns, *, named: bool) -> tuple[Measured | None, Floats]:
    """|z| and the sign where a statistic of a named allele has one; (n_rows,)."""
    unknown = np.zeros(len(columns.table))
    signed = columns.number("z", "t")
    if signed is not None:
        sign = np.where(np.isfinite(signed.value), np.sign(signed.value), 0.0)
        return Measured(np.abs(signed.value), signed.half), sign if named else unknown
    squared = columns.number("chi-squared")
    logarithm = None if squared is not None else columns.number("log p-value")
    p = None if squared is not None or logarithm is not None else columns.number("p-value")
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
