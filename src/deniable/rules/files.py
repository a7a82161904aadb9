"""A file of rules: lists, tables, what was done to their numbers, and who is feared.

::

    [[list]]
    name = "ward A"
    size = 40                     # or members = ["p01", "p02"], where lists share people;
                                  # or parts = ["ward A1", "ward A2"], other lists
    [[list]]
    name = "ward A, 2025"
    follows = "ward A"            # the same people but for a change; false: of no earlier list
    change = 2                    # at most so many leave or join; or { left = 1, joined = 1 },
                                  # { at_most = 2 }, { same = true }; size may be left out

    [[table]]
    lists = ["ward A", "ward B"]
    total = "none"                # none, shown, independent or exact
    secondary = false             # whether further cells were hidden beside those of the rule
    rule = { preset = "cms" }     # where it is another than [rule]

    [[table]]                     # as a program printed it
    columns = ["region", "age"]   # whom a number counts, with the sizes in [sizes] file
    count = "n"                   # left out where the last column stands across
    margins = "Total"

    [sizes]
    file = "population.csv"       # key columns and a column size
    change = 2                    # what leaves or joins each list since that of its name in a book

    [marks]
    hidden = ["<10", "[c]"]       # likewise zero and unpublished
    absent = "zero"               # what rows that are left out mean

    [rule]
    preset = "opensafely"         # or steps = [{ hide = [1, 7] }, { round = 5, halves = "even" }]
    zero = "shown"                # shown, hidden or merged

    [adversary]
    prior = [0.05, 0.5]           # or sample = { n = 100, N = 1000 }

    [target]
    max_posterior = 0.75
    min_posterior = 0.01
    delta = 0.001

A p-table as others write it: what a cell key adds to a count, with which probability.

Three headers are known: ``count,noise,probability``; ``i,j,p`` of the R package ptable, where j is
the result; and ``pcv,ckey,pvalue`` of the ONS, where each of the keys is as likely, and counts
above 750 take the rows of 501 to 750 in turn.

A rule as it is typed on a command line: steps in order, a policy among them.
"""

import csv
import io
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from deniable.errors import InvalidArgument, PlanError
from deniable.errors.public_names import nearest
from deniable.errors.validate import format_value, integer, one_of, pair
from deniable.rules.book.change import ListChange
from deniable.rules.numbers import probability
from deniable.rules.rule import PRESETS, Mark, Preset, Rule, Step, preset
from deniable.rules.steps import (
    HIDDEN,
    Barnardise,
    Bottom,
    CellKey,
    Hide,
    Midpoint,
    Noise,
    RandomRound,
    Round,
    RoundDown,
    Top,
)
from deniable.rules.worlds import Adversary, adversary

_HEADERS = (("count", "noise", "probability"), ("i", "j", "p"), ("pcv", "ckey", "pvalue"))
_NEAR = Fraction(1, 10**6)
"""How far the probabilities of a row may be from 1: tables are written with few digits."""


_DELIMITERS = (",", ";", "\t")
_LAST_ROW, _REPEATED = 750, 250
"""The rows of the ONS: larger counts take the last 250 in turn, whatever rows a table has."""


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
    entries = []
    for number, line in enumerate(lines, start=2):
        if line:
            entry = [line[place] if place < len(line) else "" for place in places]
            entries.append(_entry(entry, header, path, number))
    if not entries:
        raise InvalidArgument(f"Expected a p-table with rows, got none in {path.name}.")
    return _of_keys(entries) if header[1] == "ckey" else _of_noise(entries)


def _entry(
    entry: Sequence[str], header: tuple[str, ...], path: Path, number: int
) -> tuple[int, int, Any]:
    """The count, its noise and a probability; or the count, a key and its noise."""
    first, second, third = entry
    try:
        count, other = int(first), int(second)
        if header[1] == "ckey":
            return count, other, int(third)
    except ValueError:
        raise InvalidArgument(
            f"Expected numbers in a p-table, got something else in {path.name}, line {number}."
        ) from None
    noise = other - (count if header[1] == "j" else 0)
    return count, noise, probability(third.strip(), "a probability")


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


TOTALS = ("none", "shown", "independent", "exact")
_KEYS = {
    "list": ("name", "size", "members", "parts", "follows", "change"),
    "table": ("name", "lists", "total", "secondary", "columns", "count", "margins", "rule"),
    "sizes": ("file", "change"),
    "marks": ("hidden", "zero", "unpublished", "absent"),
    "rule": ("preset", "steps", "zero"),
    "adversary": ("prior", "sample"),
    "target": ("max_posterior", "min_posterior", "delta"),
}
_STEPS = (
    "hide", "round", "round_down", "random", "midpoint", "top", "bottom", "cell_key", "barnard",
    "noise",
)  # fmt: skip
_SINGLE: Mapping[str, Callable[[Any], Step]] = {
    "round_down": RoundDown, "random": RandomRound, "midpoint": Midpoint, "top": Top,
    "bottom": Bottom, "barnard": Barnardise,
}  # fmt: skip
"""Steps of one number."""
_BESIDES = {"round": "halves", "noise": "negative", "cell_key": "repeated"}
"""Keys that a step may have beside its own."""


@attrs.frozen
class ListedPeople:
    """People of whom the adversary knows that they are listed.

    `members` are named where lists share people; `parts` are the lists that make up this one. One
    that `follows` another has the same people but for a `change`, and size 0 where that says it; it
    follows None where nothing is said, and "" if its people are on no earlier list.
    """

    name: str
    size: int
    members: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    follows: str | None = None
    change: ListChange | None = None


@attrs.frozen
class CountedTable:
    """A published table: a cell for each of some lists, and perhaps their total.

    `total` is none, the sum of the cells that are shown, one to which the rule is applied by itself
    (independent), or the true one (exact); `secondary` says whether further cells were hidden, so
    that hidden ones cannot be computed from others. A table as a program printed it has `columns`
    that say whom a number counts, in place of lists; a column of counts, unless it is wide; and
    names of margins, where they are others than usual. `groups` are lists that share a margin, of
    a table whose lists were made from its columns. Its `rule` is None where
    it is that of all.
    """

    name: str
    lists: tuple[str, ...]
    total: str = "none"
    secondary: bool = False
    columns: tuple[str, ...] = ()
    count: str = ""
    margins: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    rule: Rule | None = None


MEANINGS: Mapping[str, Mark | None] = {"hidden": HIDDEN, "zero": 0, "unpublished": None}
"""What a printed mark may mean."""


@attrs.frozen
class Marks:
    """What printed marks mean, and rows that are left out; None where nothing is said of these."""

    meanings: Mapping[str, Mark | None] = attrs.Factory(dict)
    absent: str | None = None


@attrs.frozen
class RulesFile:
    """What a file of rules says; None for what it leaves out.

    `policy` is the published policy that was named; `sizes` has the sizes of lists by key columns,
    and `change` is that of each of these lists since the one of its name in a book.
    """

    lists: tuple[ListedPeople, ...]
    tables: tuple[CountedTable, ...]
    rule: Rule
    policy: Preset | None
    adversary: Adversary | None
    max_posterior: Fraction | None
    min_posterior: Fraction | None
    delta: Fraction | None
    sizes: Any = None
    marks: Marks = Marks()
    change: ListChange | None = None


def read_rules(source: Path | str | Mapping[str, Any]) -> RulesFile:
    """Read a file of rules."""
    # Files that a TOML file names are looked up beside it.
    path = Path() if isinstance(source, Mapping) else Path(source)
    entries = source if isinstance(source, Mapping) else _parsed(path)
    place = _Place("the rules" if isinstance(source, Mapping) else str(path))
    place.only(entries, _KEYS)
    lists = _with_parts([_list(each, place) for each in _tables(entries, "list", place)], place)
    names = {each.name for each in lists}
    tables = tuple(
        _table(each, names, place, path.parent) for each in _tables(entries, "table", place)
    )
    sizes = _one(entries, "sizes", place)
    rule, policy = _rule(_one(entries, "rule", place), place.within("[rule]"), path.parent)
    target = _one(entries, "target", place)
    most, least, delta = (
        _probability(target, key, place.within("[target]")) for key in _KEYS["target"]
    )
    return RulesFile(
        lists, tables, rule, policy,
        _adversary(_one(entries, "adversary", place), place.within("[adversary]")),
        most, least, delta,
        _sizes(sizes, path.parent),
        _marks(_one(entries, "marks", place), place.within("[marks]")),
        _change(sizes, place.within("[sizes]")),
    )  # fmt: skip


def _parsed(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except OSError as error:
        raise PlanError(
            f"Expected a file of rules, got {error.strerror!r} at {path}. Check its name."
        ) from None
    except UnicodeDecodeError:
        raise PlanError(f"Expected text in UTF-8, got other bytes at {path}.") from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"Expected TOML, got a mistake at {path}: {error}.") from None
    except (ValueError, RecursionError):
        raise PlanError(f"Expected TOML, got numbers or tables too long at {path}.") from None


@attrs.frozen
class _Place:
    """The place in the file where something stands."""

    file: str
    table: str = ""

    def within(self, table: str) -> "_Place":
        """A table of the file."""
        return _Place(self.file, table)

    def error(self, expected: str, got: str, key: str = "", remedy: str = "") -> PlanError:
        """The one pattern of errors."""
        where = ", ".join(part for part in (self.file, self.table, key) if part)
        return PlanError(f"Expected {expected}, got {got} at {where}. {remedy}".rstrip())

    def known(self, name: str, lists: Collection[str], key: str) -> None:
        """Refuse a name that is no list's."""
        if name not in lists:
            near = nearest(name, lists)
            remedy = f"Did you mean {near}?" if near else "Add it as a [[list]]."
            raise self.error("names of lists", f"{name!r}", key, remedy)

    @contextmanager
    def placed(self, key: str) -> Iterator[None]:
        """Give an error about a value its place."""
        try:
            yield
        except InvalidArgument as error:
            where = ", ".join(part for part in (self.file, self.table, key) if part)
            raise PlanError(f"{str(error).rstrip('.')}, at {where}.") from None

    def only(self, entries: Mapping[str, Any], known: Collection[str]) -> None:
        """Refuse a key that means nothing here."""
        for key in entries:
            if key not in known:
                near = nearest(key, known)
                remedy = f"Did you mean {near}?" if near else ""
                raise self.error(f"one of {', '.join(known)}", f"the key {key!r}", "", remedy)


def _one(entries: Mapping[str, Any], name: str, place: _Place) -> Mapping[str, Any]:
    """A table that stands at most once; nothing where it is left out."""
    table = entries.get(name, {})
    if not isinstance(table, Mapping):
        raise place.error(f"a table [{name}]", format_value(table), name)
    place.within(f"[{name}]").only(table, _KEYS[name])
    return table


def _tables(entries: Mapping[str, Any], name: str, place: _Place) -> list[Mapping[str, Any]]:
    tables = entries.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(each, Mapping) for each in tables):
        raise place.error(f"tables [[{name}]]", format_value(tables), name)
    for each in tables:
        place.within(f"[[{name}]]").only(each, _KEYS[name])
    return tables


def _texts(value: Any, key: str, place: _Place) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(x, str) for x in value):
        raise place.error("a list of names", "another value or none", key)
    if len(set(value)) < len(value):
        raise place.error("names that differ", "one name twice", key)
    return tuple(value)


def _list(entries: Mapping[str, Any], top: _Place) -> ListedPeople:
    place = top.within("[[list]]")
    name = entries.get("name")
    if not isinstance(name, str) or not name:
        raise place.error("a name", format_value(name), "name")
    given = [key for key in ("size", "members", "parts") if key in entries]
    follows, change = entries.get("follows"), _change(entries, place)
    if follows is False:
        follows = ""
    elif follows is not None and (not isinstance(follows, str) or not follows):
        raise place.error("the name of a list, or false", format_value(follows), "follows")
    if bool(follows) != (change is not None):
        raise place.error("both or none of follows and change", "one of them", f"{name!r}")
    if follows and not given:
        return ListedPeople(name, 0, follows=follows, change=change)
    if len(given) != 1:
        raise place.error("exactly one of size, members and parts", "several or none", f"{name!r}")
    if follows and given != ["size"]:
        raise place.error(
            "a size, or none, beside follows", given[0], f"{name!r}",
            "Members say themselves who is on which list; let each of the parts follow its own.",
        )  # fmt: skip
    if given == ["parts"]:
        return ListedPeople(
            name, 0, parts=_texts(entries["parts"], "parts", place), follows=follows
        )
    if given == ["members"]:
        members = _texts(entries["members"], "members", place)
        return ListedPeople(name, len(members), members, follows=follows)
    with place.placed("size"):
        return ListedPeople(
            name, integer(entries["size"], "size", least=1), follows=follows, change=change
        )


def _change(entries: Mapping[str, Any], place: _Place) -> ListChange | None:
    if "change" not in entries:
        return None
    with place.placed("change"):
        return ListChange.read(entries["change"])


def _with_parts(lists: Sequence[ListedPeople], top: _Place) -> tuple[ListedPeople, ...]:
    """The lists with the sizes of those that others make up."""
    place = top.within("[[list]]")
    by_name: dict[str, ListedPeople] = {}
    for each in lists:
        if each.name in by_name:
            raise place.error("names that differ", f"{each.name!r} twice", "name")
        by_name[each.name] = each
    for each in lists:
        for part in each.parts:
            place.known(part, by_name, "parts")
    basic: dict[str, set[str]] = {}

    def parts_of(name: str, around: tuple[str, ...]) -> set[str]:
        if name in around:
            raise place.error("parts that are other lists", f"{name!r} in itself", "parts")
        if name not in basic:
            parts = by_name[name].parts
            below = (parts_of(part, (*around, name)) for part in parts)
            basic[name] = {name} if not parts else set().union(*below)
        return basic[name]

    return tuple(
        attrs.evolve(each, size=_people(by_name[name] for name in parts_of(each.name, ())))
        for each in lists
    )


def _people(lists: Iterable[ListedPeople]) -> int:
    """How many different people some lists have, of which none has parts."""
    listed = list(lists)
    named = {person for each in listed for person in each.members}
    return len(named) + sum(each.size for each in listed if not each.members)


def _table(
    entries: Mapping[str, Any], known: Collection[str], top: _Place, folder: Path
) -> CountedTable:
    place = top.within("[[table]]")
    columns = _texts(entries["columns"], "columns", place) if "columns" in entries else ()
    if columns and "lists" in entries:
        raise place.error("lists or columns", "both", "columns", "Leave one of them out.")
    if "count" in entries and not isinstance(entries["count"], str):
        raise place.error("the name of a column", format_value(entries["count"]), "count")
    margins = entries.get("margins", [])
    margins = (
        _texts([margins] if isinstance(margins, str) else margins, "margins", place)
        if margins != []
        else ()
    )
    if not columns and (margins or "count" in entries):
        raise place.error("columns beside count and margins", "none", "columns")
    lists = () if columns else _texts(entries.get("lists"), "lists", place)
    for each in lists:
        place.known(each, known, "lists")
    name = entries.get("name", "")
    if not isinstance(name, str):
        raise place.error("a name", format_value(name), "name")
    secondary = entries.get("secondary", False)
    if not isinstance(secondary, bool):
        raise place.error("true or false", format_value(secondary), "secondary")
    with place.placed("total"):
        total = one_of(entries.get("total", "none"), TOTALS, "total")
    rule = entries.get("rule")
    if rule is not None and not isinstance(rule, Mapping):
        raise place.error("a rule such as { preset = ... }", format_value(rule), "rule")
    own = None if rule is None else _rule(rule, top.within("[[table]] rule"), folder)[0]
    return CountedTable(
        name, lists, total, secondary, columns, entries.get("count", ""), margins, rule=own
    )


def _sizes(entries: Mapping[str, Any], folder: Path) -> Any:
    """The file with sizes, looked up beside the file of rules; or a data frame."""
    source = entries.get("file")
    return folder / source if isinstance(source, str) else source


def _marks(entries: Mapping[str, Any], place: _Place) -> Marks:
    meanings: dict[str, Mark | None] = {}
    for name, mark in MEANINGS.items():
        for text in _texts(entries[name], name, place) if name in entries else ():
            if text in meanings or text.isdecimal():
                raise place.error("marks, each with one meaning", f'"{text}"', name)
            meanings[text] = mark
    absent = entries.get("absent")
    with place.placed("absent"):
        return Marks(
            meanings, None if absent is None else one_of(absent, tuple(MEANINGS), "absent")
        )


def _rule(entries: Mapping[str, Any], place: _Place, folder: Path) -> tuple[Rule, Preset | None]:
    if ("preset" in entries) == ("steps" in entries):
        raise place.error("exactly one of preset and steps", "both or none")
    if "preset" in entries:
        with place.placed("preset"):
            policy = PRESETS[one_of(entries["preset"], PRESETS, "preset")]
            zero = entries.get("zero", policy.rule.zero)
            rule = Rule(policy.rule.steps, zero)
            return rule, policy if rule == policy.rule else None
    steps = entries["steps"]
    if not isinstance(steps, list) or not all(isinstance(each, Mapping) for each in steps):
        raise place.error("a list of steps such as { hide = [1, 7] }", "another value", "steps")
    with place.placed("zero"):
        return (
            Rule([_step(each, place, folder) for each in steps], entries.get("zero", "shown")),
            None,
        )


def _step(entries: Mapping[str, Any], place: _Place, folder: Path) -> Step:
    kind = next((key for key in entries if key in _STEPS), None)
    if kind is None:
        place.only(entries, _STEPS)
        raise place.error(f"one of {', '.join(_STEPS)}", "none", "steps")
    place.only(entries, (kind, *filter(None, [_BESIDES.get(kind)])))
    value = entries[kind]
    with place.placed(f"steps, {kind}"):
        match kind:
            case "hide":
                return Hide(*pair(value, "hide"))
            case "round":
                return Round(value, entries.get("halves", "up"))
            case _ if kind in _SINGLE:
                return _SINGLE[kind](value)
            case "noise":
                return Noise(_offsets(value), entries.get("negative", "zero"))
            case _ if isinstance(value, Mapping):  # as answers print a p-table
                rows = {int(count): _offsets(row) for count, row in value.items()}
                return CellKey(rows, entries.get("repeated", 1))
            case _:
                if not isinstance(value, str):
                    raise place.error("the name of a CSV file", format_value(value), "cell_key")
                return read_p_table(folder / value)


def _offsets(value: Any) -> Mapping[int, Any]:
    """Keys of a TOML table are texts."""
    if not isinstance(value, Mapping):
        raise InvalidArgument(
            f'Expected noise such as {{ "-1" = 0.25, "0" = 0.75 }}, got {format_value(value)}.'
        )
    try:
        return {int(offset): chance for offset, chance in value.items()}
    except ValueError:
        raise InvalidArgument("Expected whole numbers as noise, got other keys.") from None


def _adversary(entries: Mapping[str, Any], place: _Place) -> Adversary | None:
    if not entries:
        return None
    sample = entries.get("sample")
    with place.placed("sample" if "sample" in entries else "prior"):
        if sample is not None:
            if not isinstance(sample, Mapping) or set(sample) != {"n", "N"}:
                raise place.error("{ n = …, N = … }", format_value(sample), "sample")
            sample = (sample["n"], sample["N"])
        return adversary(entries.get("prior"), sample)


def _probability(entries: Mapping[str, Any], key: str, place: _Place) -> Fraction | None:
    if key not in entries:
        return None
    with place.placed(key):
        return probability(entries[key], key)


_MOST_DIGITS = 18
"""The most digits of a count that is typed: more people than there are."""


def typed_rule(order: Sequence[str], words: Mapping[str, Any]) -> tuple[Rule | None, str | None]:
    """Return the rule that was typed, and the policy's name where it is that and nothing else."""
    # `order` has names of options as they were typed, and `words` what stands behind each.
    left: dict[str, Iterator[Any]] = defaultdict(lambda: iter(()))
    for name, values in words.items():
        if isinstance(values, list):
            left[name] = iter(values)
    steps: list[Step] = []
    policies: list[str] = []
    for name in order:
        if (word := next(left[name], None)) is None:
            continue
        if name == "preset":
            policies.append(word)
            steps += preset(word).steps
        else:
            steps.append(_typed_step(name, word, words.get("halves")))
    if words.get("halves") is not None and not any(isinstance(step, Round) for step in steps):
        raise InvalidArgument("Expected --round beside --halves, got none. Leave --halves out.")
    if not steps:
        if words.get("zero") is not None:
            raise InvalidArgument("Expected steps beside --zero, got none. Add --hide A B.")
        return None, None
    zeros = {preset(name).zero for name in policies} - {"shown"}
    zero = words.get("zero") or next(iter(zeros), "shown")
    rule = Rule(steps, zero)
    (name, *more) = policies or ("",)
    return rule, name if name and not more and rule == preset(name) else None


def _typed_step(name: str, word: Any, halves: str | None) -> Step:
    match name:
        case "hide":
            lower, upper = word
            return Hide(_typed_count(lower, "--hide"), _typed_count(upper, "--hide"))
        case "round":
            return Round(word, halves or "up")
        case _ if name in _SINGLE:
            return _SINGLE[name](word)
        case _:
            return read_p_table(Path(word))


def _typed_count(word: str, option: str) -> int:
    """A count, of an option of two words, which the command line passes on as it was typed."""
    if not word.isdecimal() or len(word) > _MOST_DIGITS:
        raise InvalidArgument(
            f'Expected two whole numbers after {option}, got "{word[:60]}". Write them in digits, '
            "such as 1 7."
        )
    return int(word)
