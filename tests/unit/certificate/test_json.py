import copy
import json
from importlib import resources

import pytest
from jsonschema import Draft202012Validator

from deniable.certificate import TableCertificate, _json
from deniable.errors import InvalidArgument
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate

SCHEMA = json.loads(resources.files("deniable.certificate").joinpath("schema.json").read_text())


def objects(value, path=()):
    """Every JSON object of a document with its place."""
    if isinstance(value, dict):
        yield path
        for key, each in value.items():
            yield from objects(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from objects(each, (*path, index))


def within(document, path):
    for step in path:
        document = document[step]
    return document


SAMPLE = sample_certificate().as_json()
PLACES = list(objects(SAMPLE))


def test_the_schema_is_a_valid_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_the_samples_fit():
    _json.check(SAMPLE)
    _json.check(gaussian_certificate().as_json())


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_no_object_takes_another_key(place):
    document = copy.deepcopy(SAMPLE)
    within(document, place)["number_of_rows"] = 20190
    with pytest.raises(InvalidArgument, match="fits its schema"):
        TableCertificate.from_json(document)


@pytest.mark.parametrize("place", [p for p in PLACES if "parameters" not in p], ids=str)
def test_no_key_can_be_left_out(place):
    document = copy.deepcopy(SAMPLE)
    del within(document, place)[next(iter(within(document, place)))]
    with pytest.raises(InvalidArgument):
        TableCertificate.from_json(document)


@pytest.mark.parametrize(
    ("place", "value", "pointer"),
    [
        (("created",), "yesterday", "/created"),
        (("plan_sha256",), "abc", "/plan_sha256"),
        (("adversary", "prior"), [0.3], "/adversary/prior"),
        (("adversary", "prior"), [0.3, 1.7], "/adversary/prior/1"),
        (("guarantee", "gamma"), 0.5, "/guarantee/gamma"),
        (("guarantee", "epsilon"), float("nan"), "/guarantee/epsilon"),
        (("guarantee", "epsilon"), float("inf"), "/guarantee/epsilon"),
        (("queries", 0, "parts", 0, "epsilon"), None, "/queries/0/parts/0"),
        (("queries", 0, "parts", 0, "mechanism"), "none", "/queries/0/parts/0/mechanism"),
        (("queries", 0, "parts", 0, "mechanism"), None, "/queries/0/parts/0"),
        (("queries", 0, "cells"), 0, "/queries/0/cells"),
        (("queries",), [], "/queries"),
    ],
)
def test_a_misfit_is_named_by_its_pointer(place, value, pointer):
    document = copy.deepcopy(SAMPLE)
    within(document, place[:-1])[place[-1]] = value
    with pytest.raises(InvalidArgument, match=rf"\[at {pointer}"):
        TableCertificate.from_json(document)


def test_pointers_are_escaped_and_reasons_are_short():
    document = copy.deepcopy(SAMPLE)
    document["queries"][0]["name"] = {"a": "x" * 1000}
    with pytest.raises(InvalidArgument, match=r"…") as caught:
        TableCertificate.from_json(document)
    assert len(str(caught.value)) < 400
    with pytest.raises(InvalidArgument, match="at /a~1b~0c"):
        _json.check({"a/b~c": float("nan")})


@pytest.mark.parametrize("document", [None, [], "certificate", 3, {}])
def test_other_json_is_refused(document):
    with pytest.raises(InvalidArgument, match="Expected"):
        TableCertificate.from_json(document)


def test_a_public_part_has_no_mechanism_and_no_share():
    document = copy.deepcopy(SAMPLE)
    document["queries"][0]["parts"].append(
        dict.fromkeys(document["queries"][0]["parts"][0]) | {"label": "size"}
    )
    assert TableCertificate.from_json(document).queries[0].parts[1].mechanism is None
