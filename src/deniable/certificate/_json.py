"""Values to JSON and back: no NaN, infinity as a text, one schema."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from deniable.errors import InvalidArgument
from deniable.errors.late import late

if TYPE_CHECKING:
    import jsonschema
    from jsonschema import exceptions as schema_errors
else:
    jsonschema = late("jsonschema")
    schema_errors = late("jsonschema.exceptions")

Schema: TypeAlias = str | Mapping[str, Any]
"""A schema, or the name of one in the package."""

_INFINITE = {"inf": math.inf}
_MAY_BE_INFINITE = frozenset({"epsilon", "gamma", "gamma_outside", "half_width_95"})
_LONGEST_REASON = 200
"""Characters of a reader's own words in a message: enough for a line and a column."""


def public_values(values: Iterable[Any]) -> tuple[Any, ...]:
    """Public values as JSON knows them: dates as ISO text, sequences as tuples."""
    return tuple(_public_value(value) for value in values)


def public_mapping(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same for named values."""
    return {name: _public_value(value) for name, value in values.items()}


def plain(value: Any) -> Any:
    """Mappings, sequences, texts and numbers that `json.dumps` writes as valid JSON."""
    match value:
        case Mapping():
            return {name: plain(each) for name, each in value.items()}
        case tuple() | list():
            return [plain(each) for each in value]
        case float() if math.isinf(value) and value > 0:
            return "inf"
        case str():
            return str(value)
        case _:
            return value


def unbounded(value: Any, name: str = "") -> Any:
    """The inverse of `plain` for numbers: "inf" where a number may be infinite."""
    match value:
        case dict():
            return {key: unbounded(each, key) for key, each in value.items()}
        case list():
            return [unbounded(each) for each in value]
        case _:
            return _INFINITE.get(value, value) if name in _MAY_BE_INFINITE else value


BLOCKS = ("ledger", "training", "source")
"""Names kept for what later kinds of release say besides: what was spent in all, how a model was
trained, where the data came from. Where a kind's schema does not define one, it is refused."""


def check(document: Any, schema: Schema = "schema.json") -> None:
    """Refuse what does not fit a schema, or the packaged one of that name.

    Raises
    ------
    InvalidArgument
        Naming the place as a JSON pointer.
    """
    _check_finite(document, "")
    _check_blocks(document, read_packaged_schema(schema) if isinstance(schema, str) else schema)
    error = schema_errors.best_match(_validator(schema).iter_errors(document))
    if error is None:
        return
    reason = error.message
    if len(reason) > _LONGEST_REASON:
        reason = f"{reason[:_LONGEST_REASON]}…"
    raise InvalidArgument(
        f"Expected a certificate that fits its schema, got: {reason} [at "
        f"{pointer(error.absolute_path) or 'the top'}]."
    )


def _check_blocks(document: Any, schema: Mapping[str, Any]) -> None:
    for name in BLOCKS:
        if isinstance(document, dict) and name in document and name not in schema["properties"]:
            raise InvalidArgument(
                f"Expected a certificate that this version can check, got one with {name!r} [at "
                f"{pointer([name])}]. Check it with a later version of Deniable."
            )


@cache
def read_packaged_schema(name: str) -> Any:
    """The packaged schema of that name."""
    return json.loads(resources.files("deniable.certificate").joinpath(name).read_text("utf-8"))


def _validator(schema: Schema) -> jsonschema.Draft202012Validator:
    return _packaged_validator(schema) if isinstance(schema, str) else _make_validator(schema)


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


def _public_value(value: Any) -> Any:
    match value:
        case datetime.date():
            return value.isoformat()
        case list() | tuple():
            return public_values(value)
        case _:
            return value
