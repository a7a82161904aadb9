"""Tab-separated counts: a study that somebody else counted, and what a scan writes."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.gwas.files.arrow import csv, pa
from deniable.gwas.files.lines import contents, parse_table, text, to_array
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from deniable.numerics.operating_system import whole_file

_GENOTYPES = ("0", "1", "2", "missing")
_GROUPS = ("cases", "controls")
_REQUIRED = ["variant", *(f"{group}_{copies}" for group in _GROUPS for copies in "012")]
_NAMES = {"chromosome": "0", "variant": "", "position": 0, "allele_1": "0", "allele_2": "0"}
"""Columns that say which variant it is, in the order of `Variants`, and what stands for them."""

_ROWS = 2**16
"""Variants written at once: some megabytes of text."""
_MOST = 10**7
"""Individuals in a cell; more are a slip, and exact tests would want tables of their size."""


_SAME = attrs.cmp_using(eq=functools.partial(np.array_equal, equal_nan=True))
"""Arrays are equal where every entry is; undefined ones equal each other."""


@attrs.frozen
class ScanColumns:
    """What a scan adds to the counts of each variant; arrays of shape (n_variants,)."""

    allele_frequency: NDArray[np.float64] = attrs.field(eq=_SAME)
    hwe_p_value: NDArray[np.float64] = attrs.field(eq=_SAME)
    statistic: NDArray[np.float64] | NDArray[np.int64] = attrs.field(eq=_SAME)
    p_value: NDArray[np.float64] = attrs.field(eq=_SAME)


def read_counts(path: Path) -> CountedStudy:
    """A study from a TSV with a header and a row a variant; missing calls are left out of theirs.

    Its columns are variant, cases_0 to cases_2 and controls_0 to controls_2; also cases_missing and
    controls_missing where calls are missing, and chromosome, position, allele_1, allele_2. Others
    are not looked at.
    """
    table = _table(path)
    if not table.num_rows:
        raise DataError(f"Expected a variant or more, got none at {path}.")
    names: list[Any] = [
        to_array(table[name]) if name in table.column_names else [unknown] * table.num_rows
        for name, unknown in _NAMES.items()
    ]
    counts = GenotypeCounts(*(_group(table, group, path) for group in _GROUPS))
    cases, controls = int(counts.cases[0].sum()), int(counts.controls[0].sum())
    missing, people = counts.missing_calls, cases + controls
    return CountedStudy(
        Variants(*names), counts, people, cases, controls, missing, MissingRule.LEAVE
    )


def write_scan(path: Path, study: CountedStudy, columns: ScanColumns) -> None:
    """A row a variant in file order; the file is new, and appears whole.

    Numbers have all their digits; what is undefined is left empty.
    """
    names = attrs.astuple(study.variants, recurse=False)
    own: dict[str, NDArray[Any]] = dict(zip(_NAMES, names, strict=True))
    for group, counts in zip(_GROUPS, (study.counts.cases, study.counts.controls), strict=True):
        own |= {f"{group}_{copies}": counts[:, i] for i, copies in enumerate(_GENOTYPES)}
    own |= attrs.asdict(columns, recurse=False)
    as_tsv = csv.WriteOptions(
        include_header=False, delimiter="\t", quoting_style="none", batch_size=_ROWS
    )
    try:
        with whole_file(path, new=True) as file:
            for start in range(0, max(len(study.variants), 1), _ROWS):
                part = pa.table(
                    {name: _to_arrow(each[start : start + _ROWS]) for name, each in own.items()}
                )
                if not start:
                    file.write("\t".join(part.column_names).encode() + b"\n")
                csv.write_csv(part, file, as_tsv)
    except pa.ArrowException:
        raise DataError(
            f"Expected names of variants without quotation marks and tabs, got others for {path}. "
            "Rename the variants."
        ) from None


def _table(path: Path) -> pa.Table:
    data = contents(path)
    header = text(data.split(b"\n", 1)[0], path).rstrip("\r").split("\t")
    for name in _REQUIRED:
        if name not in header:
            raise DataError(
                f'Expected a column "{name}" in a table of counts, got none at {path}. Name the '
                f"columns {', '.join(_REQUIRED)}."
            )
    if not data.endswith((b"\n", b"\r")):
        raise DataError(
            f"Expected a line break after the last line, got none at {path}. Copy it again: a "
            "count may be cut off. If it is whole, add the line break."
        )
    if len(set(header)) < len(header):
        raise DataError(f"Expected every column once, got one twice at {path}. Rename it.")
    names = {name: pa.string() for name, unknown in _NAMES.items() if unknown != 0}
    numbers = {f"{group}_{copies}": pa.int64() for group in _GROUPS for copies in _GENOTYPES}
    types = {**names, "position": pa.int64(), **numbers}
    try:
        return parse_table(
            data,
            csv.ConvertOptions(
                column_types=types,
                include_columns=[name for name in types if name in header],
                null_values=[],
            ),
        )
    except pa.ArrowException:
        raise DataError(
            f"Expected whole numbers in the columns of counts and positions, got others at {path}."
            " Correct the file."
        ) from None


def _group(table: pa.Table, group: str, path: Path) -> NDArray[np.int64]:
    counts = np.zeros((table.num_rows, len(_GENOTYPES)), dtype=np.int64)
    for index, copies in enumerate(_GENOTYPES):
        if (name := f"{group}_{copies}") in table.column_names:
            counts[:, index] = to_array(table[name])
    if int(counts.min()) < 0 or int(counts.max()) > _MOST:
        raise DataError(
            f"Expected counts between 0 and {_MOST:,}, got another at {path}. Correct the file."
        )
    sizes = counts.sum(axis=1)
    if bool((sizes != sizes[0]).any()):
        raise DataError(
            f"Expected as many {group} at every variant, got different sums at {path}. Count "
            f"missing calls in a column {group}_missing."
        )
    if not sizes[0]:
        raise DataError(f"Expected {group}, got none at {path}.")
    return counts


def _to_arrow(values: NDArray[Any]) -> pa.Array:
    """What `pa.array` gives, NaN left empty; that would load pandas, to ask whether it is one."""
    kind, known = pa.int64(), None
    content: list[NDArray[Any] | bytes] = [np.ascontiguousarray(values)]
    if values.dtype == np.object_:
        texts = [word.encode() for word in values.tolist()]
        kind, content = pa.large_string(), [np.cumsum([0, *map(len, texts)]), b"".join(texts)]
    elif values.dtype == np.float64:
        kind, known = pa.float64(), np.packbits(~np.isnan(values), bitorder="little")
    buffers = [None if each is None else pa.py_buffer(each) for each in (known, *content)]
    return pa.Array.from_buffers(kind, len(values), buffers)
