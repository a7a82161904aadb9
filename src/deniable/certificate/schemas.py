"""JSON Schemas that others may rely on, by name."""

import json
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any

from deniable.errors import validate

SCHEMAS: Mapping[str, str] = MappingProxyType(
    {
        "certificate": "schema.json",
        "study-certificate": "study_schema.json",
        "frequencies-certificate": "frequencies_schema.json",
        "training-certificate": "training_schema.json",
        "plan": "plan_schema.json",
    }
)
"""Name to the file beside this one; the `$id` in it changes with the format and never otherwise."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a certificate or of a plan, for programs in other languages.

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
    file = SCHEMAS[validate.one_of(name, SCHEMAS, "name")]
    text = resources.files("deniable.certificate").joinpath(file).read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document
