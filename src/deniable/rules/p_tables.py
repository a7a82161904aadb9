"""A p-table as others write it: what a cell key adds to a count, with which probability.

Three headers are known: ``count,noise,probability``; ``i,j,p`` of the R package ptable, where j is
the result; and ``pcv,ckey,pvalue`` of the ONS, where each of the keys is as likely, and counts
above 750 take the rows of 501 to 750 in turn.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from deniable.errors import InvalidArgument
from deniable.rules.numbers import probability
from deniable.rules.steps import CellKey

_HEADERS = (("count", "noise", "probability"), ("i", "j", "p"), ("pcv", "ckey", "pvalue"))
_NEAR = Fraction(1, 10**6)  # How far a row's sum may be from 1: tables have few digits


_DELIMITERS = (",", ";", "\t")
_LAST_ROW, _REPEATED = 750, 250  # Of the ONS: larger counts take the last 250 in turn


def read_p_table(path: Path) -> CellKey:
    """Read the noise of each count."""
    # Probabilities that miss 1 by a few last digits are scaled to it. In a table of keys, each key
    # is as likely; a count or a key without a row gets no noise.
    #
    # A CSV file with one of the three headers; further columns are left alone.
    try:
        text = path.read_text(encoding="utf-8-sig")
        delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
        names, *lines = list(csv.reader(io.StringIO(text), delimiter=delimiter)) or [[]]
    except OSError as error:
        raise InvalidArgument(
            f"Expected a p-table, got {error.strerror!r} at {path}. Check its name."
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise InvalidArgument(f"Expected a CSV file in UTF-8, got {path.name}.") from None
    columns = [name.strip() for name in names]
    header = next(
        (each for each in _HEADERS if all(columns.count(name) == 1 for name in each)), None
    )
    if header is None:
        raise InvalidArgument(
            f"Expected a p-table with the columns count, noise, probability, each once, got other "
            f"columns in {path.name}."
        )
    places = [columns.index(name) for name in header]
    # The count, its noise and a probability; or the count, a key and its noise.
    entries: list[tuple[int, int, Any]] = []
    for number, line in enumerate(lines, start=2):
        if not line:
            continue
        first, second, third = (line[place] if place < len(line) else "" for place in places)
        try:
            count, other = int(first), int(second)
            noise = int(third) if header[1] == "ckey" else None
        except ValueError:
            raise InvalidArgument(
                f"Expected numbers in a p-table, got something else in {path.name}, line {number}."
            ) from None
        if noise is None:
            other -= count if header[1] == "j" else 0
            entries.append((count, other, probability(third.strip(), "a probability")))
        else:
            entries.append((count, other, noise))
    if not entries:
        raise InvalidArgument(f"Expected a p-table with rows, got none in {path.name}.")
    return _of_keys(entries) if header[1] == "ckey" else _of_noise(entries)


def _of_noise(entries: Iterable[tuple[int, int, Fraction]]) -> CellKey:
    rows: dict[int, dict[int, Fraction]] = {}
    for count, noise, share in entries:
        row = rows.setdefault(count, {})
        row[noise] = row.get(noise, Fraction(0)) + share
    for count, row in rows.items():
        total = sum(row.values(), Fraction(0))
        if abs(total - 1) > _NEAR:
            raise InvalidArgument(
                f"Expected probabilities of a p-table that add up to 1, got {float(total):.9g} at "
                f"count {count}."
            )
        rows[count] = {noise: share / total for noise, share in row.items() if share}
    return CellKey(rows)


def _of_keys(entries: Iterable[tuple[int, int, int]]) -> CellKey:
    noise_of = {(count, key): noise for count, key, noise in entries}
    counts, keys = {count for count, _ in noise_of}, {key for _, key in noise_of}
    if min(counts | keys) < 0 or max(counts) > _LAST_ROW:
        raise InvalidArgument(
            f"Expected counts of 0 to {_LAST_ROW} and keys from 0 on in a p-table of keys, got "
            "others. Leave other rows out: nothing reads them."
        )
    numbers = Counter((count, noise) for (count, _), noise in noise_of.items())
    rows: dict[int, dict[int, Fraction]] = {count: {} for count in range(_LAST_ROW + 1)}
    for (count, noise), number in numbers.items():
        rows[count][noise] = Fraction(number, max(keys) + 1)
    for row in rows.values():
        missing = 1 - sum(row.values(), Fraction(0))
        row[0] = row.get(0, Fraction(0)) + missing
    return CellKey(rows, _REPEATED)
