"""A p-table as others write it: what a cell key adds to a count, with which probability.

Three headers are known: ``count,noise,probability``; ``i,j,p`` of the R package ptable, where j is
the result; and ``pcv,ckey,pvalue`` of the ONS, where each of the keys is as likely.
"""

import csv
import io
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from deniable.errors import InvalidArgument
from deniable.rules.numbers import probability

_HEADERS = (("count", "noise", "probability"), ("i", "j", "p"), ("pcv", "ckey", "pvalue"))
_NEAR = Fraction(1, 10**6)
"""How far the probabilities of a row may be from 1: tables are written with few digits."""


def read_p_table(path: Path) -> dict[int, dict[int, Fraction]]:
    """Read the noise of each count.

    Probabilities that miss 1 by a few last digits are scaled to it.

    Parameters
    ----------
    path : Path
        A CSV file with one of the three headers; further columns are left alone.

    Raises
    ------
    InvalidArgument
        If it has another header, or a row of it cannot be read.
    """
    try:
        lines = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")))
        columns = [name.strip() for name in lines.fieldnames or ()]
        header = next((each for each in _HEADERS if set(each) <= set(columns)), None)
        if header is None:
            raise InvalidArgument(
                f"Expected a p-table with the columns count, noise, probability, got other "
                f"columns in {path.name}."
            )
        rows: dict[int, dict[int, Fraction]] = {}
        for number, line in enumerate(lines, start=2):
            entry = {str(key).strip(): str(value) for key, value in line.items()}
            count, noise, share = _entry(entry, header, path, number)
            row = rows.setdefault(count, {})
            row[noise] = row.get(noise, Fraction(0)) + share
    except OSError as error:
        raise InvalidArgument(
            f"Expected a p-table, got {error.strerror!r} at {path}. Check its name."
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise InvalidArgument(f"Expected a CSV file in UTF-8, got {path.name}.") from None
    if not rows:
        raise InvalidArgument(f"Expected a p-table with rows, got none in {path.name}.")
    return {count: _scaled(row, count, header[2] == "pvalue") for count, row in rows.items()}


def _entry(
    entry: Mapping[str, str], header: tuple[str, ...], path: Path, number: int
) -> tuple[int, int, Fraction]:
    """The count, the noise and its share of one line."""
    first, second, third = (entry[name] for name in header)
    try:
        count = int(first)
        if header[2] == "pvalue":
            return count, int(third), Fraction(1)
        noise = int(second) - (count if header[1] == "j" else 0)
    except ValueError:
        raise InvalidArgument(
            f"Expected numbers in a p-table, got something else in {path.name}, line {number}."
        ) from None
    return count, noise, probability(third.strip(), "a probability")


def _scaled(row: Mapping[int, Fraction], count: int, keys: bool) -> dict[int, Fraction]:
    total = sum(row.values(), Fraction(0))
    if not keys and abs(total - 1) > _NEAR:
        raise InvalidArgument(
            f"Expected probabilities of a p-table that add up to 1, got {float(total):.9g} at "
            f"count {count}."
        )
    return {noise: share / total for noise, share in row.items() if share}
