"""JSON that somebody else wrote: read strictly, and never more of it than a certificate can hold.

A file that is refused here ends in one sentence. All bounds are counts, so that how long a check
takes does not depend on what a forger writes.
"""

from __future__ import annotations

import codecs
import copy
import datetime
import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from deniable.errors import InvalidArgument, WrongFile, validate
from deniable.errors.late import late

if TYPE_CHECKING:
    import jsonschema
    from jsonschema import exceptions as schema_errors
else:
    jsonschema = late("jsonschema")
    schema_errors = late("jsonschema.exceptions")


Schema: TypeAlias = str | Mapping[str, Any]
"""A schema, or the name of one in the package."""

_MAY_BE_INFINITE = frozenset({"epsilon", "gamma", "gamma_outside", "half_width_95"})
_LONGEST_REASON = 200
"""Characters of a reader's own words in a message: enough for a line and a column."""


def public_values(values: Iterable[Any]) -> tuple[Any, ...]:
    """Public values as JSON knows them: dates as ISO text, sequences as tuples."""
    return tuple(map(public_value, values))


def public_mapping(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same for named values."""
    return {name: public_value(value) for name, value in values.items()}


def public_value(value: Any) -> Any:
    """One of them."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    return public_values(value) if isinstance(value, list | tuple) else value


def unbounded(value: Any, name: str = "") -> Any:
    """The inverse of `numerics.answer.plain` for numbers: "inf" where a number may be infinite."""
    match value:
        case dict():
            return {key: unbounded(each, key) for key, each in value.items()}
        case list():
            return [unbounded(each) for each in value]
        case _:
            return math.inf if name in _MAY_BE_INFINITE and value == "inf" else value


BLOCKS = ("ledger", "training", "source")
"""Names kept for what later kinds of release say besides: what was spent in all, how a model was
trained, where the data came from. Where a kind's schema does not define one, it is refused."""


def check(document: Any, schema: Schema = "schema.json") -> None:
    """Refuse what does not fit a schema, or the packaged one of that name."""
    _check_finite(document, "")
    defined = (read_packaged_schema(schema) if isinstance(schema, str) else schema)["properties"]
    for name in BLOCKS:
        if isinstance(document, dict) and name in document and name not in defined:
            raise InvalidArgument(
                f"Expected a certificate that this version can check, got one with {name!r} [at "
                f"{pointer([name])}]. Check it with a later version of Deniable."
            )
    own = _packaged_validator(schema) if isinstance(schema, str) else _make_validator(schema)
    error = schema_errors.best_match(own.iter_errors(document))
    if error is None:
        return
    reason, place = error.message, pointer(error.absolute_path) or "the top"
    if len(reason) > _LONGEST_REASON:
        reason = f"{reason[:_LONGEST_REASON]}…"
    is_unknown = error.validator in ("additionalProperties", "unevaluatedProperties")
    remedy = " If a later version of Deniable wrote it, use that one." if is_unknown else ""
    raise InvalidArgument(
        f"Expected a certificate that fits its schema, got: {reason} [at {place}].{remedy}"
    )


@cache
def read_packaged_schema(name: str) -> Any:
    """The packaged schema of that name."""
    return json.loads(resources.files("deniable.certificate").joinpath(name).read_text("utf-8"))


@cache
def _packaged_validator(name: str) -> jsonschema.Draft202012Validator:
    return _make_validator(read_packaged_schema(name))


def _make_validator(schema: Mapping[str, Any]) -> jsonschema.Draft202012Validator:
    validator = jsonschema.Draft202012Validator
    return validator(schema, format_checker=validator.FORMAT_CHECKER)


def _check_finite(value: Any, where: str) -> None:
    match value:
        case dict():
            for name, each in value.items():
                _check_finite(each, f"{where}{pointer([name])}")
        case list():
            for index, each in enumerate(value):
                _check_finite(each, f"{where}/{index}")
        case float() if not math.isfinite(value):
            raise InvalidArgument(
                f'Expected a finite number or "inf", got {value} [at {where or "the top"}].'
            )


def pointer(path: Iterable[str | int]) -> str:
    """A place as RFC 6901 writes it."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "".join(f"/{step}" for step in steps)


SCHEMAS: Mapping[str, str] = MappingProxyType({
    "certificate": "schema.json", "study-certificate": "study_schema.json",
    "frequencies-certificate": "frequencies_schema.json",
    "training-certificate": "training_schema.json", "plan": "plan_schema.json",
})  # fmt: skip
"""Name to the file beside this one; the `$id` in it changes with the format and never otherwise."""


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a certificate or a plan, for programs in other languages.

    A plan is TOML; the schema is of what it holds, as a reader of TOML gives it. It says which keys
    and kinds of values there are; `plan` says more, such as which of them mean something together.

    Parameters
    ----------
    name : str
        "certificate", "study-certificate", "frequencies-certificate", "training-certificate" or
        "plan".

    Returns
    -------
    dict
        JSON Schema, draft 2020-12, with an `$id` that changes with the format only.

    Raises
    ------
    InvalidArgument
        If there is none of this name.

    Examples
    --------
    >>> schema("plan")["$id"]
    'urn:deniable:plan:1'
    """
    return copy.deepcopy(read_packaged_schema(SCHEMAS[validate.one_of(name, SCHEMAS, "name")]))


MOST_BYTES = 2**23
"""The largest size of a certificate's file; the longest ones list some 50,000 keys twice."""
MOST_VALUES = 100_000
"""Objects, lists, texts and numbers of a certificate: some two seconds to compare with a schema."""
MOST_DEPTH = 32  # levels of lists and objects; a certificate has nine
MOST_DIGITS = 20
"""The most digits of a whole number: a key has 64 bits. Others may have twice as many."""

_MARKS = {codecs.BOM_UTF8: "UTF-8", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
"""What editors and shells, such as PowerShell, put before a text; JSON forbids it (RFC 8259)."""

_LONGEST = 60  # characters of a foreign key in a message: a line


def read_bytes(path: Path, most: int, what: str = "a certificate") -> bytes:
    """The bytes of an ordinary file, which holds `what` and no more bytes than `most`."""
    try:
        if not path.is_file():
            raise OSError
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError):
        raise InvalidArgument(f"Expected {what}, got no readable file at {path}.") from None
    if len(raw) > most:
        raise InvalidArgument(f"Expected at most {most} bytes, got more at {path}.")
    return raw


def read_document(path: Path, what: str = "a certificate", remedy: str = "") -> Any:
    """The JSON in a file that holds `what`; `remedy` is for a file of something else."""
    raw = read_bytes(path, MOST_BYTES, what)
    for mark, name in _MARKS.items():
        if raw.startswith(mark):
            raise InvalidArgument(
                f"Expected JSON in UTF-8 without a byte-order mark, got that of {name} in {path}. "
                "Save it as UTF-8 without BOM."
            )
    if raw.count(b"{") + raw.count(b"[") > 2 * MOST_VALUES:
        raise _too_many(str(path))
    try:
        document = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=unique_keys,
            parse_int=_parse_integer,
            parse_float=_real,
            parse_constant=_constant,
        )
    except InvalidArgument:
        raise
    except RecursionError:
        raise _too_deep(str(path)) from None
    except ValueError as error:
        if getattr(error, "msg", "") == "Extra data":  # such as a value on each line
            remedy = " It holds several values: join them by commas, within brackets."
        if not remedy and not str(path).endswith(".json"):
            remedy = " Name a file of JSON, such as the certificate.json of a release."
        raise InvalidArgument(
            f"Expected JSON in UTF-8, got something else in {path}.{remedy}"
        ) from None
    check_values(document, str(path))
    return document


@contextmanager
def naming(source: Any) -> Iterator[None]:
    """Name the file that holds what is refused within, where the source is one."""
    try:
        yield
    except InvalidArgument as error:
        if isinstance(error, WrongFile) or not isinstance(source, str | os.PathLike):
            raise
        raise WrongFile(f"{error} The file is {os.fspath(source)}.") from None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs; a name that stands twice would mean two things."""
    result = dict(pairs)
    if len(result) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name, number in times.items() if number > 1)
        raise InvalidArgument(f"Expected each key once, got {twice[:_LONGEST]!r} twice.")
    return result


_INTEGERS = f"whole numbers of at most {MOST_DIGITS} digits"


def _parse_integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise InvalidArgument(f"Expected {_INTEGERS}, got {len(digits)} digits.")
    return int(digits)


def _real(digits: str) -> float:
    if len(digits) > (most := 2 * MOST_DIGITS):
        raise InvalidArgument(f"Expected numbers of at most {most} characters, got {len(digits)}.")
    return float(digits)


def _constant(word: str) -> NoReturn:
    raise InvalidArgument(f'Expected a finite number or "inf", got {word}.')


def check_values(document: Any, where: str) -> None:
    """Refuse too many or too deep values, numbers out of range, and text that is no Unicode."""
    level, seen, depth = [document], 0, 0
    while level:
        seen, depth = seen + len(level), depth + 1
        if seen > MOST_VALUES:
            raise _too_many(where)
        if depth > MOST_DEPTH:
            raise _too_deep(where)
        below: list[Any] = []
        for value in level:
            match value:
                case dict():
                    _check_text("".join(value))
                    below += value.values()
                case list():
                    below += value
                case str():
                    _check_text(value)
                case int() if abs(value) >= 10**MOST_DIGITS:
                    raise InvalidArgument(f"Expected {_INTEGERS}, got more.")
                case float() if not math.isfinite(value):
                    _constant("one beyond 64 bits")
        level = below


def _check_text(text: str) -> None:
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidArgument("Expected text in Unicode, got half of a surrogate pair.")


def _too_many(where: str) -> InvalidArgument:
    return InvalidArgument(f"Expected at most {MOST_VALUES} values, got more in {where}.")


def _too_deep(where: str) -> InvalidArgument:
    most = f"JSON at most {MOST_DEPTH} levels deep"
    return InvalidArgument(f"Expected {most}, got more levels in {where}.")


_PIECE = 2**20  # bytes that are read at once: a megabyte
_NOT_STATED = ("statement_sha256", "files")
"""Digests of files: a certificate's statement is all else. Results and report carry the statement's
digest, and the certificate carries theirs: they are tied together in one direction only."""


def sha256(data: bytes) -> str:
    """SHA-256 in 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_file(path: Path, most: int) -> str:
    """The same of an ordinary file of at most so many bytes, piece by piece."""
    digest, read = hashlib.sha256(), 0
    try:
        if not path.is_file():
            raise OSError
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
                if (read := read + len(piece)) > most:
                    break
    except (OSError, ValueError):
        raise InvalidArgument(f"Expected a file, got no readable one at {path}.") from None
    if read > most:
        raise InvalidArgument(f"Expected at most {most} bytes, got more at {path}.")
    return digest.hexdigest()


def statement_sha256(document: Mapping[str, Any]) -> str:
    """SHA-256 of what a certificate states: its JSON in one spelling, without digests of files.

    The spelling: keys sorted, no spaces, UTF-8, numbers as Python prints them.

    >>> one = statement_sha256({"format": "x", "files": {"results.csv": "0"}})
    >>> one == statement_sha256({"files": {}, "format": "x"}) == sha256(b'{"format":"x"}')
    True
    """
    stated = {key: value for key, value in document.items() if key not in _NOT_STATED}
    text = json.dumps(
        stated, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return sha256(text.encode("utf-8"))
