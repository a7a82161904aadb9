"""Every value of a certificate: its place, and where it cannot be recomputed, why not.

The schema is the one list: a value is recomputed unless the schema's keyword `onTrust` says why it
cannot be. So a key that is added is either compared or named.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from deniable.certificate import json_documents

ON_TRUST = "onTrust"
WITHOUT_PLAN = "onTrustWithoutPlan"
WITHOUT_FILES = "onTrustWithoutFiles"
"""Keywords of the schema: never recomputed, not without a plan, not without the files beside."""


def leaves(
    schema: json_documents.Schema, keywords: Sequence[str] = (ON_TRUST,)
) -> dict[str, str | None]:
    """The places of a schema, `*` for any index, each with why it is on trust or None.

    `keywords` are those of the three that apply.

    >>> places = leaves("schema.json")
    >>> places["/created"], places["/queries/*/parts/*/scale"]
    ("the date is the releaser's word", None)
    """
    document = json_documents.read_packaged_schema(schema) if isinstance(schema, str) else schema

    def places(node: Mapping[str, Any], where: str, why: str | None) -> dict[str, str | None]:
        branches = list(_branches(node, document))
        said = [branch[word] for branch in branches for word in keywords if word in branch]
        why = next(iter(said), why)
        result: dict[str, str | None] = {}
        for branch in branches:
            items = (branch.get("items"), *branch.get("prefixItems", ()))
            children = [*branch.get("properties", {}).items()]
            children += [("*", child) for child in items if isinstance(child, dict)]
            for step, child in children:
                for place, reason in places(child, f"{where}/{step}", why).items():
                    result[place] = reason or result.get(place)
        return result or {where: why}

    return places(document, "", None)


def differences(claimed: Any, expected: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """List where two JSON values differ: a pointer, and both; 1, 1.0 and true are different.

    >>> list(differences({"a": [1, 2]}, {"a": [1, 2.0]}))
    [('/a/1', 2, 2.0)]
    """
    match claimed, expected:
        case dict(), dict():
            for name in {**expected, **claimed}:
                place = f"{where}{json_documents.pointer([name])}"
                if name in claimed and name in expected:
                    yield from differences(claimed[name], expected[name], place)
                else:
                    yield place, claimed.get(name, _ABSENT), expected.get(name, _ABSENT)
        case list(), list() if len(claimed) == len(expected):
            for index, (one, other) in enumerate(zip(claimed, expected, strict=True)):
                yield from differences(one, other, f"{where}/{index}")
        case list(), list():
            yield where, _Words(f"{len(claimed)} entries"), _Words(f"{len(expected)} entries")
        case _ if type(claimed) is not type(expected) or repr(claimed) != repr(expected):
            yield where, claimed, expected


@attrs.frozen(repr=False)
class _Words:
    """Something that is no JSON value, as a finding says it."""

    words: str

    def __repr__(self) -> str:
        return self.words


_ABSENT = _Words("nothing")


def _branches(node: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and everything that it says in other words."""
    while "$ref" in node:
        name = node["$ref"].removeprefix("#/$defs/")
        own = {key: value for key, value in node.items() if key != "$ref"}
        node = own | document["$defs"][name]
    yield node
    for word in ("anyOf", "allOf"):
        for each in node.get(word, ()):
            yield from _branches(each, document)
