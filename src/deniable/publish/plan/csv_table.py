"""[data.csv], `trim`, `fold` and `recode` of a plan: how texts are written and what they mean."""

import datetime
import itertools
from collections.abc import Callable, Iterable, Mapping

import attrs

from deniable.publish import sources
from deniable.publish.plan.schema import Use, check_column
from deniable.publish.plan.spelling import format_key, format_toml_value, quote_text, suggestion
from deniable.publish.plan.table import PlanTable
from deniable.publish.query import Scalar

CLEANING = ("trim", "fold", "recode")  # keys of [data] that say what becomes of texts

MOST_RECODED = 1000  # each text of a column is compared with all of these


def read_dialect(data: PlanTable) -> sources.Dialect:
    """How [data.csv] says that the files are written."""
    if "csv" not in data:
        return sources.Dialect()
    table = PlanTable(data.file, "[data.csv]", data.table("csv").entries)
    quote = _mark(table, "quote", '"', empty=True)
    dialect = sources.Dialect(
        delimiter=_mark(table, "delimiter", "", empty=False) if "delimiter" in table else None,
        quote=quote,
        escape=_mark(table, "escape", quote, empty=False) if "escape" in table else quote,
        encoding=_encoding(table),
        decimal=_mark(table, "decimal", ".", empty=False),
        thousands=_mark(table, "thousands", "", empty=True, ascii_only=False),
        date_format=_format(table, "date_format"),
        timestamp_format=_format(table, "timestamp_format"),
        columns=_columns(table),
    )
    if not dialect.quote and "escape" in table:
        raise table.error("escape", "quotation marks to escape", 'quote = ""', "Remove escape.")
    # Left out, the delimiter depends on the file's name.
    delimiters = [",", "\t"] if dialect.delimiter is None else [dialect.delimiter]
    meanings = [*(("delimiter", mark) for mark in delimiters), ("quote", dialect.quote)]
    if dialect.escape != dialect.quote:
        meanings.append(("escape", dialect.escape))
    numbers = [("decimal", dialect.decimal), ("thousands", dialect.thousands)]
    for group in (meanings, numbers):
        seen: dict[str, str] = {"+": "a sign", "-": "a sign"} if group is numbers else {}
        for key, mark in group:
            if mark and mark in seen:
                got = f"{quote_text(mark)}, which is {seen[mark]} too"
                place = key if key in table else next(k for k, m in group if m == mark)
                raise table.error(place, "a character of its own", got)
            seen[mark] = f"the {key}"
    return dialect


def read_cleaning(data: PlanTable) -> sources.Cleaning:
    """What [data] says becomes of texts."""
    trim, fold = (data.texts(key) if key in data else () for key in ("trim", "fold"))
    cleaning = sources.Cleaning(trim, fold)
    recode: dict[str, Mapping[str, str]] = {}
    if "recode" in data:
        for column in (tables := data.table("recode")).entries:
            recode[column] = _read_recode(tables.table(column), column, cleaning)
    return attrs.evolve(cleaning, recode=recode)


def _read_recode(table: PlanTable, column: str, cleaning: sources.Cleaning) -> dict[str, str]:
    if len(table.entries) > MOST_RECODED:
        raise table.error("", f"at most {MOST_RECODED} texts to recode", str(len(table.entries)))
    result: dict[str, str] = {}
    for text, meaning in table.entries.items():
        if not isinstance(meaning, str):
            remedy = f"Write {quote_text(str(meaning))} in quotation marks."
            remedy = remedy if meaning == meaning else ""
            raise table.value_error(text, "a text to recode to", meaning, remedy)
        spelled = cleaning.spelled(column, text)
        if spelled != text:
            remedy = f"Write {quote_text(spelled)}: the column is trimmed and folded first."
            raise table.error(text, "a text that trim and fold leave", quote_text(text), remedy)
        result[text] = meaning
    return result


def check_cleaning(
    data: PlanTable, source: sources.Source, kinds: Mapping[str, sources.Kind]
) -> None:
    """Refuse columns that are not there or hold no texts, and texts to recode that no cell has."""
    cleaning = source.cleaning
    for key, columns in zip(
        CLEANING, (cleaning.trim, cleaning.fold, tuple(cleaning.recode)), strict=True
    ):
        for column in columns:
            place = f"recode.{format_key(column)}" if key == "recode" else key
            kind = check_column(data, place, column, kinds)
            if not sources.holds_texts(source) and kind is not sources.Kind.TEXT:
                raise data.error(
                    place, "a column of text", f"{quote_text(column)} of the kind {kind}",
                    "Remove it, or change the source.",
                )  # fmt: skip
    for column, texts in cleaning.recode.items():
        for text in texts:
            if not _can_be_spelled(source, column, text):
                place = f"recode.{format_key(column)}"
                raise data.error(place, *_no_cell(source, column, text))


def keep_spelling(source: sources.Source, used: Iterable[Use]) -> sources.Source:
    """Let a key of a folded column be met in any letters, and published as the plan spells it."""
    # What cells are folded to is recoded to the plan's spelling. No two texts become one by it, for
    # a key with a capital letter is no folded text.
    cleaning = source.cleaning
    kept: dict[str, dict[str, str]] = {}
    for use in used:
        for value in use.values if use.is_compared and use.column in cleaning.fold else ():
            if not isinstance(value, str) or cleaning.leaves(use.column, value):
                continue
            folded = cleaning.spelled(use.column, value)
            means_another = folded in (*source.nulls, *cleaning.recode.get(use.column, {}))
            if len(folded) != len(value) or means_another:
                continue  # blanks that are trimmed, or a text that means another or no value
            before = kept.setdefault(use.column, {}).setdefault(folded, value)
            if before != value:
                got = f"{quote_text(before)} and {quote_text(value)}"
                remedy = f"fold takes them for one. Write {quote_text(before)} everywhere."
                raise use.error("one spelling of each key", got, remedy)
    for column, texts in kept.items():
        if len(texts) > MOST_RECODED:
            use = next(each for each in used if each.column == column and each.is_compared)
            got = f"{len(texts)} with capital letters in {quote_text(column)}, which is folded"
            raise use.error(
                f"at most {MOST_RECODED} such keys", got, "Write them in small letters."
            )
    recode = {
        column: {**cleaning.recode.get(column, {}), **kept.get(column, {})}
        for column in (*cleaning.recode, *kept)
    }
    return attrs.evolve(source, cleaning=attrs.evolve(cleaning, recode=recode)) if kept else source


def check_compared(
    use: Use, source: sources.Source, kind: sources.Kind, types: Callable[[], Mapping[str, str]]
) -> None:
    """Refuse a key or a value of a condition that no cell can be read as.

    `types` gives the engine's names of the columns' types, where the source has some.
    """
    cleaning, recoded = source.cleaning, source.cleaning.recode.get(use.column, {})
    _check_numbers(use, kind, types)
    for value in use.values:
        text = value if kind is sources.Kind.TEXT else _write(value, source)
        if not isinstance(text, str):
            continue
        if not cleaning.leaves(use.column, text):
            expected = f"a text that trim, fold and recode leave in {quote_text(use.column)}"
            remedy = f"Write {quote_text(cleaning.cleaned(use.column, text))}."
            raise use.error(expected, quote_text(text), remedy)
        before = [text for text, meaning in recoded.items() if meaning == value]
        if text not in recoded:
            before.append(text)
        spelled = any(_can_be_spelled(source, use.column, each) for each in before)
        if text in source.nulls or not spelled:
            raise use.error(*_no_cell(source, use.column, text))


def _check_numbers(use: Use, kind: sources.Kind, types: Callable[[], Mapping[str, str]]) -> None:
    """Refuse a number that no cell of the column's type is: 0.1 of 32-bit floats, 300 of int8."""
    numbers = [
        each for each in use.values if isinstance(each, int | float) and not isinstance(each, bool)
    ]
    if not numbers:
        return
    of = types().get(use.column) or ("BIGINT" if kind is sources.Kind.INTEGER else "")
    wrong = next((each for each in numbers if not sources.can_hold(of, each)), None)
    if wrong is None:
        return
    column, remedy = quote_text(use.column), "Remove it: it would meet nobody."
    expected = f"numbers that {column} can hold, of the type {of}"
    if of == "FLOAT":
        nearest = sources.nearest_short(wrong)
        remedy = f"Write {nearest!r}, or round the column, in 64 bits." if nearest else ""
        expected = f"numbers that 32-bit floats hold, as {column} does"
    raise use.error(expected, format_toml_value(wrong), remedy)


def _write(value: Scalar, source: sources.Source) -> str | None:
    """How a CSV file has a number or a date; None where there are several ways, or it is none."""
    if not sources.holds_texts(source) or isinstance(value, bool | str | datetime.datetime):
        return None
    if isinstance(value, datetime.date):
        written = source.dialect.date_format
        return value.isoformat() if written is None else value.strftime(written)
    number = int(value) if value == int(value) else value
    return str(number).replace(".", source.dialect.decimal)


def _can_be_spelled(source: sources.Source, column: str, text: str) -> bool:
    """Whether a cell may hold what is this text once it is trimmed and folded, and is no null."""
    letters = [dict.fromkeys((each, each.upper())) for each in text]
    if column not in source.cleaning.fold:
        letters = [{each: None} for each in text]
    some = itertools.islice(itertools.product(*letters), len(source.nulls) + 1)
    return any(
        each not in source.nulls and _can_be_written(source, each) for each in map("".join, some)
    )


def _can_be_written(source: sources.Source, text: str) -> bool:
    """Whether a file of the declared encoding and marks can hold a text."""
    if not sources.is_csv(source):
        return True
    if not source.dialect.quote:
        between = source.dialect.delimiter or ("\t" if ".tsv" in source.location else ",")
        if {*text} & {*"\r\n", between}:
            return False
    try:
        text.encode(source.dialect.encoding)
    except UnicodeEncodeError:
        return False
    return True


def _no_cell(source: sources.Source, column: str, text: str) -> tuple[str, str, str]:
    """What an error says of a text that no cell can be read as."""
    remedy = "The encoding and the marks of [data.csv] leave no way to write it. Remove it."
    if text in source.nulls:
        nulls = format_toml_value([each for each in source.nulls if each != text])
        remedy = f"It means no value. Write nulls = {nulls} in [data], or remove it here."
    return f"a text that a cell of {quote_text(column)} can have", quote_text(text), remedy


def _mark(table: PlanTable, key: str, default: str, *, empty: bool, ascii_only: bool = True) -> str:
    """One character, no digit, letter, line break or NUL."""
    if key not in table:
        return default
    value = table.raw(key)
    what = "one ASCII character" if ascii_only else "one character"
    what += " that is no letter, digit, line break or NUL"
    if not isinstance(value, str):
        raise table.value_error(key, what, value, "Write it in quotation marks.")
    if not value and empty:
        return value
    if key == "decimal" and value in _PARTING:
        remedy = f"Write delimiter = {quote_text(value)} if it stands between cells."
        raise table.error(key, "a mark within a number", quote_text(value), remedy)
    if len(value) != 1 or value.isalnum() or value in "\n\r\0" or (ascii_only and ord(value) > 127):
        meant = _MARKS.get(value.lower(), value.removeprefix("sep="))
        is_mark = len(meant) == 1 and not meant.isalnum()
        remedy = f"Write {quote_text(meant)}." if is_mark else r'A tab is written "\t".'
        raise table.error(key, what, quote_text(value), remedy)
    return value


_PARTING = (";", "\t", "|")
_MARKS = {
    "tab": "\t", "semicolon": ";", "comma": ",", "pipe": "|", "space": " ", "point": ".", "dot": "."
}  # fmt: skip
"""Words of others for our marks."""


def _encoding(table: PlanTable) -> str:
    if "encoding" not in table:
        return "utf-8"
    word = table.text("encoding")
    if word.lower() not in sources.ENCODINGS:
        remedy = suggestion(word, sources.ENCODINGS)
        raise table.error("encoding", "an encoding", quote_text(word), remedy)
    return word.lower()


def _format(table: PlanTable, key: str) -> str | None:
    if key not in table:
        return None
    written, time = table.text(key), key == "timestamp_format"
    if not sources.reads_back(written, time=time):
        example = '"%d.%m.%Y %H:%M"' if time else '"%d.%m.%Y"'
        what = f"a format with {'year, month, day and hour' if time else 'year, month and day'}"
        raise table.error(key, what, quote_text(written), f"An example: {example}.")
    return written


def _columns(table: PlanTable) -> tuple[str, ...] | None:
    if "header" not in table or table.truth("header"):
        if "columns" in table:
            remedy = "Remove columns, or set header = false."
            raise table.error("columns", "names in the header or here", "both", remedy)
        return None
    names = table.texts("columns")
    if not names:
        raise table.error("columns", "the columns' names", "an empty list")
    seen: set[str] = set()
    for name in names:
        if not name.strip() or sources.without_case(name) in seen:
            got = f"{quote_text(name)} twice" if name.strip() else "an empty name"
            what = "column names that differ in more than upper and lower case"
            raise table.error("columns", what, got)
        seen.add(sources.without_case(name))
    return names
