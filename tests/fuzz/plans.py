"""Random plans over one schema: every statistic, bounding, group, filter and target."""

import datetime
import json
import random
from collections.abc import Sequence

import attrs

from tests.fuzz.values import PLAIN

COLUMNS = {
    "x": "number",
    "i": "integer",
    "g": "text",
    "b": "boolean",
    "d": "date",
    "m": "timestamp",
}
"""What stands beside an entity's column, and what a plan takes each for."""

TRUNCATED = (
    "count",
    "entities",
    "sum",
    "mean",
    "histogram",
    "quantile",
    "top",
    "removed",
    "crosstab",
    "tree",
)
SCALED = ("count", "sum", "histogram")
ONE_ROW = (
    "count", "entities", "sum", "mean", "histogram", "quantile", "top", "crosstab", "tree",
    "survival",
)  # fmt: skip
BOUNDINGS = {"truncated": TRUNCATED, "scaled": SCALED, "one row": ONE_ROW}
"""The statistics of each bounding: rows_per_entity, max_contribution, no entity column."""
UNKNOWN = ("entities", "unknown")
"""Entities by keys that nobody knows: which there are differs between neighbours."""

_WRITABLE = {
    "number": (*PLAIN["number"], -0.0, 0.1, 5e-324, 1e308, -1e300, 2**53 + 1, 1 / 3),
    "integer": (0, 1, 2, 3, 7, 100),  # what every integer type holds: others are refused by schema
    "text": (*PLAIN["text"], "A", "á", "a\u0301", "a ", "NULL", "\U0001f600", "ß", '"', "a\nb"),
    "boolean": PLAIN["boolean"],
    "date": (*PLAIN["date"], datetime.date(1, 1, 1), datetime.date(9999, 12, 31)),
    "timestamp": (*PLAIN["timestamp"], datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)),
}
_BOUNDS = (
    (0, 1), (-1, 10), (-0.1, 0.3), (0.1, 0.3), (-0.3, -0.1), (-1e-300, 1e300), (1 / 3, 2 / 3),
    (-5, -1), (100, 200), (-1e-300, 0.0), (0, 1 - 2.0**-24), (-(2.0**53), 2.0**53), (0.5, 1.5),
    (-2, 3), (0, 4),
)  # fmt: skip
_EDGES = ((0, 1), (0, 1, 3), (0, 0.1, 0.1 + 2.0**-56, 0.3), (-1e308, 0, 1e308), (-1, 0, 0.5, 2, 10))
_QUANTILES = (0.5, 0.25, 0.9, 0.333333, 0.1, 1e-6, 0.999999, 2.0**-20, 0.29)
_TARGETS = (
    "epsilon = 1.0", "epsilon = 0.1", "epsilon = 7.3", "gamma = 2.0", "max_posterior = 0.7",
    "advantage = 0.3", "attack_success = 0.6",
)  # fmt: skip
_WITH_DELTA = ("epsilon = 1.0\ndelta = 1e-6", "gamma = 2.0\ndelta = 1e-5")
_FOR_KEYS = (*_WITH_DELTA, *(f'{each}\nnoise = "laplace"' for each in _WITH_DELTA))
_OPERATORS = ("==", "!=", "<", "<=", ">", ">=")


@attrs.frozen
class Asked:
    """One query of a plan."""

    statistic: str
    bounding: str
    text: str


@attrs.frozen
class RandomPlan:
    """A plan but for what it says of its source."""

    adjacency: str
    has_entity: bool
    rows: int
    queries: tuple[Asked, ...]
    limits: str
    cleaning: str
    derived: str = ""

    def text(self, about: str) -> str:
        """The plan, with what the table's writer says in [data]."""
        entity = 'entity = "p"\n' if self.has_entity else ""
        if "nulls" not in about:
            about += "nulls = []\n"  # "" is a key
        head = f'[data]\n{about}{entity}{self.cleaning}adjacency = "{self.adjacency}"\n\n'
        return head + self.derived + self.limits + "\n".join(each.text for each in self.queries)


def literal(value) -> str:
    """A value as TOML writes it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case datetime.date():
            return value.isoformat()
    return repr(value)


def listed(values) -> str:
    return f"[{', '.join(map(literal, values))}]"


def random_plan(
    draw: random.Random,
    adjacency: str,
    has_entity: bool,
    statistics: Sequence[tuple[str, str]],
    deriving: float = 0.0,
) -> RandomPlan:
    """A plan that asks for each of these statistics, with its bounding, in this order.

    With the probability `deriving` it derives columns, and each query then uses them with even
    odds; what it asks for besides is the same.
    """
    derived = Derived.drawn(random.Random(repr(draw.getstate())), deriving)
    rows = draw.choice((1, 1, 2, 3))
    cleaned = draw.random() < 0.2
    target = draw.choice(_WITH_DELTA if draw.random() < 0.25 else _TARGETS)
    if any((statistic, bounding) == UNKNOWN for statistic, bounding in statistics):
        target = draw.choice(_FOR_KEYS)
    limits = f"[adversary]\nprior = [0.1, 0.5]\n\n[target]\n{target}\n\n"
    if has_entity:
        limits += f"[limits]\nrows_per_entity = {rows}\n\n"
    queries = tuple(
        Asked(
            statistic,
            bounding,
            derived.used(_query(draw, number, statistic, bounding, adjacency, cleaned)),
        )
        for number, (statistic, bounding) in enumerate(statistics)
    )
    cleaning = 'trim = ["g"]\nfold = ["g"]\nrecode = { g = { "x" = "a" } }\n' if cleaned else ""
    return RandomPlan(adjacency, has_entity, rows, queries, limits, cleaning, derived.text())


def _query(draw, number, statistic, bounding, adjacency, cleaned) -> str:
    one_row = bounding == "one row"
    text = f'[[query]]\nname = "q{number}"\nstatistic = "{statistic}"\n'
    text += f"weight = {draw.choice((1, 1, 2, 0.3))}\n" if draw.random() < 0.3 else ""
    public_size = statistic == "mean" and one_row and draw.random() < 0.5
    bounds = draw.choice(_BOUNDS)
    text += _parameters(draw, statistic, bounds, cleaned, nulls=public_size)
    if bounding == "scaled":
        unit = max(map(abs, bounds)) if statistic == "sum" else 1.0
        limit = unit * draw.choice((0.1, 1 / 3, 0.7, 1.0, 2.999999, 10.0))
        text += f"max_contribution = {limit!r}\n"
    if statistic == "removed" or public_size:
        return text
    grouped = statistic not in ("top", "crosstab", "tree") and draw.random() < 0.6
    if bounding == "unknown":
        grouped, text = True, text + _unknown(draw, cleaned)
    elif grouped:
        text += _groups(draw, cleaned)
    must = one_row and adjacency == "replace-one" and statistic in ("count", "entities")
    if draw.random() < 0.4 or (must and not grouped):
        conditions = ", ".join(_condition(draw, cleaned) for _ in range(draw.choice((1, 1, 2))))
        text += f"where = [{conditions}]\n"
    return text


def _parameters(draw, statistic, bounds, cleaned, *, nulls: bool) -> str:
    column = draw.choice(("x", "x", "i"))
    match statistic:
        case "sum":
            return f'column = "{column}"\nbounds = {listed(bounds)}\n'
        case "mean":
            text = f'column = "{column}"\nbounds = {listed(bounds)}\n'
            return text + (
                f"nulls = {literal(draw.choice(bounds))}\n" if nulls or draw.random() < 0.3 else ""
            )
        case "histogram":
            return f'column = "{column}"\nedges = {listed(draw.choice(_EDGES))}\n'
        case "quantile":
            text = f'column = "{column}"\nbounds = {listed(bounds)}\n'
            text += f"candidates = {draw.randint(2, 9)}\n"
            return f"{text}quantile = {draw.choice(_QUANTILES)!r}\n"
        case "top":
            column = draw.choice(("g", "i", "b", "d"))
            keys = _keys(draw, column, cleaned)
            number = draw.randint(1, len(keys))
            return (
                f'column = "{column}"\nkeys = {{ {column} = {listed(keys)} }}\nnumber = {number}\n'
            )
        case "crosstab":
            return _crosstab(draw, cleaned)
        case "tree":
            return _tree(draw, cleaned)
        case "survival":
            return _survival(draw)
        case "removed":
            return f"most_rows = {draw.randint(4, 9)}\n" if draw.random() < 0.5 else ""
    return ""


def _survival(draw) -> str:
    event = draw.choice(('"b"', '{ column = "i", is = 2 }', '{ column = "g", is = "a" }'))
    grid = draw.choice(("[1]", "[0.1, 1, 3]", "{ step = 2, horizon = 8 }", "[5e-324, 1e15]"))
    return f'time = "x"\nevent = {event}\ngrid = {grid}\n'


def _crosstab(draw, cleaned) -> str:
    columns = draw.sample(("g", "i", "b", "d", "m"), draw.choice((1, 2, 2, 3)))
    keys = ", ".join(f"{column} = {listed(_keys(draw, column, cleaned))}" for column in columns)
    text = f"columns = {listed(columns)}\nkeys = {{ {keys} }}\n"
    if draw.random() < 0.7:
        text += f"margins = {draw.randint(1, len(columns))}\n"
    elif len(columns) > 1:
        text += f"margins = [{listed(columns[:2])}, {listed(columns[1:])}]\n"
    if draw.random() < 0.3:
        text += f"importance = {{ total = {draw.choice((0, 3, 40))}, {columns[0]} = 2.5 }}\n"
    return text + ("whole = true\n" if draw.random() < 0.2 else "")


def _tree(draw, cleaned) -> str:
    column = draw.choice(("g", "i", "b", "d", "m"))
    keys = _keys(draw, column, cleaned)
    cut = draw.randint(1, len(keys))
    parts = {"north": {"a": keys[:cut]}, **({"south": {"b": keys[cut:]}} if keys[cut:] else {})}
    if draw.random() < 0.5:
        parts = {name: leaves for both in parts.values() for name, leaves in both.items()}
        levels = ["part", column]
    else:
        levels = ["part", "half", column]
    text = f"levels = {listed(levels)}\nnested = {_nested(parts)}\n"
    if draw.random() < 0.3:
        text += f"importance = {{ total = {draw.choice((0.01, 3, 40))}, {column} = 2.5 }}\n"
    return text + ("whole = true\n" if draw.random() < 0.2 else "")


def _nested(tree) -> str:
    if isinstance(tree, list):
        return listed(tree)
    return f"{{ {', '.join(f'{name} = {_nested(below)}' for name, below in tree.items())} }}"


def _keys(draw, column, cleaned) -> list:
    known = PLAIN["text"][:3] if cleaned and column == "g" else _WRITABLE[COLUMNS[column]]
    return draw.sample(known, draw.randint(1, min(4, len(known))))


def _groups(draw, cleaned) -> str:
    columns = draw.sample(("g", "i", "b", "d", "m"), draw.choice((1, 1, 2)))
    keys = ", ".join(f"{column} = {listed(_keys(draw, column, cleaned))}" for column in columns)
    return f"group_by = {listed(columns)}\nkeys = {{ {keys} }}\n"


def _unknown(draw, cleaned) -> str:
    """Groups of which one has keys that nobody knows, and another may."""
    columns = draw.sample(("g", "i", "b", "d"), draw.choice((1, 1, 2)))
    keys = [f'{columns[0]} = "unknown"']
    for column in columns[1:]:
        listed_keys = listed(_keys(draw, column, cleaned))
        keys.append(f"{column} = {draw.choice((listed_keys, json.dumps('unknown')))}")
    order = draw.sample(columns, len(columns))
    return f"group_by = {listed(order)}\nkeys = {{ {', '.join(keys)} }}\n"


def _condition(draw, cleaned) -> str:
    column = draw.choice(tuple(COLUMNS))
    known = PLAIN["text"][:3] if cleaned and column == "g" else _WRITABLE[COLUMNS[column]]
    if draw.random() < 0.3:
        values = list(dict.fromkeys(draw.sample(known, min(2, len(known)))))
        if column == "x":
            values = list(dict.fromkeys(map(float, values)))
        return f'["{column}", "{draw.choice(("in", "not in"))}", {listed(values)}]'
    operators = _OPERATORS[:2] if column == "b" else _OPERATORS
    return f'["{column}", "{draw.choice(operators)}", {literal(draw.choice(known))}]'


# Columns that are derived, in whose place a query uses those of the source else.


@attrs.frozen
class Derived:
    """Derived columns, and their places in queries.

    Parameters
    ----------
    draw : random.Random
        Of its own: it changes nothing that is drawn elsewhere.
    columns : mapping
        From a name to its definition.
    numbers, labels, truths : list of str
        Those that are numbers, texts with known keys, and truth values.
    ranges : mapping
        Keys of those that need them.
    """

    draw: random.Random
    columns: dict[str, str] = attrs.field(factory=dict)
    numbers: list[str] = attrs.field(factory=list)
    labels: list[str] = attrs.field(factory=list)
    truths: list[str] = attrs.field(factory=list)
    ranges: dict[str, str] = attrs.field(factory=dict)

    @classmethod
    def drawn(cls, draw: random.Random, probability: float) -> "Derived":
        """None, or one of each kind and more."""
        made = cls(draw)
        if draw.random() < probability:
            kinds = (made.part, made.days, made.number, made.bands, made.truth)
            for kind in (*kinds, *draw.choices(kinds, k=3)):
                kind(f"c{len(made.columns)}")
        return made

    def text(self) -> str:
        """[columns] and [keys]."""
        if not self.columns:
            return ""
        columns = "".join(f"{name} = {what}\n" for name, what in self.columns.items())
        keys = "".join(f'{name} = "{what}"\n' for name, what in self.ranges.items())
        return f"[columns]\n{columns}\n[keys]\n{keys}\n"

    def part(self, name: str) -> None:
        word = self.draw.choice(("year", "quarter", "month", "week", "weekday", "hour"))
        column = "m" if word == "hour" else self.draw.choice("dm")
        self.columns[name] = f'{{ of = "{column}", part = "{word}" }}'
        self.labels.append(name)
        if word in _RANGES:
            self.ranges[name] = self.draw.choice(_RANGES[word])

    def days(self, name: str) -> None:
        self.columns[name] = f"{{ days = {listed(self.draw.choices('dm', k=2))} }}"
        self.numbers.append(name)

    def number(self, name: str) -> None:
        word = self.draw.choice(("sum", "difference", "product", "ratio"))
        public = self.draw.choice((1, -2, 0.1, 2**53 + 1, 1e308, -(2**63)))
        pair = [self._number(), self.draw.choice((self._number(), public))]
        self.columns[name] = f"{{ {word} = {listed(pair)} }}"
        self.numbers.append(name)

    def bands(self, name: str) -> None:
        bounds, labels = self.draw.choice(_BANDS)
        given = f", labels = {listed(labels)}" if labels else ""
        self.columns[name] = f'{{ of = "{self._number()}", bands = {listed(bounds)}{given} }}'
        self.labels.append(name)

    def truth(self, name: str) -> None:
        condition = _condition(self.draw, False)
        if self.draw.random() < 0.5:
            condition = f'["{self._number()}", "{self.draw.choice(_OPERATORS)}", 1]'
        self.columns[name] = f"{{ condition = {condition} }}"
        self.truths.append(name)

    def _number(self) -> str:
        return self.draw.choice((*"xi", *self.numbers))

    def used(self, query: str) -> str:
        """A query, half of the time with derived columns in it."""
        if not self.columns or self.draw.random() < 0.5:
            return query
        statistic = query.partition('statistic = "')[2].partition('"')[0]
        if statistic == "top":
            column = self.draw.choice((*self.labels, *self.truths))
            kept = [each for each in query.splitlines() if not each.startswith(_OF_TOP)]
            return "\n".join([*kept, f'column = "{column}"', "number = 1", ""])
        for column in "xi":
            query = query.replace(f'\ncolumn = "{column}"', f'\ncolumn = "{self._number()}"')
        if statistic == "removed" or ("nulls" in query and "group_by" not in query):
            return query
        name = self.draw.choice((*self.labels, *self.truths))
        if statistic == "tree":
            return query
        if statistic == "crosstab":
            if "margins = [" not in query:
                query = query.replace("columns = [", f'columns = ["{name}", ')
        elif "group_by = [" in query:
            query = query.replace("group_by = [", f'group_by = ["{name}", ')
        elif self.draw.random() < 0.6:
            query += f'group_by = ["{name}"]\n'
        if "where" not in query and self.draw.random() < 0.4:
            query += f'where = [["{self.draw.choice(self.truths)}", "==", true]]\n'
        return query


_OF_TOP = ("column", "keys", "number")
_RANGES = {
    "year": ("2023..2025", "0001..0003"),
    "quarter": ("2023-Q4..2024-Q2",),
    "month": ("2023-12..2024-03", "9999-11..9999-12"),
    "week": ("2024-W01..2024-W06", "2020-W52..2021-W01"),
}
_BANDS = (
    ((0, 1, 2, 10), None), ((-1e300, 0, 5e-324, 1e300), ("a", "b", "c")), ((-5, 5), ("x",)),
    ((0.1, 1 / 3, 2.0**53), ("a", "\\ it's ${x}")), ((-400, -1, 0, 1, 31), None),
)  # fmt: skip
