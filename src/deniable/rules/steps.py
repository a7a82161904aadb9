"""Steps of a rule: hide, round, code; round at random, add noise, use cell keys.

A sure step publishes a count as another whole number or as the mark "*". But for hiding, it has a
`value` that never swaps the order of two counts, so that the `counts` between two others are an
interval. It moves a count by no more than its `reach`; codes, of reach 0, besides publish all
counts beyond a limit as the limit. A random step draws from a `law`, numbers with probabilities.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.numerics.answer import FrozenMap
from deniable.rules.numbers import probability

HIDDEN = "*"  # The mark of a count that is not shown

HALVES = ("up", "down", "even")

Counts: TypeAlias = tuple[int | None, int | None]  # The least and the largest; None without a bound


def _base(value: Any) -> int:
    return validate.integer(value, "base", least=1)


def _count(value: Any) -> int:
    return validate.integer(value, "a count", least=0)


ONE = Fraction(1)  # The probability of what is certain


class _Sure:
    """A step that publishes a count in one way."""

    def value(self, count: int) -> int:
        """Return the number that a count is published as."""
        raise NotImplementedError

    def law(self, count: int) -> "Law":
        """The number, for certain."""
        return ((self.value(count), ONE),)


class _OneNumber:
    """A step that a file of rules says by one number."""

    KEY: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """Return what a file of rules would say."""
        return {self.KEY: attrs.astuple(self)[0]}  # type: ignore[arg-type]


@attrs.frozen
class Hide:
    """Publish "*" in place of the counts lower…upper.

    Parameters
    ----------
    lower, upper : int
        The least and the largest count that is hidden, at least 0.

    Examples
    --------
    >>> Hide(1, 7)
    Hide(lower=1, upper=7)
    """

    lower: int = attrs.field(converter=_count)
    upper: int = attrs.field(converter=_count)

    def __attrs_post_init__(self) -> None:
        if self.upper < self.lower:
            raise InvalidArgument(
                f"Expected hide A B with A <= B, got {self.lower} {self.upper}. "
                "Put the smaller count first."
            )

    reach = 0

    def law(self, count: int) -> "tuple[tuple[int | str, Fraction], ...]":
        """The count, or the mark of one that is hidden."""
        return ((HIDDEN if self.lower <= count <= self.upper else count, ONE),)

    def as_json(self) -> dict[str, Any]:
        """Return what a file of rules would say."""
        return {"hide": [self.lower, self.upper]}


@attrs.frozen(init=False)
class Round(_Sure):
    """Publish the nearest multiple of a base.

    Parameters
    ----------
    base : int
        At least 1.
    halves : {"up", "down", "even"}
        Where a count in the middle goes, which only an even base has: up, down, or to the
        multiple that is an even number of bases.

    Examples
    --------
    >>> [Round(10, "even").value(count) for count in (5, 15, 25)]
    [0, 20, 20]
    """

    base: int
    halves: str = "up"

    def __init__(self, base: int, halves: str = "up") -> None:
        self.__attrs_init__(_base(base), validate.one_of(halves, HALVES, "halves"))

    @property
    def reach(self) -> int:
        """Half a base."""
        return self.base // 2

    def value(self, count: int) -> int:
        """The nearest multiple."""
        below, rest = divmod(count, self.base)
        if 2 * rest == self.base:
            up = self.halves == "up" or (self.halves == "even" and below % 2 == 1)
        else:
            up = 2 * rest > self.base
        return (below + up) * self.base

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are rounded to a multiple in [lower, upper]."""
        first, last = -(-lower // self.base), upper // self.base
        if first > last:
            return None
        # The least count that goes to the first multiple, and the largest that goes to the last.
        low, high = first * self.base, last * self.base
        least, largest = low - self.base // 2, high + self.base // 2
        return (
            least if self.value(least) == low else least + 1,
            largest if self.value(largest) == high else largest - 1,
        )

    def as_json(self) -> dict[str, Any]:
        """Return what a file of rules would say."""
        return {"round": self.base, "halves": self.halves}


@attrs.frozen
class RoundDown(_OneNumber, _Sure):
    """Publish the largest multiple of a base that is not above the count.

    Parameters
    ----------
    base : int
        At least 1.
    """

    KEY = "round_down"
    base: int = attrs.field(converter=_base)

    @property
    def reach(self) -> int:
        """One less than the base."""
        return self.base - 1

    def value(self, count: int) -> int:
        """The multiple at or below."""
        return count // self.base * self.base

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are rounded down to a multiple in [lower, upper]."""
        first, last = -(-lower // self.base), upper // self.base
        return None if first > last else (first * self.base, (last + 1) * self.base - 1)


@attrs.frozen
class Midpoint(_OneNumber, _Sure):
    """Publish the middle of 1…b, b+1…2b, …, and 0 as it is.

    Parameters
    ----------
    base : int
        Counts in one group; of an even number the lower of the two in the middle.

    Examples
    --------
    >>> [Midpoint(6).value(count) for count in (0, 1, 6, 7)]
    [0, 3, 3, 9]
    """

    KEY = "midpoint"
    base: int = attrs.field(converter=_base)

    @property
    def reach(self) -> int:
        """Half a base."""
        return self.base // 2

    def value(self, count: int) -> int:
        """The middle of the count's group; 0 where a step before went below it."""
        return 0 if count <= 0 else -(-count // self.base) * self.base - self.base // 2

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts whose published middle, or 0, is in [lower, upper]."""
        first = max(-(-(lower + self.base // 2) // self.base), 1)
        last = (upper + self.base // 2) // self.base
        zero = lower <= 0 <= upper
        if first > last:
            return (None, 0) if zero else None
        return (None if zero else (first - 1) * self.base + 1), last * self.base


@attrs.frozen
class Top(_OneNumber, _Sure):
    """Publish every count above a limit as the limit: "20" then says 20 or more.

    Parameters
    ----------
    limit : int
        The largest number that is published, at least 0.
    """

    KEY = "top"
    limit: int = attrs.field(converter=_count)
    reach = 0

    def value(self, count: int) -> int:
        """The count or the limit, whichever is less."""
        return min(count, self.limit)

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are published as a number in [lower, upper]."""
        if lower > self.limit:
            return None
        return lower, (None if upper >= self.limit else upper)


@attrs.frozen
class Bottom(_OneNumber, _Sure):
    """Publish every count below a limit as the limit: "5" then says 5 or fewer.

    Parameters
    ----------
    limit : int
        The least number that is published, at least 0.
    """

    KEY = "bottom"
    limit: int = attrs.field(converter=_count)
    reach = 0

    def value(self, count: int) -> int:
        """The count or the limit, whichever is more."""
        return max(count, self.limit)

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are published as a number in [lower, upper]."""
        if upper < self.limit:
            return None
        return (None if lower <= self.limit else lower), upper


SureStep: TypeAlias = Round | RoundDown | Midpoint | Top | Bottom


NEGATIVE = ("shown", "zero", "redrawn")

Law: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Whole numbers with their probabilities, which add up to 1."""


def _chance_of_change(value: Any) -> Fraction:
    return probability(value, "the probability of a change")


@attrs.frozen
class RandomRound(_OneNumber):
    """Publish one of the two multiples of a base around a count, without bias.

    A count that is r above a multiple of b goes up with probability r/b; a multiple stays.

    Parameters
    ----------
    base : int
        At least 1.

    Examples
    --------
    >>> RandomRound(3).law(4)
    ((3, Fraction(2, 3)), (6, Fraction(1, 3)))
    """

    KEY = "random"
    base: int = attrs.field(converter=_base)

    @property
    def reach(self) -> int:
        """One less than the base."""
        return self.base - 1

    def law(self, count: int) -> Law:
        """The multiples around, with probabilities."""
        below, rest = divmod(count, self.base)
        if rest == 0:
            return ((count, Fraction(1)),)
        up = Fraction(rest, self.base)
        return ((below * self.base, 1 - up), ((below + 1) * self.base, up))


@attrs.frozen
class Barnardise:
    """Add 1 to a count above 0 or take 1 away, each with the same probability.

    Parameters
    ----------
    probability : Fraction or float
        Of each of the two changes, at most ½; a float is read as the decimal that it prints.
    """

    probability: Fraction = attrs.field(converter=_chance_of_change)

    def __attrs_post_init__(self) -> None:
        if 2 * self.probability > 1:
            raise InvalidArgument(
                f"Expected the probability of each change to be at most 1/2, got "
                f"{validate.format_value(float(self.probability))}."
            )

    reach = 1

    def law(self, count: int) -> Law:
        """One less, the count, one more; 0 stays."""
        q = self.probability
        changes = ((count - 1, q), (count, 1 - 2 * q), (count + 1, q)) if count else ((0, 1),)
        return tuple((value, Fraction(chance)) for value, chance in changes if chance)

    def as_json(self) -> dict[str, Any]:
        """Return what a file of rules would say."""
        return {"barnard": float(self.probability)}


def _offsets(value: Any) -> FrozenMap[int, Fraction]:
    if not isinstance(value, Mapping) or not value:
        raise InvalidArgument(
            "Expected noise as whole numbers with probabilities, "
            f"got {validate.format_value(value)}."
        )
    law = {
        validate.integer(offset, "noise", least=-(10**9)): probability(chance, "a probability")
        for offset, chance in value.items()
    }
    total = sum(law.values(), Fraction(0))
    if total != 1:
        sum_text = validate.format_sum(float(total))
        raise InvalidArgument(
            f"Expected probabilities of noise that add up to 1, got {sum_text}. Write thirds as "
            'texts, such as "1/3".'
        )
    return FrozenMap({offset: chance for offset, chance in sorted(law.items()) if chance})


@attrs.frozen(init=False)
class Noise:
    """Add a whole number drawn from a law that everybody knows.

    Parameters
    ----------
    law_of_noise : mapping of int to Fraction or float
        Probabilities of what is added, which add up to 1; floats are read as decimals.
    negative : {"shown", "zero", "redrawn"}
        What happens to a result below 0: it is published, 0 is published, or noise is drawn
        anew until the result is at least 0.

    Examples
    --------
    >>> Noise({-1: 0.25, 0: 0.5, 1: 0.25}, negative="zero").law(0)
    ((0, Fraction(3, 4)), (1, Fraction(1, 4)))
    """

    law_of_noise: FrozenMap[int, Fraction]
    negative: str = "zero"

    def __init__(self, law_of_noise: Any, negative: str = "zero") -> None:
        law, word = _offsets(law_of_noise), validate.one_of(negative, NEGATIVE, "negative")
        self.__attrs_init__(law, word)
        if word == "redrawn" and max(law) < 0:
            raise InvalidArgument(
                "Expected noise that can leave 0 at 0 or above, got noise that is always "
                "negative. Choose another rule for results below 0."
            )

    @property
    def reach(self) -> int:
        """The largest noise."""
        return max(map(abs, self.law_of_noise))

    def law(self, count: int) -> Law:
        """The count with noise."""
        return _moved(count, self.law_of_noise, self.negative)

    def as_json(self) -> dict[str, Any]:
        """Return what a file of rules would say."""
        return {"noise": _offsets_as_json(self.law_of_noise), "negative": self.negative}


def _offsets_as_json(offsets: Mapping[int, Fraction]) -> dict[str, float]:
    return {str(offset): float(chance) for offset, chance in offsets.items()}


def _rows(value: Any) -> FrozenMap[int, FrozenMap[int, Fraction]]:
    if not isinstance(value, Mapping) or not value:
        raise InvalidArgument(
            "Expected a p-table: counts with the noise of each, "
            f"got {validate.format_value(value)}."
        )
    rows = {validate.integer(count, "a count", least=0): _offsets(row) for count, row in
            value.items()}  # fmt: skip
    rows.setdefault(0, FrozenMap({0: Fraction(1)}))
    missing = next((count for count in range(max(rows)) if count not in rows), None)
    if missing is not None:
        raise InvalidArgument(
            f"Expected a p-table with a row for every count up to {max(rows)}, got none for "
            f"{missing}."
        )
    for count, row in rows.items():
        if count + min(row) < 0:
            raise InvalidArgument(
                f"Expected a p-table without results below 0, got {count + min(row)} at count "
                f"{count}."
            )
    return FrozenMap(dict(sorted(rows.items())))


def _moved(count: int, offsets: Mapping[int, Fraction], negative: str) -> Law:
    """A count with noise, and what becomes of results below 0."""
    law: dict[int, Fraction] = {}
    for offset, chance in offsets.items():
        value = count + offset
        if value < 0 and negative != "shown":
            if negative == "redrawn":
                continue
            value = 0
        law[value] = law.get(value, Fraction(0)) + chance
    total = sum(law.values())
    return tuple((value, chance / total) for value, chance in sorted(law.items()))


@attrs.frozen(init=False)
class CellKey:
    """Add noise that depends on the count and on the set of records counted (a cell key).

    The same set of records always gets the same noise; of one table alone, that is noise with
    the probabilities of the p-table's row. Counts above the last row take the last rows in turn.

    Parameters
    ----------
    rows : mapping of int to mapping of int to Fraction or float
        For each count from 0 or 1 on, the probabilities of what is added; without a row for 0,
        it stays 0.
    repeated : int
        How many of the last rows counts above them take in turn: 1, so that they take the last
        one, or 250 as in the p-tables of the ONS.

    Examples
    --------
    >>> CellKey({1: {-1: 0.5, 1: 0.5}}).law(7)
    ((6, Fraction(1, 2)), (8, Fraction(1, 2)))
    """

    rows: FrozenMap[int, FrozenMap[int, Fraction]]
    repeated: int = 1
    reach: int = attrs.field(init=False, eq=False, repr=False)
    """The largest noise of any row."""

    def __init__(self, rows: Any, repeated: int = 1) -> None:
        table, last = _rows(rows), validate.integer(repeated, "repeated", least=1)
        self.__attrs_init__(table, last)
        if last > len(table):
            raise InvalidArgument(f"Expected at most {len(table)} rows to repeat, got {last}.")
        largest = max(abs(offset) for row in table.values() for offset in row)
        object.__setattr__(self, "reach", largest)

    def law(self, count: int) -> Law:
        """The count with the noise of its row."""
        if count < 0:  # which another step left: no row is meant for it
            return ((count, Fraction(1)),)
        beyond = count - len(self.rows)
        row = count if beyond < 0 else len(self.rows) - self.repeated + beyond % self.repeated
        return _moved(count, self.rows[row], "shown")

    def as_json(self) -> dict[str, Any]:
        """The rows, and how many of them are repeated if not the last one."""
        rows = {str(count): _offsets_as_json(row) for count, row in self.rows.items()}
        return {"cell_key": rows} | ({} if self.repeated == 1 else {"repeated": self.repeated})


RandomStep: TypeAlias = RandomRound | Barnardise | Noise | CellKey


_HEADERS = (("count", "noise", "probability"), ("i", "j", "p"), ("pcv", "ckey", "pvalue"))
_NEAR = Fraction(1, 10**6)  # How far a row's sum may be from 1: tables have few digits
_LAST_ROW, _REPEATED = 750, 250  # Of the ONS: larger counts take the last 250 in turn


def read_p_table(path: Path) -> CellKey:
    """Read a p-table as others write it: what a cell key adds to a count, with which probability.

    Three headers are known, beside which further columns are left alone: `count,noise,probability`;
    `i,j,p` of the R package ptable, where j is the result; and `pcv,ckey,pvalue` of the ONS, where
    each of the keys is as likely, and counts above 750 take the rows of 501 to 750 in turn. A count
    or a key without a row gets no noise. Probabilities that miss 1 by a few last digits are scaled.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        delimiter = max((",", ";", "\t"), key=text.partition("\n")[0].count)
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
            last: Any = int(third) if header[1] == "ckey" else third.strip()
        except ValueError:
            raise InvalidArgument(
                f"Expected numbers in a p-table, got something else in {path.name}, line {number}."
            ) from None
        other -= count if header[1] == "j" else 0
        last = probability(last, "a probability") if isinstance(last, str) else last
        entries.append((count, other, last))
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
