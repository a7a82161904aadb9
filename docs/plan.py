"""A plan's keys in the reference, and their JSON Schema; `python docs/plan.py` writes both.

The source says what a key is, and plan_keys.toml what it means.

On the page a table stands below its mark, `<!-- keys: NAME -->`, and all else is written by hand.
"""

import json
import re
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, too

from deniable.publish.plan import known_keys as declared
from deniable.publish.plan.households import REASONS
from deniable.publish.plan.known_keys import REQUIRED, Key, Schema, Type
from deniable.publish.query import OPERATORS, STATISTICS
from docs.tables import head, row, with_tables

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "plan.md"
SCHEMA = ROOT / "src" / "deniable" / "certificate" / "plan_schema.json"
MEANINGS = ROOT / "docs" / "plan_keys.toml"
WIDTH = 100
"""Characters of a line of the schema."""

# --- What keys mean.

_TABLES: Mapping[str, Iterable[Key]] = {
    **{name: declared.TABLES[name] for name in (
        "target", "limits", "sample", "ledger", "report", "query")},
    "data": declared.DATA, "data.csv": declared.CSV, "adversary": declared.ADVERSARY,
    "correlation": declared.CORRELATION, "who knows": declared.WHO_KNOWS,
    "worlds": declared.WORLDS, "key file": declared.KEY_FILE, "before all": declared.TOP,
    "columns": [key for form in declared.FORMS.values() for key in form],
    **{f"statistic {word}": made.KEYS for word, made in STATISTICS.items()},
}  # fmt: skip
"""The keys of each table of plan_keys.toml; one that several statistics share is in one of them."""


def _meanings() -> dict[Key, str]:
    """What each key means."""
    texts = tomllib.loads(MEANINGS.read_text(encoding="utf-8"))
    said = {
        key: " ".join(texts[table][key.name].split())
        for table, keys in _TABLES.items()
        for key in keys
        if key.name in texts.get(table, {})
    }
    unread = {(table, name) for table, keys in texts.items() for name in keys} - {
        (table, key.name) for table, keys in _TABLES.items() for key in keys
    }
    if unread:
        raise ValueError(f"Expected keys of plans in {MEANINGS.name}, got {sorted(unread)} too.")
    return said


_MEANINGS = _meanings()


def meaning(key: Key) -> str:
    """What a key means, in Markdown; empty where another key of its form says it."""
    return key.meaning or _MEANINGS.get(key, "")


# --- The tables of the page.


def page(text: str) -> str:
    """The page with each table anew."""
    alone = ("crosstab", "survival", "tree")
    own = _own_keys(STATISTICS.keys() - alone)
    return with_tables(
        text,
        "keys",
        {
            "data": _rows(declared.DATA),
            "data.csv": _rows(declared.CSV),
            "columns": _forms(),
            "adversary": _rows(declared.ADVERSARY),
            "correlation": _rows(declared.CORRELATION),
            "households": _refusals(),
            "who knows": _rows(declared.WHO_KNOWS),
            "target": _rows(declared.TARGET),
            "limits": _rows(declared.LIMITS),
            "sample": _rows(declared.SAMPLE),
            "ledger": _rows(declared.LEDGER),
            "report": _rows(declared.REPORT),
            "query": _rows(_query()),
            "statistics": _statistics(),
            "own": _rows(own, own),
            **{word: _rows(STATISTICS[word].KEYS) for word in alone},
        },
    )


_REFUSED = {
    "public-number": "`household_size` under `replace-one`",
    "two-units": "`household_size` with `household`",
    "member-list": '`household` or `household_size` with `knows = "population"`, and so with '
    "`[floor]`",
    "one-size": "`identifiability` with `household_size`, or with `household` under `add-remove`",
    "unknown-keys": '`"unknown"` as keys, with `household_size`, or with `household` under '
    "`add-remove`",
    "model-with-delta": "`icc` or `difference` with `delta`",
    "advantage-with-delta": "`odds_ratio` with `delta` and `attack_success` or `advantage`",
}
"""What is refused, by the code of its reason."""


def _refusals() -> Iterator[str]:
    """What is refused of plans about households, and why."""
    yield head("refused", "why, and what to do")
    yield from (row(_REFUSED[code], REASONS[code]) for code in REASONS)


def _own_keys(words: Collection[str]) -> dict[Key, list[str]]:
    """The keys of statistics, each once, with the words of those that have it."""
    keys: dict[Key, list[str]] = {}
    for word, made in STATISTICS.items():
        for key in made.KEYS if word in words else ():
            keys.setdefault(key, []).append(word)
    return keys


def _query() -> list[Key]:
    """The keys that every query may have, with the words for statistics."""
    words = declared.one_of(STATISTICS)
    return [
        attrs.evolve(key, type=words, meaning=meaning(key)) if key.name == "statistic" else key
        for key in declared.QUERY
    ]


def _rows(keys: Iterable[Key], statistics: Mapping[Key, list[str]] | None = None) -> Iterator[str]:
    keys = list(keys)
    columns = {
        "key": [f"`{key.name}`" for key in keys],
        "statistics": [", ".join((statistics or {}).get(key, ())) for key in keys],
        "type": [_words(key.type) for key in keys],
        "default": [key.default for key in keys],
        "meaning": [meaning(key) for key in keys],
    }
    if statistics is None:
        del columns["statistics"]
    if not any(columns["default"]):
        del columns["default"]
    yield head(*columns)
    yield from map(row, *columns.values())


def _words(kind: Type) -> str:
    """What a value may be."""
    if kind.words:
        return kind.words
    match kind.schema:
        case {"enum": words}:
            *others, last = (f'`"{each}"`' for each in words)
            return f"{', '.join(others)} or {last}" if others else last
        case {"const": value}:
            return f"`{json.dumps(value)}`"
        case {"additionalProperties": schema}:
            return f"table of column = {_words(Type(schema))}"
        case {"type": "string", **limits}:
            return f"text, at most {limits['maxLength']:,} characters" if limits else "text"
        case {"type": "boolean"}:
            return "truth value"
        case {"type": "array"}:
            return "list of texts"
        case {"type": "integer", **limits}:
            return f"whole number{_range(limits)}"
        case {"type": "number", **limits}:
            return f"number{_range(limits)}"
    raise ValueError(f"Expected words for the type {kind.schema}, got none.")


def _range(limits: Schema) -> str:
    match limits:
        case {"minimum": low, "maximum": high}:
            return f" from {_size(low)} to {_size(high)}"
        case {"minimum": low, "exclusiveMaximum": high}:
            return f" in [{low}, {high})"
        case {"exclusiveMinimum": low, "exclusiveMaximum": high}:
            return f" between {low} and {high}"
        case {"minimum": low}:
            return f" ≥ {low}"
        case {"exclusiveMinimum": low}:
            return f" > {low}"
    return ""


def _size(number: int) -> str:
    """A large power of two as one."""
    exponent = number.bit_length() - 1
    if number < 1024 or number != 1 << exponent:
        return str(number)
    return f"2{str(exponent).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _forms() -> Iterator[str]:
    """What derives a column, with all ways that mean the same in one row."""
    yield head("keys", "what it is")
    keys: dict[str, list[str]] = {}
    for form in declared.FORMS.values():
        (text,) = (meaning(key) for key in form if meaning(key))
        keys.setdefault(text, []).extend(f"`{key.name}`" for key in form)
    yield from (row(", ".join(names), text) for text, names in keys.items())


def _statistics() -> Iterator[str]:
    yield head("statistic", "keys", "publishes")
    for name, made in STATISTICS.items():
        keys = ", ".join(f"`{key.name}`" for key in made.KEYS)
        yield row(f"`{name}`", keys, made.PUBLISHES)


# --- The schema. What keys mean together stands here; all else follows from the keys.

_PUBLIC = "A public value: a text, a number, a truth value; a date or a time as TOML writes it."
_EITHER = [{"required": [key.name]} for key in declared.TARGET if key.name != "delta"]
_DELTA_ALONE = {"required": ["delta"], "maxProperties": 1}


def schema() -> Schema:
    """The JSON Schema of a plan."""
    tables = {name: _object(keys) for name, keys in declared.TABLES.items() if name != "query"}
    tables["data"]["properties"]["csv"] |= _object(declared.CSV)
    for name in ("target", "floor"):
        tables[name]["properties"]["identifiability"] |= _object(declared.WORLDS)
    tables["target"]["oneOf"] = [*_EITHER, _DELTA_ALONE]
    tables["floor"]["oneOf"] = _EITHER
    columns = {"oneOf": [_object(form) for form in declared.FORMS.values()]}
    tables["columns"] = {
        "description": "Columns that are computed from others of the same row, by name.",
        "type": "object", "maxProperties": declared.MOST_COLUMNS, "additionalProperties": columns,
    }  # fmt: skip
    tables["keys"] = {
        "description": "Keys that several queries share, by column.",
        "type": "object", "additionalProperties": declared.KEYS_OF_A_COLUMN,
    }  # fmt: skip
    query = _object(_query(), _own_keys(STATISTICS))
    query["properties"]["keys"] = {
        "anyOf": [query["properties"]["keys"], _object(declared.KEY_FILE)]
    }
    tables["query"] = {"type": "array", "minItems": 1, "maxItems": declared.MOST_QUERIES}
    tables["query"]["items"] = query
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:deniable:plan:1",
        "title": "Deniable plan",
        "description": "What a plan (TOML) may hold, as a reader of TOML gives it, with dates and "
        "times as ISO 8601 texts. Which keys mean something together, and which columns there "
        "must be, deniable plan says.",
        "type": "object",
        "additionalProperties": False,
        "required": ["data", "query"],
        "anyOf": [
            {"required": ["target"], "properties": {"target": {"not": _DELTA_ALONE}}},
            {"required": ["ledger"], "properties": {"ledger": {"required": ["share"]}}},
        ],
        "properties": _object(declared.TOP)["properties"] | tables,
        "$defs": {
            "keys": {"anyOf": [
                {"type": "array", "minItems": 1, "items": {
                    "description": _PUBLIC, "type": ["string", "number", "boolean"]}},
                _object(declared.KEY_FILE),
                {"description": "Nobody knows the keys beforehand; for entities, with delta.",
                 "const": "unknown"},
                {"description": "A range of calendar parts or of days, such as 2024-01..2024-12.",
                 "type": "string", "pattern": r"\.\."},
            ]},
            "condition": {"type": "array", "minItems": 3, "maxItems": 3, "prefixItems": [
                {"type": "string"}, {"enum": list(OPERATORS)}]},
            "operands": {"description": "Two columns, or a column and a number.", "type": "array",
                "minItems": 2, "maxItems": 2, "items": {"type": ["string", "number"]}},
            "correlation": _object(declared.CORRELATION) | {"minProperties": 1, "maxProperties": 1},
        },
    }  # fmt: skip


def _object(keys: Iterable[Key], own: Iterable[Key] = ()) -> Schema:
    """A table with these keys; of two of one name, for other statistics, the first describes it."""
    properties: Schema = {}
    keys = list(keys)
    for key in (*keys, *own):
        said = {"description": _plain(text)} if (text := meaning(key)) else {}
        properties.setdefault(key.name, said | key.type.schema)
    required = [key.name for key in keys if key.default == REQUIRED]
    result: Schema = {"type": "object", "additionalProperties": False}
    return result | ({"required": required} if required else {}) | {"properties": properties}


def _plain(markdown: str) -> str:
    """Without links and marks."""
    return re.sub(r"\[((?:\\.|[^\\\]])*)\]\([^)]*\)", r"\1", markdown).replace("\\", "")


def written(value: object, indent: str = "") -> str:
    """JSON, with what fits into a line on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = f"{indent}  "
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {written(each, inner)}" for name, each in value.items()]
    else:
        items = [written(each, inner) for each in value]
    lines = "".join(f"{inner}{item},\n" for item in items).removesuffix(",\n")
    return f"{line[0]}\n{lines}\n{indent}{line[-1]}"


def main() -> None:
    """Write the page and the schema."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SCHEMA.write_text(f"{written(schema())}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
