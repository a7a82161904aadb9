"""A file of rules: lists, tables, what was done to their numbers, and who is feared.

`docs/reference/commands/rules.md` shows all keys, at `deniable rules judge`. A rule that is typed
on a command line is read here, too: steps in order, a policy among them.
"""

import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from unicodedata import normalize

import attrs

from deniable.errors import InvalidArgument, PlanError, validate
from deniable.errors.public_names import nearest
from deniable.errors.validate import format_value, integer, one_of, pair
from deniable.rules.book.change import ListChange, ListedPeople
from deniable.rules.dominance import Dominance, PPercent, PriorPosterior, ValueRule
from deniable.rules.guessing import ValueLaw
from deniable.rules.numbers import fraction, probability
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
    read_p_table,
)
from deniable.rules.worlds import Adversary, Sample, adversary

TOTALS = ("none", "shown", "independent", "exact")
_KEYS = {
    "list": ("name", "size", "members", "parts", "follows", "change"),
    "table": ("name", "lists", "total", "secondary", "columns", "count", "sum", "margins", "rule"),
    "values": ("file",),
    "sizes": ("file", "change"),
    "marks": ("hidden", "zero", "unpublished", "absent"),
    "rule": ("preset", "steps", "zero", "keys", "parameters"),
    "adversary": ("prior", "sample", "coalition", "values"),
    "target": ("max_posterior", "min_posterior", "delta", "within"),
}
_STEPS = (
    "hide", "round", "round_down", "random", "midpoint", "top", "bottom", "cell_key", "barnard",
    "noise", "p_percent", "prior_posterior", "dominance",
)  # fmt: skip
SINGLE: Mapping[str, Callable[[Any], Step]] = {
    "round_down": RoundDown, "random": RandomRound, "midpoint": Midpoint, "top": Top,
    "bottom": Bottom, "barnard": Barnardise,
}  # fmt: skip
"""Steps of one number."""
_BESIDES = {
    "round": "halves", "noise": "negative", "cell_key": "repeated", "p_percent": "intruders",
}  # fmt: skip
"""Keys that a step may have beside its own."""


@attrs.frozen
class CountedTable:
    """A published table: a cell for each of some lists, and perhaps their total.

    `total` is none, the sum of the cells that are shown, one to which the rule is applied by itself
    (independent), or the true one (exact); `secondary` says whether further cells were hidden, so
    that hidden ones cannot be computed from others. A table as a program printed it has `columns`
    that say whom a number counts, in place of lists; a column of counts, unless it is wide; and
    names of margins, where they are others than usual. `groups` are lists that share a margin, of
    a table whose lists were made from its columns. Its `rule` is None where
    it is that of all. A table of sums names the column that was added up.
    `edition` is the number of editions before it in a book.
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
    sum: str = ""
    edition: int = 0


MEANINGS: Mapping[str, Mark | None] = {"hidden": HIDDEN, "zero": 0, "unpublished": None}  # A mark's


@attrs.frozen
class Marks:
    """What printed marks mean, and rows that are left out; None where nothing is said of these."""

    meanings: Mapping[str, Mark | None] = attrs.Factory(dict)
    absent: str | None = None


@attrs.frozen
class ValuesQuestion:
    """Values behind published sums, the rules that hid some, and whom contributors fear.

    `coalition` is how many contributors attack together, and None where nothing was said; `names`
    are theirs, if they are named. Bounds nearer than `within` times the value are too close.
    """

    source: Any
    rules: tuple[ValueRule, ...] = ()
    coalition: int | None = None
    names: tuple[str, ...] = ()
    law: ValueLaw | None = None
    within: Fraction | None = None


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
    values: ValuesQuestion | None = None


def read_rules(source: Path | str | Mapping[str, Any]) -> RulesFile:
    """Read a file of rules."""
    # Files that a TOML file names are looked up beside it.
    path = Path() if isinstance(source, Mapping) else Path(source)
    try:
        entries = source if isinstance(source, Mapping) else tomllib.loads(
            path.read_text(encoding="utf-8"), parse_float=Decimal
        )  # fmt: skip
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
    place = _Place("the rules" if isinstance(source, Mapping) else str(path))
    place.only(entries, _KEYS)
    lists = _with_parts([_list(each, place) for each in _tables(entries, "list", place)], place)
    if has_two_spellings(person for each in lists for person in each.members):
        raise place.within("[[list]]").error("one spelling of each person", SPELLINGS, "members")
    names = {each.name for each in lists}
    tables = tuple(
        _table(each, names, place, path.parent) for each in _tables(entries, "table", place)
    )
    sizes = _one(entries, "sizes", place)
    given, who = _one(entries, "rule", place), _one(entries, "adversary", place)
    target = _one(entries, "target", place)
    values = _one(entries, "values", place)
    question, given = _values(values, given, who, target, place, path.parent)
    rule, policy = _rule(given, place.within("[rule]"), path.parent)
    feared = None if question else _adversary(who, place.within("[adversary]"))
    _check_people(lists, feared, place.within("[[list]]"))
    limits: dict[str, Fraction] = {}
    for key in ("max_posterior", "min_posterior", "delta"):
        with place.within("[target]").placed(key):
            limits |= {key: probability(target[key], key)} if key in target else {}
    return RulesFile(
        lists, tables, rule, policy, feared,
        limits.get("max_posterior"), limits.get("min_posterior"), limits.get("delta"),
        _sizes(sizes, path.parent),
        _marks(_one(entries, "marks", place), place.within("[marks]")),
        _change(sizes, place.within("[sizes]")),
        question,
    )  # fmt: skip


SPELLINGS = "two that differ in case, spaces or forms of letters alone"


def has_two_spellings(names: Iterable[str]) -> bool:
    """Whether two names are one but for case, spaces and forms of letters."""
    some = set(names)
    return len({"".join(normalize("NFKC", n).casefold().split()) for n in some}) < len(some)


@attrs.frozen
class _Place:
    """The place in the file where something stands."""

    file: str
    table: str = ""

    def within(self, table: str) -> "_Place":
        return _Place(self.file, table)

    def error(self, expected: str, got: str, key: str = "", remedy: str = "") -> PlanError:
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

    sized = []
    for each in lists:
        inside = [by_name[name] for name in parts_of(each.name, ())]
        named = {person for part in inside for person in part.members}
        others = sum(part.size for part in inside if not part.members)
        sized.append(attrs.evolve(each, size=len(named) + others))
    return tuple(sized)


def _check_people(lists: Sequence[ListedPeople], who: Adversary | None, place: _Place) -> None:
    """Refuse lists, published or not, with more people than a sample was drawn from."""
    first = [each for each in lists if not (each.parts or each.follows)]
    people = len({person for each in first for person in each.members})
    people += sum(each.size for each in first if not each.members)
    fewest: dict[str, int] = {}
    for each in lists:  # of a list without a size, as many as can be left of the one before
        change = each.change or ListChange()
        left = change.left + (change.at_most or 0)
        fewest[each.name] = each.size or fewest.get(each.follows or "", 0) - left + change.joined
    people = max([people, *fewest.values()])
    if isinstance(who, Sample) and people > who.population:
        raise place.error(f"lists of at most N = {who.population} people together", str(people))


def _table(
    entries: Mapping[str, Any], known: Collection[str], top: _Place, folder: Path
) -> CountedTable:
    place = top.within("[[table]]")
    columns = _texts(entries["columns"], "columns", place) if "columns" in entries else ()
    if columns and "lists" in entries:
        raise place.error("lists or columns", "both", "columns", "Leave one of them out.")
    for key in ("count", "sum"):
        if not isinstance(entries.get(key, ""), str):
            raise place.error("the name of a column", format_value(entries[key]), key)
    if "count" in entries and "sum" in entries:
        raise place.error("count or sum", "both", "sum", "Leave one of them out.")
    margins = entries.get("margins", [])
    margins = [margins] if isinstance(margins, str) else margins
    margins = () if margins == [] else _texts(margins, "margins", place)
    if not columns and (margins or "count" in entries or "sum" in entries):
        raise place.error("columns beside count, sum and margins", "none", "columns")
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
    count, added = entries.get("count", ""), entries.get("sum", "")
    return CountedTable(name, lists, total, secondary, columns, count, margins, rule=own, sum=added)


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


_VALUE_STEPS = ("p_percent", "prior_posterior", "dominance")


def _values(
    entries: Mapping[str, Any],
    rule: Mapping[str, Any],
    who: Mapping[str, Any],
    target: Mapping[str, Any],
    top: _Place,
    folder: Path,
) -> tuple[ValuesQuestion | None, Mapping[str, Any]]:
    """The question about values, if there are any; and the rule without its steps on values."""
    steps = rule.get("steps")
    steps = steps if isinstance(steps, list) else []
    kept = [each for each in steps if not _is_on_values(each)]
    place = top.within("[rule]")
    rules = tuple(_value_rule(each, place) for each in steps if _is_on_values(each))
    questions = [
        name
        for name, table, keys in (
            ("[rule]", rule, ("parameters",)),
            ("[adversary]", who, ("coalition", "values")),
            ("[target]", target, ("within",)),
        )
        for key in keys
        if key in table
    ]
    if not entries:
        if rules or questions:
            raise top.within(questions[0] if questions else "[rule]").error(
                "[values] beside a question about values", "none", "",
                "Add [values] with a file of contributors.",
            )  # fmt: skip
        return None, rule
    if "file" not in entries:
        raise top.within("[values]").error("the name of a CSV file", "none", "file")
    if rule.get("parameters", "secret") != "secret":
        raise place.error(
            'parameters = "secret"', format_value(rule["parameters"]), "parameters",
            "What known parameters tell besides is not judged.",
        )  # fmt: skip
    top.within("[adversary]").only(who, ("coalition", "values"))
    top.within("[target]").only(target, ("within", "max_posterior"))
    given = who.get("coalition")
    names: tuple[str, ...] = ()
    if isinstance(given, list):
        names = _texts(given, "coalition", top.within("[adversary]"))
        given = len(names)
    with top.within("[adversary]").placed("coalition"):
        coalition = None if given is None else integer(given, "coalition", least=0)
    with top.within("[target]").placed("within"):
        within = fraction(target["within"], "within") if "within" in target else None
        if within is not None and within <= 0:
            raise InvalidArgument("Expected within > 0, got 0 or less.")
    law = _law(who["values"], top.within("[adversary]")) if "values" in who else None
    question = ValuesQuestion(_sizes(entries, folder), rules, coalition, names, law, within)
    return question, {**rule, "steps": kept} if "steps" in rule or not rule else rule


def _is_on_values(step: Any) -> bool:
    return isinstance(step, Mapping) and any(key in step for key in _VALUE_STEPS)


def _value_rule(entries: Mapping[str, Any], place: _Place) -> ValueRule:
    kind = next(key for key in _VALUE_STEPS if key in entries)
    place.only(entries, (kind, *filter(None, [_BESIDES.get(kind)])))
    value = entries[kind]
    with place.placed(f"steps, {kind}"):
        match kind:
            case "p_percent":
                return PPercent(value, entries.get("intruders", 1))
            case "prior_posterior":
                return PriorPosterior(*pair(value, "p and q"))
            case _:
                return Dominance(*pair(value, "n and k"))


MOST_VALUES = 10**6  # Values of a law: more would take minutes
_LARGEST = 10**100  # A median or sigma, or 1 divided by it: floats hold its square


def _law(given: Any, place: _Place) -> ValueLaw:
    with place.placed("values"):
        if not isinstance(given, Mapping):
            given = {"law": given}
        match given.get("law"):
            case "uniform" | "log_normal" as law:
                shape = ("median", "sigma") if law == "log_normal" else ()
                place.only(given, ("law", "low", "high", *shape))
                median, sigma = (fraction(given.get(key, 0), key) for key in ("median", "sigma"))
                if shape and not all(1 <= x * _LARGEST <= _LARGEST**2 for x in (median, sigma)):
                    raise InvalidArgument(
                        "Expected median and sigma between 1e-100 and 1e100, got others or none."
                    )
                low, high = (
                    integer(given[key], key, least=len(shape) // 2) if key in given else None
                    for key in ("low", "high")
                )
                if high is not None and not (low or 0) <= high <= MOST_VALUES:
                    raise InvalidArgument(
                        f"Expected low <= high <= {MOST_VALUES:,}, got others. Write values in a "
                        "larger unit."
                    )
                return (
                    ValueLaw(low or 1, high, None, median, sigma) if shape else ValueLaw(low, high)
                )
            case "table":
                place.only(given, ("law", "chances"))
                chances = {
                    value: probability(chance, "a chance")
                    for value, chance in _offsets(given.get("chances")).items()
                }
                if sum(chances.values()) != 1 or min(chances) < 0 or max(chances) > MOST_VALUES:
                    raise InvalidArgument(
                        "Expected chances of values from 0 on that add up to 1, got others."
                    )
                return ValueLaw(min(chances), max(chances), chances)
            case _:
                raise InvalidArgument(
                    'Expected { law = "uniform", low = 0, high = 200 }, '
                    '{ law = "log_normal", median = 50, sigma = 1, high = 200 } or '
                    '{ law = "table", chances = { "0" = 0.5, "10" = 0.5 } }, got another law.'
                )


def _rule(entries: Mapping[str, Any], place: _Place, folder: Path) -> tuple[Rule, Preset | None]:
    if ("preset" in entries) == ("steps" in entries):
        raise place.error("exactly one of preset and steps", "both or none")
    if "preset" in entries:
        place.only(entries, ("preset", "zero", "parameters"))
        with place.placed("preset"):
            policy = PRESETS[one_of(entries["preset"], PRESETS, "preset")]
            zero = entries.get("zero", policy.rule.zero)
            rule = Rule(policy.rule.steps, zero)
            return rule, policy if rule == policy.rule else None
    steps = entries["steps"]
    if not isinstance(steps, list) or not all(isinstance(each, Mapping) for each in steps):
        raise place.error("a list of steps such as { hide = [1, 7] }", "another value", "steps")
    own_steps = [_step(each, place, folder) for each in steps]
    if "keys" in entries and not any(isinstance(step, CellKey) for step in own_steps):
        raise place.error("keys beside a step cell_key", "no such step", "keys")
    with place.placed("zero and keys"):
        rule = Rule(own_steps, entries.get("zero", "shown"), entries.get("keys", "persistent"))
    return rule, None


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
            case _ if kind in SINGLE:
                return SINGLE[kind](value)
            case "noise":
                return Noise(_offsets(value), entries.get("negative", "zero"))
            case _ if isinstance(value, Mapping):  # as answers print a p-table
                rows = {int(count): _offsets(row) for count, row in value.items()}
                return CellKey(rows, entries.get("repeated", 1))
            case _:
                return read_p_table(folder / validate.path(value, "the name of a CSV file"))


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


_MOST_TYPED = 18  # The most digits of a count that is typed: more people than there are


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
        match name:
            case "preset":
                policies.append(word)
                steps += preset(word).steps
            case "hide":
                steps.append(Hide(*(_typed_count(each, "--hide") for each in word)))
            case "round":
                steps.append(Round(word, words.get("halves") or "up"))
            case _:
                steps.append(SINGLE[name](word) if name in SINGLE else read_p_table(Path(word)))
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


def _typed_count(word: str, option: str) -> int:
    """A count, of an option of two words, which the command line passes on as it was typed."""
    if not word.isdecimal() or len(word) > _MOST_TYPED:
        raise InvalidArgument(
            f'Expected two whole numbers after {option}, got "{word[:60]}". Write them in digits, '
            "such as 1 7."
        )
    return int(word)
