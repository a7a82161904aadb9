"""A first plan for a source: what its schema says, with blanks for what it cannot say."""

import os
import shlex
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from deniable.errors import InvalidArgument, PlanError
from deniable.publish.plan import (
    PlanTable,
    PlanText,
    format_key,
    parse_plan,
    quote_text,
    read_dialect,
    read_location,
    with_files_read,
)
from deniable.publish.sources import (
    DELIMITERS,
    MEMORY,
    Kind,
    Source,
    files,
    frame_of,
    holds_texts,
    is_csv,
    other_encoding,
    reader_of,
    schema,
)

_HERE = Path()
_NUMERIC = (Kind.INTEGER, Kind.NUMBER)
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)
_KEYED = (Kind.TEXT, Kind.BOOLEAN, Kind.INTEGER, Kind.DATE)
_TAB = r"\t"  # a tab, as people can type it
_TEXTS = tomllib.loads(Path(__file__).with_name("skeleton.toml").read_text("utf-8"))
_BELIEFS: Mapping[str, str] = _TEXTS["beliefs"]


def new(
    source: object,
    base: str | os.PathLike[str] = _HERE,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> str:
    """Return a plan to fill in, made from the schema alone.

    Parameters
    ----------
    source : str, path or data frame
        The source as a plan writes it, the table itself as `release` takes it, or a plan that
        has been begun, whose name ends in .toml: what it lacks is added to it.
    base : path
        The folder that a relative source is looked up in, where the plan will stand.
    delimiter, encoding, decimal : str, optional
        How a CSV file is written, as in ``[data.csv]``; nothing is guessed.

    Returns
    -------
    str
        A TOML text with every column, and target, bounds or keys blank; `read_plan` names the
        blanks one by one.

    Raises
    ------
    PlanError
        If the source is not there or has no schema, an option is none, or what was begun is no
        plan.
    InvalidArgument
        If an option stands beside a source that is no CSV file.
    """
    options = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    if delimiter == _TAB:
        options["delimiter"] = "\t"
    written = {key: value for key, value in options.items() if value is not None}
    place = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    folder = Path(base)
    if place is not None and Path(place).suffix.lower() == ".toml":
        _refuse_options(written, "a plan, which says it in [data.csv]")
        return _complete(folder / place)
    location = MEMORY if place is None else place
    frame = frame_of(source) if place is None else None
    dialect = read_dialect(PlanTable("the options", "", {"csv": written} if written else {}))
    table = Source(location, folder, frame=frame, dialect=dialect)
    if not is_csv(table):
        _refuse_options(written, "a source that is no CSV file")
    kinds = _schema(table, encoding)
    entity = _entity(kinds)
    texts = holds_texts(table)
    objects = () if frame is None else frame.objects()
    are_guesses = frame is not None and frame.TAKES_TYPES
    stated = _columns(kinds, reader_of(table).notes(), objects, are_guesses=are_guesses)
    line = ["deniable", "new", location]
    line += [word for key, value in written.items() for word in (f"--{key}", value)]
    lines = "".join(f"{key} = {quote_text(value)}\n" for key, value in written.items())
    dialect_table = f"[data.csv]\n{lines}\n" if written else ""
    columns = f"{_TEXTS['nulls']}\n{dialect_table}{_types(kinds, line)}" if texts else stated
    data = _TEXTS["data"].format(source=quote_text(location), entity=quote_text(entity))
    data += columns
    rest = [
        _derived(kinds, entity),
        _shared_keys(kinds, entity),
        *_BELIEFS.values(),
        _TEXTS["report"],
    ]
    return "\n".join([_TEXTS["head"], data, *rest, *_queries(kinds, entity, texts)])


def _schema(table: Source, encoding: str | None) -> Mapping[str, Kind]:
    """The columns, with the option that may be missing where a header is in another encoding."""
    try:
        return schema(table)
    except PlanError as error:
        if is_csv(table) and (other := other_encoding(files(table)[0], table.dialect)):
            instead = (encoding, other) if encoding else ("", f"--encoding {other}")
            raise PlanError(str(error), instead=instead) from None
        raise error


def _refuse_options(written: Mapping[str, str], got: str) -> None:
    if written:
        raise InvalidArgument(
            f"Expected a CSV file with {' and '.join(written)}, got {got}. Leave it out."
        )


def _complete(path: Path) -> str:
    """A plan that was begun, and after it what it lacks: columns, target, a first query."""
    begun = PlanText.of(path)
    top = with_files_read(parse_plan(begun.text, begun.name), path.parent)
    data = top.table("data")
    source = read_location(data, path.parent)
    kinds, texts = schema(source), holds_texts(source)
    entity = data.text("entity") if "entity" in data else _entity(kinds)
    parts = [begun.text.rstrip("\n") + "\n"]
    if texts and "types" not in data:
        parts.append(_types(kinds))
    else:
        parts.append(_columns(kinds, reader_of(source).notes()))
    parts += [_derived(kinds, entity)] if "columns" not in top else []
    parts += [_shared_keys(kinds, entity)] if "keys" not in top else []
    if "target" not in top:  # beside one that is there, another adversary would change its meaning
        parts += [text for name, text in _BELIEFS.items() if name not in top]
    parts += [_TEXTS["report"]] if "report" not in top else []
    if "query" not in top:
        parts.extend(_queries(kinds, entity, texts))
    return "\n".join(parts)


def _entity(kinds: Mapping[str, Kind]) -> str:
    """A column that might name the entity: the first that holds words or whole numbers."""
    likely = [column for column, kind in kinds.items() if kind in (Kind.INTEGER, Kind.TEXT)]
    return likely[0] if likely else "person"


def _columns(
    kinds: Mapping[str, Kind],
    notes: Mapping[str, str],
    objects: Collection[str] = (),
    *,
    are_guesses: bool = False,
) -> str:
    """Columns and their kinds; where these are guesses, the owner may say what they are."""
    lines = [
        f"#   {quote_text(column)}: {_OBJECTS if column in objects else _KINDS.get(kind, kind)}"
        + "".join(f"; {note}" for note in (notes.get(column),) if note)
        for column, kind in kinds.items()
    ]
    if are_guesses:
        known = {column: kind for column, kind in kinds.items() if kind is not Kind.OTHER}
        lines += [
            "",
            _TEXTS["declare"],
            *(f'# {format_key(each)} = "{of}"' for each, of in known.items()),
        ]
    return "\n".join(["", "# Columns of the source:", *lines, ""])


def _types(kinds: Mapping[str, Kind], line: Sequence[str] = ()) -> str:
    lines = [f'# {format_key(column)} = "text"' for column in kinds]
    return "\n".join([_TEXTS["csv"], *lines, *_suspicion(kinds, line), ""])


def other_delimiter(columns: Collection[str]) -> str | None:
    """The mark by which a file seems to be separated that has one column, with marks in its name.

    >>> other_delimiter(["person;age"])
    ';'
    """
    name = next(iter(columns)) if len(columns) == 1 else ""
    return next((mark for mark in DELIMITERS if mark in name), None)


def _suspicion(kinds: Mapping[str, Kind], line: Sequence[str]) -> Iterable[str]:
    """What the name of an only column says about the delimiter; the owner decides.

    `line` is what was typed, where a plan was made anew.
    """
    if (mark := other_delimiter(kinds)) is not None:
        yield ""
        seems, said = f"# The file seems to be separated by {quote_text(mark)}.", "delimiter = "
        if any(word.startswith("--") for word in line):  # [data.csv] is written
            yield f"{seems} If so, add to [data.csv]: {said}{quote_text(mark)}"
        else:
            yield f"{seems} If so, say it here:"
            yield "# [data.csv]"
            yield f"# {said}{quote_text(mark)}"
        if line and "".join(line).isprintable():
            words = [*line, "--delimiter", _TAB if mark == "\t" else mark]
            yield f"# Or begin again: {shlex.join(words)}"


def _derived(kinds: Mapping[str, Kind], entity: str) -> str:
    """One column computed from another, by way of example."""
    moments = [column for column, kind in kinds.items() if kind in _MOMENTS]
    numbers = [column for column, kind in kinds.items() if kind in _NUMERIC and column != entity]
    texts = [column for column, kind in kinds.items() if kind is Kind.TEXT and column != entity]
    if moments or not numbers:
        dated = [column for column in texts if any(word in column.lower() for word in _DATED)]
        column = (moments or dated or texts or ["admitted"])[0]
        example = f'month = {{ of = {quote_text(column)}, part = "month" }}  # of a date'
    else:
        example = f"band = {{ of = {quote_text(numbers[0])}, bands = [0, 18, 65, 120] }}"
    return f"# [columns]  # each computed from other columns of the same row\n# {example}\n"


def _shared_keys(kinds: Mapping[str, Kind], entity: str) -> str:
    """Say where keys of several queries are listed once."""
    usable = [column for column, kind in kinds.items() if kind in _KEYED and column != entity]
    column = (usable or ["ward"])[0]
    return f"# [keys]  # public values of columns to group by\n# {format_key(column)} = []\n"


def _queries(kinds: Mapping[str, Kind], entity: str, csv: bool) -> Iterable[str]:
    """One query to fill in, and examples of the others as comments."""
    numeric = [column for column, kind in kinds.items() if kind in _NUMERIC]
    numeric.sort(key=lambda column: column == entity)  # The entity's number comes last.
    usable = [column for column, kind in kinds.items() if kind is not Kind.OTHER]
    others = [column for column in usable if column != entity] or usable
    queries = [_mean(column) for column in numeric]
    if not numeric and (csv or not usable):
        queries = [_mean("")]
    if others:
        example = f'[[{quote_text(others[-1])}, "==", {_EXAMPLES[kinds[others[-1]]]}]]'
        condition = f"where = {example}  # or !=, <, <=, >, >=, in, not in\n"
        queries += [_count(others[0]), _count(others[0], condition)]
    yield queries[0]
    for query in queries[1:]:
        yield "".join(f"# {line}\n" for line in query.splitlines())


def _mean(column: str) -> str:
    choose = "" if column else "  # fill in a column of numbers"
    name = quote_text(f"mean of {column}".removesuffix(" of "))
    return str(_TEXTS["mean"].format(name=name, column=quote_text(column), choose=choose))


def _count(column: str, condition: str = "") -> str:
    name = quote_text(f"rows by {column}" + ", under a condition" * bool(condition))
    quoted, key = quote_text(column), format_key(column)
    return str(_TEXTS["count"].format(name=name, column=quoted, key=key, condition=condition))


_KINDS = {Kind.OTHER: "of a type that a plan cannot use"}

_EXAMPLES = {
    Kind.INTEGER: "0", Kind.NUMBER: "0.0", Kind.TEXT: '"a"', Kind.BOOLEAN: "true",
    Kind.DATE: "2024-01-31", Kind.TIMESTAMP: "2024-01-31T12:00:00",
}  # fmt: skip
"""A value of each kind, as TOML writes it."""

_OBJECTS = "Python objects: text, or what [data.types] says"
_DATED = ("date", "day", "time", "datum", "tag", "admi")
"""What names of columns of dates hold, in files in which all columns are texts."""
