"""Tables that programs print, as columns of text, and the statistics that they publish."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.gwas.files import check_file, contents, parse_table, text
from deniable.gwas.files.arrow import csv, pa, pc
from deniable.gwas.genotypes import AS_ARRAYS, Floats, Rows

_COMMENT = b"##"
"""What lines above a header begin with."""
_NUMBER = r"^[+-]?(?P<whole>[0-9]*)\.?(?P<part>[0-9]*)(?:[eE](?P<power>[+-]?[0-9]{1,4}))?$"
_MOST_DIGITS = 17
"""Decimal digits that tell every float64 from the next; what a file prints beyond says nothing."""
_CELL = 2**20
"""Bytes of a line at most: wider ones are no table of statistics."""

SLACK = 1.001
"""How much wider than its last digit a printed number's range is, for rounding to even and in
base two."""


@attrs.frozen
class Measured(Rows):
    """A column of numbers as printed, (n_rows,); NaN where nothing, or no finite number, is.

    The exact number lies within value ± half, half of the last digit printed.
    """

    value: Floats = attrs.field(eq=AS_ARRAYS)
    half: Floats = attrs.field(eq=AS_ARRAYS)


def text_table(path: Path) -> pa.Table:
    """A file with a header as columns of text, their names in lower case without `#`.

    Columns stand between tabs, else between commas, else between white space; lines above the
    header that begin with ## are passed over. Quotation marks are taken off where there are commas,
    or the first two lines have some. A name that ends in .gz is unpacked.
    """
    check_file(path)
    data = contents(path).removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    while data.startswith((_COMMENT, b"\n")):
        data = data.partition(b"\n")[2]
    first = data[:_CELL].partition(b"\n")[0]
    separator = next((mark for mark in (b"\t", b",") if mark in first.strip()), b" ")
    if separator == b" ":  # one between columns, none at the ends of lines
        data = data.replace(b"\t", b" ")
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        first = data[:_CELL].partition(b"\n")[0]
    marked = text(first, path).strip("\n").split(separator.decode())
    spelled = [name.strip().strip('"').lstrip("#") for name in marked]
    names = [name.lower() for name in spelled]
    if len(set(names)) < len(names) or names == [""]:
        raise DataError(
            f"Expected a header with a unique name for each column at {path}. Put a line "
            "of names above the numbers."
        )
    quoted = separator == b"," or any(b'"' in line for line in data[:_CELL].split(b"\n", 2)[:2])
    try:
        table = parse_table(
            data.partition(b"\n")[2],
            csv.ConvertOptions(
                column_types={name: pa.string() for name in names}, strings_can_be_null=False
            ),
            names=names,
            delimiter=separator.decode(),
            quoted=quoted,
            block_size=16 * _CELL,
        )
    except pa.ArrowException as error:
        if not data.partition(b"\n")[2].strip():
            raise DataError(f"Expected a line or more below the header at {path}.") from None
        what = "UTF-8" if "UTF8" in str(error) else f"{len(names)} columns in every line"
        raise DataError(f"Expected {what}, got others at {path}. Correct the file.") from None
    return table.replace_schema_metadata(dict(zip(names, spelled, strict=True)))


def unread_columns(table: pa.Table, used: Iterable[str]) -> tuple[str, ...]:
    """Names of the other columns of a `text_table`, as its file spells them."""
    others = (name for name in table.column_names if name not in set(used))
    return tuple(table.schema.metadata[name.encode()].decode() for name in others)


def parse_numbers(column: pa.ChunkedArray) -> Measured:
    """Numbers of a column, and what their digits leave open.

    Programs print a column with so many significant digits (and drop zeros at the end), or with so
    many decimals. So the last digit of a number is the column's finest decimal, or where that is
    coarser, the number's own at as many significant digits as the column has at most.

    Examples
    --------
    >>> answer = parse_numbers(pa.chunked_array([["0.05", "0.1234", "NA", "1e-5"]]))
    >>> answer.value.tolist(), answer.half.round(9).tolist()
    ([0.05, 0.1234, nan, 1e-05], [5e-06, 5e-05, nan, 5e-06])
    """
    parts = pc.extract_regex(column.combine_chunks(), pattern=_NUMBER)
    integer, part, power = (pc.struct_field(parts, [name]) for name in ("whole", "part", "power"))
    digits = pc.utf8_length(pc.utf8_ltrim(pc.binary_join_element_wise(integer, part, ""), "0"))
    some = pc.greater(pc.add(pc.utf8_length(integer), pc.utf8_length(part)), 0)
    value = _floats(pc.if_else(pc.fill_null(some, False), column.combine_chunks(), None))
    value[~np.isfinite(value)] = np.nan
    shift = _floats(pc.if_else(pc.equal(power, ""), "0", power))
    decimals = _floats(pc.cast(pc.utf8_length(part), pa.float64())) - shift
    known = np.isfinite(value) & (value != 0)
    if not known.any():
        return Measured(value, np.where(np.isfinite(value), 0.0, np.nan))
    finest = decimals[known].max()
    most = min(_floats(pc.cast(digits, pa.float64()))[known].max(), _MOST_DIGITS)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = most - 1 - np.floor(np.log10(np.abs(value)))
    last = np.minimum(finest, np.where(known, own, finest))
    return Measured(value, np.where(np.isfinite(value), 0.5 * 10.0**-last, np.nan))


def _floats(column: pa.Array) -> Floats:
    """Return a column as NumPy holds it, NaN for null, without importing pandas."""
    return np.array(np.from_dlpack(pc.fill_null(pc.cast(column, pa.float64()), float("nan"))))


GROUPS = ("cases", "controls", "pool")
"""The groups whose frequencies may be published; the pool is cases and controls together."""


@attrs.frozen
class Frequency(Rows):
    """The effect allele's frequency in a group, or where `counted` its whole number of copies.

    Alleles that were looked at are two a person; None where the table does not say. Folded is the
    frequency of either allele, the rarer one.
    """

    number: Measured
    alleles: Floats | None
    counted: bool
    folded: bool = False

    def swap(self, which: NDArray[np.bool_]) -> Frequency:
        """The same, said of the other allele where asked."""
        total = self.alleles if self.counted else np.float64(1.0)
        if total is None:
            raise AssertionError("copies of the other allele need the number of alleles")
        value = np.where(which, total - self.number.value, self.number.value)
        return attrs.evolve(self, number=Measured(value, self.number.half))

    def unfold(self, near: Floats) -> Frequency:
        """The same number or 1 less it, whichever is nearer, where it is of either allele."""
        value = self.number.value
        value = np.where(np.abs(1 - value - near) < np.abs(value - near), 1 - value, value)
        return attrs.evolve(self, number=Measured(value, self.number.half), folded=False)


@attrs.frozen
class Effects(Rows):
    """Effects of the effect allele on disease; NaN where a table has none.

    The log odds ratio of a copy, its standard error, and how many standard errors the effect is
    from 0, >= 0, from z, χ² or the p-value. The sign is 1, −1, or 0 where the table does not say.
    Whether z is of the allelic χ² without covariates.
    """

    beta: Measured
    error: Measured
    z: Measured
    sign: Floats
    allelic: bool

    @property
    def known(self) -> NDArray[np.bool_]:
        """Say where something is published."""
        return np.isfinite(self.z.value) | np.isfinite(self.beta.value)


@attrs.frozen
class PublishedTable(Rows):
    """A table of a study's variants; columns of shape (n_rows,).

    Variants are matched by identifiers, or by places as `name_or_place` has them. The effect
    allele is the one that numbers are about; a table may name neither or one. Frequencies are by
    group; `people` were counted at each variant. `what` of it is used stands in words, and the
    names of columns that nothing is taken from as the file spells them. Of a release of ours copies
    have noise: the scale of discrete Laplace noise, or the standard deviation of discrete Gaussian
    noise.
    """

    names: NDArray[np.object_] = attrs.field(eq=AS_ARRAYS, repr=False)
    effect: NDArray[np.object_] | None = attrs.field(eq=AS_ARRAYS, repr=False)
    other: NDArray[np.object_] | None = attrs.field(eq=AS_ARRAYS, repr=False)
    frequencies: dict[str, Frequency]
    effects: Effects | None
    people: Floats | None
    what: tuple[str, ...]
    unread: tuple[str, ...] = ()
    noise: float | None = None
    deviation: float | None = None

    def __len__(self) -> int:
        return len(self.names)

    def swap_alleles(self, which: NDArray[np.bool_], near: Floats) -> PublishedTable:
        """The same numbers, said of the other allele where asked.

        A frequency of either allele becomes that of the one whose frequency in others is `near`.
        """
        frequencies = {
            name: each.unfold(near) if each.folded else each.swap(which)
            for name, each in self.frequencies.items()
        }
        effects = self.effects
        if effects is not None:
            turn = np.where(which, -1.0, 1.0)
            beta = Measured(effects.beta.value * turn, effects.beta.half)
            effects = attrs.evolve(effects, beta=beta, sign=effects.sign * turn)
        return attrs.evolve(self, frequencies=frequencies, effects=effects)

    @property
    def informative(self) -> NDArray[np.bool_]:
        """Which rows say anything."""
        has_number = np.zeros(len(self), bool)
        for each in self.frequencies.values():
            has_number |= np.isfinite(each.number.value)
        return has_number if self.effects is None else has_number | self.effects.known
