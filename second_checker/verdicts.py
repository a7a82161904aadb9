"""JSON read strictly, the part of JSON Schema that is used, and what is found of each place."""

import itertools
import json
import re
from collections import Counter
from operator import ge, gt, le, lt
from pathlib import Path
from typing import Any

from . import numbers

Where = tuple[Any, ...]
"""A place in a document: keys and indexes from the root."""

LARGEST = 16 * 2**20
FOLDER = Path(__file__).resolve().parent.parent / "src" / "deniable" / "certificate"
FILES = {"": "schema", "gwas-": "study_schema", "frequencies-": "frequencies_schema",
         "training-": "training_schema"}  # fmt: skip


def is_number(x: object) -> bool:
    """Whether a JSON value is a number; a truth value is none."""
    return isinstance(x, int | float) and not isinstance(x, bool)


KINDS: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
}  # fmt: skip


def is_of(value: Any, name: str) -> bool:
    """Whether a value is of a type of JSON Schema."""
    number = is_number(value) and (name == "number" or (name == "integer" and value == int(value)))
    return number or isinstance(value, KINDS.get(name, ()))


def read(raw: bytes) -> Any:
    """A JSON text without NaN, infinities, repeated keys or numbers beyond a float."""
    if len(raw) > LARGEST:
        raise ValueError("more than 16 MiB")

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is no JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        return result if len(result) == len(pairs) else refuse("a key twice in one object")

    def real(word: str) -> float:
        return number if abs(number := float(word)) != float("inf") else refuse(word)

    return json.loads(raw.decode(), parse_constant=refuse, object_pairs_hook=once, parse_float=real)


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal; 1 and 1.0 are."""
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def written_alike(a: Any, b: Any) -> bool:
    """Whether they are written alike: 1 and 1.0 are not, nor 0.0 and −0.0."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


ANY, TEXT, LIST, OBJECT, NUMBER = object, str, list, dict, int | float
LIMITS: dict[str, Any] = {
    "const": (ANY, same), "enum": (ANY, lambda x, y: any(same(x, each) for each in y)),
    "pattern": (TEXT, lambda x, y: re.search(y.replace("$", r"\Z"), x)),
    "minLength": (TEXT, lambda x, y: len(x) >= y), "maxLength": (TEXT, lambda x, y: len(x) <= y),
    "minimum": (NUMBER, ge), "maximum": (NUMBER, le),
    "exclusiveMinimum": (NUMBER, gt), "exclusiveMaximum": (NUMBER, lt),
    "minItems": (LIST, lambda x, y: len(x) >= y), "maxItems": (LIST, lambda x, y: len(x) <= y),
    "uniqueItems": (LIST, lambda x, y: not y or once_each(x)),
    "required": (OBJECT, lambda x, y: x.keys() >= set(y)),
    "minProperties": (OBJECT, lambda x, y: len(x) >= y),
    "maxProperties": (OBJECT, lambda x, y: len(x) <= y),
}  # fmt: skip
"""Keywords: of which values, and how these compare with the schema's word."""
UNDERSTOOD = LIMITS.keys() | {
    "$schema", "$id", "title", "description", "onTrust", "onTrustWithoutPlan", "$defs", "$ref",
    "onTrustWithoutFiles", "type", "properties", "additionalProperties", "items", "prefixItems",
    "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "format",
}  # fmt: skip


def once_each(values: list[Any]) -> bool:
    """Whether no two values are the same."""
    return not any(same(a, b) for a, b in itertools.combinations(values, 2))


class Schema:
    """A schema, and what it marks as on trust."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root, self.trust = root, list[tuple[Where, dict[str, str]]]()

    def errors(self, value: Any, schema: Any = None, where: Where = ()) -> list[str]:
        """What is wrong with a document, or with a part of it."""
        schema, here = self.root if schema is None else schema, pointer(where)
        if isinstance(schema, bool):
            return [] if schema else [f"{here} must not be there"]
        if set(schema) - UNDERSTOOD:
            raise NotImplementedError(f"the schema says {sorted(set(schema) - UNDERSTOOD)}")
        self.trust.append((where, {key: schema[key] for key in schema if key[:7] == "onTrust"}))
        types = [types] if isinstance(types := schema.get("type", []), str) else types
        if types and not any(is_of(value, name) for name in types):
            return [f"{here} is not of the type {types}"]
        errors = [
            f"{here} is not as {keyword} says"
            for keyword, (kind, holds) in LIMITS.items()
            if keyword in schema and isinstance(value, kind) and not holds(value, schema[keyword])
        ]
        any_of, one_of = (
            [self.branch(value, one, where) for one in schema.get(key, [])]
            for key in ("anyOf", "oneOf")
        )
        none_of = "not" in schema and not self.branch(value, schema["not"], where)
        if none_of or (any_of and all(any_of)) or (one_of and one_of.count([]) != 1):
            errors.append(f"{here} is none of what it may be, or several")
        parts = [(value, where, one) for one in schema.get("allOf", [])]
        if "$ref" in schema:
            parts.append((value, where, self.root["$defs"][schema["$ref"][8:]]))
        if "if" in schema:
            branch = "else" if self.branch(value, schema["if"], where) else "then"
            parts.append((value, where, schema.get(branch, True)))
        if isinstance(value, list):
            first, others = schema.get("prefixItems", []), schema.get("items", True)
            ruled = itertools.chain(first, itertools.repeat(others))
            parts += [
                (each, (*where, i), one)
                for i, (each, one) in enumerate(zip(value, ruled, strict=False))
            ]
        elif isinstance(value, dict):
            known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
            parts += [(value[key], (*where, key), known.get(key, others)) for key in value]
        return errors + [error for item, at, one in parts for error in self.errors(item, one, at)]

    def branch(self, value: Any, schema: Any, where: Where) -> list[str]:
        """What is wrong by one of several; only one by which nothing is leaves its marks."""
        before = len(self.trust)
        if errors := self.errors(value, schema, where):
            del self.trust[before:]
        return errors


def pointer(where: Where) -> str:
    """A place as text, such as /queries/0/name."""
    return "/" + "/".join(str(key) for key in where)


def leaves(value: Any, where: Where = ()) -> list[Where]:
    """The places of all values that are no objects or lists, empty ones included."""
    left = [(value, where)]
    for each, at in left:  # which grows: no value is nested too deep
        parts = each if isinstance(each, list) else ()
        both = each.items() if isinstance(each, dict) else enumerate(parts)
        left += [(part, (*at, key)) for key, part in both]
    return [at for each, at in left if not isinstance(each, dict | list) or not each]


class Findings:
    """Marks on the places of one certificate: no place is passed without one."""

    def __init__(self, certificate: dict[str, Any]) -> None:
        self.certificate, self.marks = certificate, dict[Where, tuple[str, str]]()
        self.refused, self.missing, self.unopened = list[str](), list[str](), list[str]()

    def value(self, where: Where) -> Any:
        """What the certificate says at a place; a key that is not there is ``None``."""
        value: Any = self.certificate
        for key in where:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def mark(self, where: Where, status: str, why: str = "") -> None:
        """Mark all places below one, where they have no mark yet."""
        for leaf in leaves(self.value(where), where):
            self.marks.setdefault(leaf, (status, why))

    def refuse(self, where: Where, why: str) -> None:
        """The certificate claims what does not follow."""
        self.refused.append(f"{pointer(where)}: {why}")
        self.mark(where, "refused", why)

    def state(self, where: Where, holds: bool, why: str) -> None:
        """A place was recomputed, and agrees or does not."""
        if holds:
            self.mark(where, "verified")
        else:
            self.refuse(where, why)

    def equal(self, where: Where, expected: Any) -> None:
        """A place says exactly what was computed."""
        self.state(where, written_alike(self.value(where), expected), f"expected {expected!r}")

    def bound(self, where: Where, truth: Any) -> None:
        """A place claims an upper bound, rounded up and no further."""
        value = self.value(where)
        holds = isinstance(value, float) and numbers.claims(value, truth)
        self.state(where, holds, f"expected {truth.str(17, radius=False)}, rounded up")

    def skip(self, where: Where, what: str) -> None:
        """Say that something is not covered, on which no number of the guarantee rests."""
        self.mark(where, "not covered", what)

    def cannot(self, where: Where, what: str) -> None:
        """Say that something is not covered without which nothing is verified."""
        self.missing.append(f"{pointer(where)}: {what}")
        self.mark(where, "not covered", what)

    def complete(self, trust: list[tuple[Where, dict[str, str]]], folder: bool) -> None:
        """Mark what the schema leaves to trust; whatever has no mark then is not covered."""
        for where, marks in trust:
            if why := marks.get("onTrust") or (not folder and marks.get("onTrustWithoutFiles")):
                self.mark(where, "on trust", why)
        for leaf in leaves(self.certificate):
            if leaf not in self.marks:
                self.cannot(leaf, "nothing here recomputes it")

    @property
    def verdict(self) -> str:
        """``refused``, ``cannot tell``, ``verified in part`` or ``verified``."""
        if self.refused:
            return "refused"
        partly = any(status == "not covered" for status, _ in self.marks.values())
        return "cannot tell" if self.missing else "verified in part" if partly else "verified"

    def lines(self) -> list[str]:
        """What a person reads: each kind of place once."""
        counts: Counter[tuple[str, str, str]] = Counter()
        for leaf, (status, why) in self.marks.items():
            place = pointer(tuple("*" if isinstance(key, int) else key for key in leaf))
            counts[status, "/plan" if leaf[0] == "plan" else place, why] += 1
        lines = [
            f"{status}: {where}" + f" ({number} values)" * (number > 1) + f": {why}" * bool(why)
            for (status, where, why), number in counts.items()
            if status != "refused"
        ]
        lines += [f"not covered: {each}" for each in self.unopened]
        lines += [f"cannot tell without: {each}" for each in dict.fromkeys(self.missing)]
        return [*lines, *(f"refused: {each}" for each in self.refused), self.verdict]
