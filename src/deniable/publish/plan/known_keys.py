"""The keys of a plan, declared once.

What a reader knows of them, the JSON Schema and the tables of the reference follow from here;
`python docs/plan.py` writes the last two anew.

No engine and no array is loaded for it: a misspelt key is answered before anything else is.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors.late import late
from deniable.publish.plan.spelling import OF_A_SURVEY, quote_text
from deniable.publish.plan.table import PlanInput, PlanTable, PlanText
from deniable.publish.sources import Kind
from deniable.report.heading import LONGEST

if TYPE_CHECKING:
    from deniable.publish import query as queries_of
else:  # once the tables above the first query have no slip
    queries_of = late("deniable.publish.query")

MOST_ROWS = 2**31
"""The most rows of an entity: times any sensitivity of a cell this stays in 64 bits."""
MOST_QUERIES = 256
"""Each takes up to 20 ms of CPU to calibrate, and a check of a release repeats that."""
MOST_PEOPLE = 1_000
"""The most people of a household: more are none, and k²ρ of them leaves no budget."""
MOST_COLUMNS = 256
"""Derived ones: each is a step of every query, about a millisecond to write."""
MOST_BANDS = 1_000  # the most bands: the engine's expression has a branch for each, and gets slow

BLANK = "Fill it in from public knowledge, never from the data."
REQUIRED = "required"
"""The word in place of a default."""
TYPES = tuple(str(kind) for kind in Kind if kind is not Kind.OTHER)
"""What `types` may say of a CSV column."""
LABELS = "labels"
"""What it may say of a column whose codes have labels in the file."""
_ADJACENCIES = ("replace-one", "add-remove")
"""The words of `Adjacency`, whose module has all notions."""
_PARTS = ("year", "quarter", "month", "week", "weekday", "hour")
"""The words of the calendar's parts, whose module has the engine's expressions."""
_OPERATIONS = ("sum", "difference", "product", "ratio")
"""Keys of [columns] that are arithmetic, whose module has the engine's expressions."""

Schema = dict[str, Any]


@attrs.frozen
class Type:
    """What the value of a key may be: its JSON Schema, and what reads it from a table."""

    schema: Schema
    words: str = ""
    read: Callable[[PlanTable, str], Any] = PlanTable.raw


@attrs.frozen(eq=False)
class Key:
    """One key of a table.

    `default` is what holds where it is left out, or `REQUIRED`; it is empty where the meaning says
    it. docs/plan_keys.toml has the meanings of ours; a key of another package states its own, in
    Markdown. `others` are words of others for it, in lower case with hyphens.
    """

    name: str
    type: Type
    default: str
    meaning: str = ""
    others: str = ""


def number(words: str = "", **limits: float) -> Type:
    """A number within limits."""
    return Type({"type": "number", **limits}, words, PlanTable.number)


def integer(words: str = "", **limits: int) -> Type:
    """A whole number within limits."""
    return Type({"type": "integer", **limits}, words, PlanTable.integer)


def array(items: Schema, words: str = "", **limits: Any) -> Type:
    """A list; of numbers, where its items are."""
    read = PlanTable.numbers if items.get("type") == "number" else PlanTable.items
    return Type({"type": "array", "items": items, **limits}, words, read)


def one_of(words: Iterable[str]) -> Type:
    """One of some words."""
    return Type({"enum": list(words)})


def table_of(items: Schema, words: str = "") -> Type:
    """A table whose values are alike."""
    return Type({"type": "object", "additionalProperties": items}, words)


def pair(words: str, **limits: float) -> Type:
    """A list of two numbers."""
    schema = array({"type": "number", **limits}, minItems=2, maxItems=2).schema
    return Type(schema, words, lambda table, key: table.pair(key, BLANK))


STRING: Schema = {"type": "string"}
TEXT = Type(STRING, "", PlanTable.text)
COLUMN = Type(STRING, "column", PlanTable.text)
NAME: Schema = {"type": "string", "minLength": 1}
TEXTS, COLUMNS = array(STRING), array(STRING, "list of columns")
TRUTH = Type({"type": "boolean"}, "", PlanTable.truth)
MARK = Type(STRING, "ASCII character")
CHANCE = number(exclusiveMinimum=0, exclusiveMaximum=1)
POSITIVE = number(exclusiveMinimum=0)
OPERANDS = Type({"$ref": "#/$defs/operands"}, "two columns, or a column and a number")
KEYS_OF_A_COLUMN: Schema = {"$ref": "#/$defs/keys"}

CSV = (
    Key("delimiter", MARK, '`","`, in `.tsv` `"\\t"`'),
    Key("quote", Type(STRING, 'ASCII character, or `""`'), '`"\\""`'),
    Key("escape", MARK, "as `quote`"),
    Key("encoding", TEXT, '`"utf-8"`'),
    Key("header", TRUTH, "`true`"),
    Key("columns", TEXTS, "with `header = false`"),
    Key("decimal", MARK, '`"."`'),
    Key("thousands", Type(STRING, 'character, or `""`'), '`""`'),
    Key("date_format", TEXT, "ISO 8601"),
    Key("timestamp_format", TEXT, "ISO 8601"),
)

DATA = (
    Key("source", TEXT, "required, except for a table in memory", others="file path table"),
    Key("entity", COLUMN, "none", others="id person"),
    Key("household", COLUMN, "none", others="address family"),
    Key("unit", TEXT, "none"),
    Key("adjacency", one_of(_ADJACENCIES), '`"replace-one"`'),
    Key("types", table_of({"enum": [*TYPES, LABELS]}), "none"),
    Key("nulls", TEXTS, '`[""]`'),
    Key("csv", Type({}, "table"), "see below"),
    Key("trim", COLUMNS, "none"),
    Key("fold", COLUMNS, "none"),
    Key("recode", table_of(table_of(STRING).schema, "table of column = table"), "none"),
)

_OF = Key("of", Type(NAME), REQUIRED, others="column from source")
FORMS: Mapping[str, tuple[Key, ...]] = MappingProxyType(
    {
        "part": (_OF, Key("part", one_of(_PARTS), REQUIRED)),
        "days": (Key("days", array(NAME, minItems=2, maxItems=2), REQUIRED),),
        "bands": (
            _OF,
            Key("bands", array({"type": "number"}, minItems=2, maxItems=MOST_BANDS + 1), REQUIRED),
            Key("labels", array(NAME, minItems=1, uniqueItems=True), "none"),
        ),
        **{each: (Key(each, OPERANDS, REQUIRED),) for each in _OPERATIONS},
        "condition": (Key("condition", Type({"$ref": "#/$defs/condition"}), REQUIRED),),
    }
)
"""The forms of a derived column: the key that says how, and the keys beside it."""

ADVERSARY = (
    Key(
        "prior",
        pair("two numbers in [0, 1]", minimum=0, maximum=1),
        "`[0.0, 1.0]`",
        others="belief",
    ),
    Key("household_size", integer(minimum=1, maximum=MOST_PEOPLE), "none", others="family-size"),
    Key(
        "correlation",
        Type(
            {"$ref": "#/$defs/correlation"},
            "`{ odds_ratio = … }`, `{ icc = … }` or `{ difference = … }`",
        ),
        "tied in any way",
    ),
)
CORRELATION = (
    Key("odds_ratio", number(minimum=1), ""),
    Key("icc", number(minimum=0, maximum=1), ""),
    Key("difference", number(minimum=0, maximum=1), ""),
)
WHO_KNOWS = (
    Key("knows", Type({"const": "population"}), ""),
    Key("population", TEXT, ""),
    Key("values_are_public", Type({"const": True}), ""),
)

LAPLACE = "laplace"
NOISES = ("gaussian", LAPLACE)  # what a plan with δ may add to numbers

WORLDS = (
    Key("rho", CHANCE, REQUIRED),
    Key("worlds", integer(minimum=2), REQUIRED),
)
TARGET = (
    Key("gamma", number(minimum=1), ""),
    Key("max_posterior", CHANCE, "", others="posterior"),
    Key("attack_success", CHANCE, "", others="success"),
    Key("advantage", number(minimum=0, exclusiveMaximum=1), ""),
    Key("identifiability", Type({}, "`{ rho = …, worlds = … }`"), ""),
    Key("epsilon", POSITIVE, "", others="eps"),
    Key("delta", CHANCE, ""),
    Key("noise", one_of(NOISES), '`"gaussian"`'),
)

LIMITS = (
    Key("rows_per_entity", integer(minimum=1, maximum=MOST_ROWS), "none", others="rows max-rows"),
    Key("rows_per_household", integer(minimum=1, maximum=MOST_ROWS), "none"),
)

SIMPLE_RANDOM = "simple-random"
"""The only design that there are intervals for."""
MOST_SAMPLED = 2**27
"""Units: a test then adds up some 80,000 probabilities, and an interval takes a tenth of a second.
"""
MOST_UNITS = 2**53
"""The largest size of a population: whole numbers up to this are exact in float64."""

SAMPLE = (
    Key("design", one_of((SIMPLE_RANDOM,)), REQUIRED),
    Key("size", integer(minimum=1, maximum=MOST_SAMPLED), REQUIRED),
    Key("population", integer(minimum=1, maximum=MOST_UNITS), REQUIRED),
)

_FRACTION = r"^\s*[0-9]{1,6}\s*/\s*[0-9]{1,6}\s*$"
LEDGER = (
    Key("file", TEXT, "this or `url`"),
    Key("url", TEXT, "this or `file`"),
    Key("dataset", Type({**STRING, "maxLength": 200}), REQUIRED),
    Key(
        "share",
        Type(
            {
                "anyOf": [
                    {**STRING, "pattern": _FRACTION},
                    {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                ]
            },
            '`"1/3"`, or a number, above 0 and at most 1',
        ),
        "none",
    ),
)

REPORT = tuple(
    Key(name, Type({**STRING, "maxLength": LONGEST[name]}), "none")
    for name in ("title", "organisation", "study", "contact", "text")
)

KEY_FILE = (
    Key("file", TEXT, REQUIRED),
    Key("type", one_of(TYPES), '`"text"`'),
)

QUERY = (
    Key("name", TEXT, REQUIRED),
    Key("statistic", TEXT, REQUIRED, others="stat"),
    Key("group_by", COLUMNS, "none", others="by groups"),
    Key(
        "keys",
        table_of(KEYS_OF_A_COLUMN, 'table of column = list, range or `"unknown"`'),
        "with `group_by`",
        others="values categories",
    ),
    Key(
        "where",
        array({"$ref": "#/$defs/condition"}, "list of conditions"),
        "none",
        others="filter condition conditions",
    ),
    Key("max_contribution", POSITIVE, "none"),
    Key("weight", POSITIVE, "`1`"),
    Key("precision", POSITIVE, "none"),
)
"""What every query may have."""

COLUMN_READ = Key("column", COLUMN, REQUIRED)
BOUNDS = Key("bounds", pair("two finite numbers, increasing"), REQUIRED, others="limits range clip")
"""Keys of several statistics; each has its own beside them (`Statistic.KEYS`)."""

TABLES: Mapping[str, tuple[Key, ...]] = MappingProxyType({
    "data": DATA, "columns": (), "adversary": ADVERSARY + WHO_KNOWS, "target": TARGET,
    "floor": TARGET, "limits": LIMITS, "sample": SAMPLE, "ledger": LEDGER, "report": REPORT,
    "keys": (), "query": QUERY,
})  # fmt: skip
"""The tables of a plan; those without keys have names of columns in their place."""

CONTINUE = "continue"
"""A folder in a plan, a table in a published one."""
TOP = (Key(CONTINUE, TEXT, "none"),)
"""Keys before all tables."""

OTHER_WORDS: Mapping[str, str] = MappingProxyType({"queries": "query"} | {
    word: key.name for keys in TABLES.values() for key in keys for word in key.others.split()
})  # fmt: skip
"""Words of others for our keys."""


def own_keys(statistic: str) -> tuple[Key, ...]:
    """What a query has for its statistic."""
    return queries_of.STATISTICS[statistic].KEYS


def refuse_unknown(table: PlanTable, known: Iterable[Key]) -> None:
    """Refuse keys that nothing reads."""
    keys = tuple(known)
    own = {word: key.name for key in keys for word in key.others.split()}
    table.only({key.name for key in keys}, {**OTHER_WORDS, **own})


def refuse_unknown_keys(top: PlanTable) -> None:
    """Refuse keys that nothing reads in any table; what is no table, its own reader refuses."""
    top.only({*TABLES, *(key.name for key in TOP)}, OTHER_WORDS)
    tables = {name: each for name, each in top.entries.items() if isinstance(each, dict)}
    for name in tables:
        if name != "query" and (keys := TABLES.get(name)):
            refuse_unknown(top.table(name), keys)
    if isinstance(csv := tables.get("data", {}).get("csv"), dict):
        refuse_unknown(PlanTable(top.file, "[data.csv]", csv), CSV)
    for name, column in tables.get("columns", {}).items():
        if isinstance(column, dict):
            own = top.table("columns").table(name)
            for part in _PARTS:  # `{ month = "day" }`, in which the part of a date stands as a key
                if isinstance(of := own.entries.get(part), str) and of:
                    right = f'{{ of = {quote_text(of)}, part = "{part}" }}'
                    remedy = f"Write {own.prefix.removesuffix('.')} = {right}."
                    raise own.error(part, "the keys of and part", part, remedy)
            refuse_unknown(own, itertools.chain.from_iterable(FORMS.values()))
    queries = top.entries.get("query")
    if not isinstance(queries, list) or not all(isinstance(each, dict) for each in queries):
        return
    for query in top.tables("query"):
        kind = query.entries.get("statistic")
        if isinstance(kind, str) and kind in queries_of.STATISTICS:
            refused = {**OF_A_SURVEY, **queries_of.STATISTICS[kind].REFUSED}
            for key in (each for each in query.entries if each in refused):
                raise query.error(key, f"no {key} for {kind}", "one", refused[key])
            refuse_unknown(query, QUERY + own_keys(kind))


def with_known_keys(plan: PlanInput) -> PlanText:
    """The text of a plan, once no key of it was seen that nothing reads."""
    given = PlanText.of(plan)
    if given.parsed is None:
        given = attrs.evolve(given, parsed=given.top)
        refuse_unknown_keys(given.top)
    return given
