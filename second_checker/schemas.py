"""JSON read strictly, and the part of JSON Schema that the certificates' schemas use."""

import json
import re
from pathlib import Path
from typing import Any

Where = tuple[Any, ...]
"""A place in a document: keys and indexes from the root."""

LARGEST = 16 * 2**20
FOLDER = Path(__file__).resolve().parent.parent / "src" / "deniable" / "certificate"
FILES = {
    "deniable-certificate": "schema.json",
    "deniable-gwas-certificate": "study_schema.json",
    "deniable-frequencies-certificate": "frequencies_schema.json",
    "deniable-training-certificate": "training_schema.json",
}
TYPES: dict[str, Any] = {
    "object": lambda x: isinstance(x, dict),
    "array": lambda x: isinstance(x, list),
    "string": lambda x: isinstance(x, str),
    "boolean": lambda x: isinstance(x, bool),
    "null": lambda x: x is None,
    "number": lambda x: is_number(x),
    "integer": lambda x: is_number(x) and x == int(x),
}
UNDERSTOOD = {
    "$schema", "$id", "title", "description", "onTrust", "onTrustWithoutPlan", "format", "$defs",
    "onTrustWithoutFiles", "$ref", "type", "const", "enum", "pattern", "minLength", "maxLength",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "required", "properties",
    "additionalProperties", "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "anyOf",
    "oneOf", "allOf", "not", "if", "then", "else", "maxProperties", "minProperties",
}  # fmt: skip


class Unreadable(ValueError):
    """The text is no JSON as certificates are written."""


def is_number(x: object) -> bool:
    """Whether a JSON value is a number; a truth value is none."""
    return isinstance(x, int | float) and not isinstance(x, bool)


def read(text: bytes) -> Any:
    """A JSON text without NaN, infinities, repeated keys or numbers beyond a float."""
    if len(text) > LARGEST:
        raise Unreadable("more than 16 MiB")

    def refuse(word: str) -> Any:
        raise Unreadable(f"{word} is no JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise Unreadable("a key stands twice in one object")
        return dict(pairs)

    def finite(word: str) -> float:
        number = float(word)
        if number in (float("inf"), float("-inf")):
            raise Unreadable(f"{word} is beyond all floats")
        return number

    try:
        return json.loads(
            text.decode("utf-8"), parse_constant=refuse, object_pairs_hook=once, parse_float=finite
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None
    except ValueError as error:
        raise Unreadable(str(error)) from None


def same(a: Any, b: Any, *, written: bool = False) -> bool:
    """Whether two JSON values are equal; 1 and 1.0 are, but as they are ``written``.

    Certificates write a number with a point wherever it need not be whole, and −0 is not 0 there.
    """
    if is_number(a) and is_number(b):
        return bool(a == b) and (not written or repr(a) == repr(b))
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], written=written) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(
            same(x, y, written=written) for x, y in zip(a, b, strict=True)
        )
    return bool(a == b)


class Schema:
    """A schema, and what it found: errors, and places that are marked as on trust."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.trust: dict[Where, dict[str, str]] = {}

    def errors(self, value: Any) -> list[str]:
        """What is wrong with a document."""
        self.trust = {}
        return self._errors(value, self.root, ())

    def _errors(self, value: Any, schema: Any, where: Where) -> list[str]:
        if schema is True:
            return []
        if schema is False:
            return [f"{pointer(where)} must not be there"]
        unknown = set(schema) - UNDERSTOOD
        if unknown:
            raise NotImplementedError(f"the schema says {sorted(unknown)}")
        marks = {key: schema[key] for key in schema if key.startswith("onTrust")}
        if marks:
            self.trust.setdefault(where, {}).update(marks)
        errors = []
        if "$ref" in schema:
            definition = self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
            errors += self._errors(value, definition, where)
        here = pointer(where)
        if "type" in schema:
            types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            if not any(TYPES[name](value) for name in types):
                return [*errors, f"{here} is not of the type {' or '.join(types)}"]
        if "const" in schema and not same(value, schema["const"]):
            errors.append(f"{here} is not {schema['const']!r}")
        if "enum" in schema and not any(same(value, each) for each in schema["enum"]):
            errors.append(f"{here} is none of {schema['enum']}")
        if isinstance(value, str):
            errors += self._text(value, schema, here)
        elif is_number(value):
            errors += self._number(value, schema, here)
        elif isinstance(value, list):
            errors += self._list(value, schema, where)
        elif isinstance(value, dict):
            errors += self._object(value, schema, where)
        errors += self._combined(value, schema, where)
        return errors

    @staticmethod
    def _text(value: str, schema: dict[str, Any], here: str) -> list[str]:
        wrong = (
            ("pattern" in schema and not re.search(schema["pattern"].replace("$", r"\Z"), value))
            or len(value) < schema.get("minLength", 0)
            or len(value) > schema.get("maxLength", len(value))
        )
        if schema.get("format") == "date" and not wrong:
            import datetime

            try:
                datetime.date.fromisoformat(value)
            except ValueError:
                wrong = True
        return [f"{here} is no such text"] if wrong else []

    @staticmethod
    def _number(value: float, schema: dict[str, Any], here: str) -> list[str]:
        wrong = (
            value < schema.get("minimum", value)
            or value > schema.get("maximum", value)
            or ("exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"])
            or ("exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"])
        )
        return [f"{here} is out of its range"] if wrong else []

    def _list(self, value: list[Any], schema: dict[str, Any], where: Where) -> list[str]:
        errors = []
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            errors.append(f"{pointer(where)} is too long or too short")
        if schema.get("uniqueItems") and any(
            same(value[i], value[k]) for i in range(len(value)) for k in range(i)
        ):
            errors.append(f"{pointer(where)} says something twice")
        first = schema.get("prefixItems", [])
        for i, item in enumerate(value):
            part = first[i] if i < len(first) else schema.get("items", True)
            errors += self._errors(item, part, (*where, i))
        return errors

    def _object(self, value: dict[str, Any], schema: dict[str, Any], where: Where) -> list[str]:
        errors = [
            f"{pointer(where)} lacks {key}"
            for key in schema.get("required", [])
            if key not in value
        ]
        if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", 2**30):
            errors.append(f"{pointer(where)} has too many or too few keys")
        parts = schema.get("properties", {})
        for key, item in value.items():
            part = parts.get(key, schema.get("additionalProperties", True))
            if key not in parts and part is False:
                errors.append(f"{pointer(where)} has the unknown key {key}")
            else:
                errors += self._errors(item, part, (*where, key))
        return errors

    def _combined(self, value: Any, schema: dict[str, Any], where: Where) -> list[str]:
        errors = [
            error for one in schema.get("allOf", []) for error in self._errors(value, one, where)
        ]
        if "anyOf" in schema and all(self._errors(value, one, where) for one in schema["anyOf"]):
            errors.append(f"{pointer(where)} is none of what it may be")
        if "oneOf" in schema:
            fitting = sum(not self._errors(value, one, where) for one in schema["oneOf"])
            if fitting != 1:
                errors.append(f"{pointer(where)} is {fitting} of what it must be one of")
        if "not" in schema and not self._errors(value, schema["not"], where):
            errors.append(f"{pointer(where)} is what it must not be")
        if "if" in schema:
            branch = "else" if self._errors(value, schema["if"], where) else "then"
            errors += self._errors(value, schema.get(branch, True), where)
        return errors


def pointer(where: Where) -> str:
    """A place as text, such as /queries/0/name."""
    return "/" + "/".join(str(key) for key in where)


def leaves(value: Any, where: Where = ()) -> list[Where]:
    """The places of all values that are no objects or lists, empty ones included."""
    if isinstance(value, dict) and value:
        return [leaf for key in value for leaf in leaves(value[key], (*where, key))]
    if isinstance(value, list) and value:
        return [leaf for i, item in enumerate(value) for leaf in leaves(item, (*where, i))]
    return [where]
