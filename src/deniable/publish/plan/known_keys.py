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
from deniable.publish.plan.spelling import quote_text
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

    `default` is what holds where it is left out, or `REQUIRED`; it is empty where the meaning, in
    Markdown, says it. `others` are words of others for it, in lower case with hyphens.
    """

    name: str
    type: Type
    default: str
    meaning: str
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
    Key("delimiter", MARK, '`","`, in `.tsv` `"\\t"`', "Between two values."),
    Key("quote", Type(STRING, 'ASCII character, or `""`'), '`"\\""`',
        "Around a text that holds a delimiter, a quotation mark or a line break. Empty: there are "
        "none, and every mark is part of the text."),
    Key("escape", MARK, "as `quote`",
        "Stands before a quotation mark, or before itself, within such a text. By default a mark "
        "is doubled."),
    Key("encoding", TEXT, '`"utf-8"`',
        "`utf-8`, `utf-16` (little-endian without a byte order mark), `utf-16-le`, `utf-16-be`, "
        "`latin-1`, `windows-1250` to `-1258`, `iso-8859-1` to `-16`, `cp437`, `cp850` or "
        "`mac-roman`. A byte order mark is not part of the text."),
    Key("header", TRUTH, "`true`", "Whether the first line names the columns. A column without a "
        "name, such as row numbers, is not read."),
    Key("columns", TEXTS, "with `header = false`", "All columns' names, in order."),
    Key("decimal", MARK, '`"."`', "Before the decimals of a number."),
    Key("thousands", Type(STRING, 'character, or `""`'), '`""`',
        "Between groups of three digits; it may be missing from a number. Anywhere else it is an "
        'error: with `","` declared, `1,5` is not a number.'),
    Key("date_format", TEXT, "ISO 8601",
        'How dates are written, in the signs of `strptime`, such as `"%d.%m.%Y"`. It must say '
        "year, month and day."),
    Key("timestamp_format", TEXT, "ISO 8601",
        'The same for timestamps, such as `"%d.%m.%Y %H:%M"`, with the hour. With `%z` they are '
        "read in UTC, and otherwise as written."),
)  # fmt: skip

DATA = (
    Key("source", TEXT, "required, except for a table in memory",
        'Where the table is; see below. `"memory"`, or left out, if Python passes the table '
        "itself.", others="file path table"),
    Key("entity", COLUMN, "none",
        "Whose row it is: all rows with one value are one entity, and the guarantee is about an "
        "entity. Rows without a value are left out. Left out, **each row is an entity by "
        "itself**, and a person who owns several rows is protected less.", others="id person"),
    Key("household", COLUMN, "none",
        "Instead of `entity`, where people live together: all rows with one value are one "
        "household, which is the entity. Limits on beliefs then also hold for each of its members, "
        "[whatever ties them](#households).", others="address family"),
    Key("unit", TEXT, "none",
        'A word for the entity in the report and the certificate, such as `"person-year"`; with '
        '`household` it is `"household"`. Does not change any number.'),
    Key("adjacency", one_of(_ADJACENCIES), '`"replace-one"`',
        "What may be secret. Under replace-one an entity is exchanged for another and the number "
        "of entities is public; under add-remove even that number is secret."),
    Key("types", table_of({"enum": [*TYPES, LABELS]}), "none",
        "CSV, spreadsheets, and columns of a pandas frame, whose cells are read as they say; "
        "Python objects are text otherwise. Columns of other data frames may be said to be what "
        "they are; one of the type null, in which nobody has a value, is what the plan takes it "
        "for. Of SPSS, "
        'Stata and SAS files codes are read as `"labels"` or `"text"`, whole numbers as '
        '`"integer"`, texts as anything. '
        "[All pairs](#types-of-columns)."),
    Key("nulls", TEXTS, '`[""]`',
        'The texts that mean "no value", in every source: of a CSV file in every column, else in '
        "columns of text."),
    Key("csv", Type({}, "table"), "see below",
        "CSV only: how the file is written, [\\[data.csv\\]](#datacsv)."),
    Key("trim", COLUMNS, "none",
        "Their texts lose the spaces, tabs, line breaks and no-break spaces at both ends."),
    Key("fold", COLUMNS, "none",
        'Each letter of their texts becomes lower case by itself: "İ" becomes "i", "ß" stays. '
        "A key, or a value of a condition, matches any case, and is published as the plan spells "
        "it."),
    Key("recode", table_of(table_of(STRING).schema, "table of column = table"), "none",
        'What a text becomes, such as `{ sex = { F = "female", W = "female" } }`; at most 1,000 '
        "texts a column. A text that is not in the table stays as it is."),
)  # fmt: skip

_OF = Key("of", Type(NAME), REQUIRED, "", others="column from source")
_OF_TWO_NUMBERS = (
    "*Integer or number:* of two columns of numbers, or of a column and a number. An integer if "
    "both are whole, except for a ratio; otherwise a 64-bit float."
)
FORMS: Mapping[str, tuple[Key, ...]] = MappingProxyType({
    "part": (_OF, Key("part", one_of(_PARTS), REQUIRED,
        '*Text:* a part of a date, or of a timestamp in UTC: `"year"` (2024), `"quarter"` '
        '(2024-Q1), `"month"` (2024-01), `"week"` (2024-W01, of ISO 8601: the year is the '
        "week's), `\"weekday\"` (1, Monday, to 7), `\"hour\"` (00 to 23, of timestamps only).")),
    "days": (Key("days", array(NAME, minItems=2, maxItems=2), REQUIRED,
        "*Integer:* whole days from the first column to the second, dates or timestamps. Between "
        "dates the difference; between timestamps the number of complete 24-hour periods; a date "
        "beside a timestamp is its first moment. Negative if the second is earlier."),),
    "bands": (_OF, Key("bands",
        array({"type": "number"}, minItems=2, maxItems=MOST_BANDS + 1), REQUIRED,
        f"*Text:* the label of the band that a number is in. Bands lie between increasing numbers, "
        f"{MOST_BANDS:,} at most; each holds its lower bound, the last one both. Between whole "
        "numbers labels may be left out: `[0, 18, 65]` gives 0-17 and 18-65."),
        Key("labels", array(NAME, minItems=1, uniqueItems=True), "none", "")),
    **{each: (Key(each, OPERANDS, REQUIRED, _OF_TWO_NUMBERS),) for each in _OPERATIONS},
    "condition": (Key("condition", Type({"$ref": "#/$defs/condition"}), REQUIRED,
        "*Boolean:* whether `[column, operator, value]`, as in `where`, is true."),),
})  # fmt: skip
"""The forms of a derived column: the key that says how, and the keys beside it."""

ADVERSARY = (
    Key("prior", pair("two numbers in [0, 1]", minimum=0, maximum=1), "`[0.0, 1.0]`",
        "What the adversary may believe beforehand about anybody's membership, from the least to "
        "the most. A narrower range allows less noise for the same target, and covers "
        "fewer adversaries. A point is written twice: `[0.5, 0.5]`.", others="belief"),
    Key("household_size", integer(minimum=1, maximum=MOST_PEOPLE), "none",
        "How many people belong together at most. The target then holds for each of them, "
        "whatever ties their memberships. [Which targets](#households).", others="family-size"),
    Key("correlation", Type({"$ref": "#/$defs/correlation"}, "`{ odds_ratio = … }`, "
        "`{ icc = … }` or `{ difference = … }`"), "tied in any way",
        "With `household_size`: how far they are tied at most. It allows less noise, and nobody "
        "can check it."),
)  # fmt: skip
CORRELATION = (
    Key("odds_ratio", number(minimum=1), "",
        "Given all other memberships of the household, one person's membership changes the odds "
        "of another's by at most this factor. Every combination of memberships is possible."),
    Key("icc", number(minimum=0, maximum=1), "",
        "The largest intra-class correlation. Households differ in their inclination to take "
        "part, by a beta law. Given it, each member decides alone."),
    Key("difference", number(minimum=0, maximum=1), "",
        "The largest change, in total variation, of the distribution of the others' memberships "
        "by whether the person is in."),
)  # fmt: skip
WHO_KNOWS = (
    Key("knows", Type({"const": "population"}), "",
        "The adversary of `[target]` knows the list of members and not who was drawn. What "
        "everybody else may come to believe is in `[floor]`, which is then required."),
    Key("population", TEXT, "",
        "The list: a Parquet or CSV file, a row or an entity a member, with every column that the "
        "plan uses in the data's types. Looked up beside the plan; withheld from the published "
        "plan. A CSV file is read with the types and texts of the data."),
    Key("values_are_public", Type({"const": True}), "",
        "Required: the members' values in these columns are already public. They decide the "
        "noise."),
)  # fmt: skip

LAPLACE = "laplace"
NOISES = ("gaussian", LAPLACE)  # what a plan with δ may add to numbers

WORLDS = (
    Key("rho", CHANCE, REQUIRED, "The largest probability of one of them afterwards."),
    Key("worlds", integer(minimum=2), REQUIRED, "How many equally likely tables there are."),
)
TARGET = (
    Key("gamma", number(minimum=1), "",
        "No belief within the prior grows by more than this factor, and no doubt shrinks by "
        "more."),
    Key("max_posterior", CHANCE, "",
        "No belief that starts at or below the prior's upper end exceeds this.",
        others="posterior"),
    Key("attack_success", CHANCE, "",
        "Nobody who has even odds beforehand guesses right more often.", others="success"),
    Key("advantage", number(minimum=0, exclusiveMaximum=1), "",
        "No attack's rate of hits exceeds its rate of false alarms by more."),
    Key("identifiability", Type({}, "`{ rho = …, worlds = … }`"), "",
        "Differential identifiability: among so many equally likely tables (at least 2), none "
        "becomes more probable than rho."),
    Key("epsilon", POSITIVE, "", "A budget of differential privacy outright.", others="eps"),
    Key("delta", CHANCE, "",
        "Allows discrete Gaussian noise, which is smaller if a query has many cells. With "
        "`gamma`, `max_posterior` and `identifiability` the target then holds for each entity "
        "except with this probability, given that the entity is in the data, for every prior "
        "within the range; with `epsilon` the release is (ε, δ)-differentially private; with "
        "`attack_success` and `advantage` the target holds as it stands. Left out: pure ε, and no "
        "exception."),
    Key("noise", one_of(NOISES), '`"gaussian"`',
        'With unknown keys: what is added to numbers. With `"laplace"` all of δ is for the keys '
        "that only one entity has, and noise has pure ε: less of it where an entity has one or two"
        " rows, more where it has many. `deniable plan` says how much."),
)  # fmt: skip

LIMITS = (
    Key("rows_per_entity", integer(minimum=1, maximum=MOST_ROWS), "none",
        "Of each entity at most this many rows are used in the whole plan, drawn by a secret hash "
        "before any filter. The noise grows with it; the rows that fall away grow as it shrinks.",
        others="rows max-rows"),
    Key("rows_per_household", integer(minimum=1, maximum=MOST_ROWS), "none",
        "The same for each household, if `[data]` names one."),
)  # fmt: skip

SIMPLE_RANDOM = "simple-random"
"""The only design that there are intervals for."""
MOST_SAMPLED = 2**27
"""Units: a test then adds up some 80,000 probabilities, and an interval takes a tenth of a second.
"""
MOST_UNITS = 2**53
"""The largest size of a population: whole numbers up to this are exact in float64."""

SAMPLE = (
    Key("design", one_of((SIMPLE_RANDOM,)), REQUIRED,
        "How the sample was drawn: every set of so many units of the population was equally "
        "likely to be drawn, none of them twice. Not a panel, a quota, a sample of clusters, or "
        "those who answered. Nobody can check it: it is the releaser's word."),
    Key("size", integer(minimum=1, maximum=MOST_SAMPLED), REQUIRED,
        "How many were drawn: the entities of the table, or its rows where each is one. Another "
        "number in the table is an error."),
    Key("population", integer(minimum=1, maximum=MOST_UNITS), REQUIRED,
        "How many they were drawn from, and so at least `size`."),
)  # fmt: skip

_FRACTION = r"^\s*[0-9]{1,6}\s*/\s*[0-9]{1,6}\s*$"
LEDGER = (
    Key("file", TEXT, "this or `url`",
        "The ledger's file; a relative path is looked up beside the plan. Withheld from the "
        "published plan."),
    Key("url", TEXT, "this or `file`",
        'Instead, a PostgreSQL database: `"postgresql://USER@HOST/DATABASE"`, without a password. '
        "Withheld too."),
    Key("dataset", Type({**STRING, "maxLength": 200}), REQUIRED,
        "The ledger's name for these people. Public: it is in the certificate."),
    Key("share", Type({"anyOf": [{**STRING, "pattern": _FRACTION},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 1}]},
        '`"1/3"`, or a number, above 0 and at most 1'), "none",
        "Instead of a target: how much of the dataset's budget the plan spends. Published, with "
        "the target that it became."),
)  # fmt: skip

_WORDS = {
    "title": "The report's heading, and the title of its window.",
    "organisation": "Who publishes.",
    "study": "The study that the numbers come from, if the title does not name it.",
    "contact": "Whom to ask.",
    "text": "What a reader should know, below the first lines. An empty line begins a new "
    "paragraph.",
}
REPORT = tuple(
    Key(name, Type({**STRING, "maxLength": LONGEST[name]}), "none", meaning)
    for name, meaning in _WORDS.items()
)

KEY_FILE = (
    Key("file", TEXT, REQUIRED, "Where the keys are, beside the plan."),
    Key("type", one_of(TYPES), '`"text"`', "What they are read as."),
)

QUERY = (
    Key("name", TEXT, REQUIRED, "What the result is called; each name once."),
    Key("statistic", TEXT, REQUIRED, "What is published; see below.", others="stat"),
    Key("group_by", COLUMNS, "none",
        "One result for each combination of their keys, the last column running fastest. Not with "
        "`top`.", others="by groups"),
    Key("keys", table_of(KEYS_OF_A_COLUMN, 'table of column = list, range or `"unknown"`'),
        "with `group_by`",
        "The public values of each of these columns, all of one kind and each once. Rows with "
        "other values take no part. A key that no row has is published like any other, as noise: "
        'whether it occurs stays secret. With `"unknown"`, for `entities` and with a δ, keys are '
        "those of the table whose noisy number reaches a threshold.", others="values categories"),
    Key("where", array({"$ref": "#/$defs/condition"}, "list of conditions"), "none",
        "A row takes part if all of them hold.", others="filter condition conditions"),
    Key("max_contribution", POSITIVE, "none",
        "Instead of `rows_per_entity`, for `count`, `sum` and `histogram`, with an entity column: "
        "everything that an entity adds to this query, over all its cells, is scaled down to this "
        "total. In the unit of the sum, or in rows."),
    Key("weight", POSITIVE, "`1`",
        "The query's share of the budget, relative to the others'. Twice the weight means about "
        "half the noise."),
    Key("precision", POSITIVE, "none",
        "Instead of a weight, in every query of a plan: the 95 % half-width that is wanted, in "
        "the unit of what is published; of a `crosstab` or a `tree`, of each of its numbers. For "
        "`count`, `entities`, `sum`, `histogram`, `crosstab` and `tree`, whose error does not "
        "depend on the data. "
        "A target that does not allow it is refused (exit status 3), and `deniable plan --solve` "
        "says which one does."),
)  # fmt: skip
"""What every query may have."""

COLUMN_READ = Key("column", COLUMN, REQUIRED,
    "What is summed, averaged or counted; a column of numbers except for `top`. Rows without a "
    "value in it, NaN included, take no part.")  # fmt: skip
BOUNDS = Key("bounds", pair("two finite numbers, increasing"), REQUIRED,
    "Values outside move to the nearer end, even infinite ones. Noise grows with the larger "
    "bound's size, so do not choose them wider than public knowledge demands. They also fix the "
    "public grid that values are rounded to, the largest bound over about 2²⁴. The half-widths of "
    "means, variances, regressions and of sums whose bounds are both above 0, or both below, "
    "count that rounding. A sum with 0 at an end of its bounds or between them is of rounded "
    "values, each by half a step at most, and so is a sum that is scaled.",
    "limits range clip")  # fmt: skip
"""Keys of several statistics; each has its own beside them (`Statistic.KEYS`)."""

TABLES: Mapping[str, tuple[Key, ...]] = MappingProxyType({
    "data": DATA, "columns": (), "adversary": ADVERSARY + WHO_KNOWS, "target": TARGET,
    "floor": TARGET, "limits": LIMITS, "sample": SAMPLE, "ledger": LEDGER, "report": REPORT,
    "keys": (), "query": QUERY,
})  # fmt: skip
"""The tables of a plan; those without keys have names of columns in their place."""

CONTINUE = "continue"
"""A folder in a plan, a table in a published one."""
TOP = (Key(CONTINUE, TEXT, "none", "Folder of the release whose running counts go on."),)
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
            refused = queries_of.STATISTICS[kind].REFUSED
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
