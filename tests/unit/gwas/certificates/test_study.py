"""A study's certificate and its rows."""

import copy
import json
from importlib import resources

import attrs
import pyarrow as pa
import pytest
from jsonschema import Draft202012Validator

from deniable.errors import InvalidArgument
from deniable.gwas.certificates import FORMAT, StudyCertificate, study_table
from tests.cases.refusals import refuses
from tests.cases.sample_study import released, study_certificate

OPTIONS = [
    {},
    {"adjacency": "swap", "statistics": True},
    {"epsilon": 1.0, "score": "allelic", "prior": (0.3, 0.7), "missing": "major"},
    {"threshold": 5e-8, "statistics": True},
]


SCHEMA = json.loads(
    resources.files("deniable.certificate").joinpath("study_schema.json").read_text("utf-8")
)


DOCUMENT = study_certificate(statistics=True).as_json()


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


PLACES = list(objects(DOCUMENT))


def test_the_schema_is_a_valid_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_json_round_trip(options):
    certificate = study_certificate(**options)
    text = json.dumps(certificate.as_json(), allow_nan=False)
    assert StudyCertificate.from_json(json.loads(text)) == certificate
    assert json.loads(text)["format"] == FORMAT


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_no_object_takes_another_key(place):
    document = copy.deepcopy(DOCUMENT)
    within(document, place)["missing_calls"] = 12
    with refuses(InvalidArgument, "fits-its-schema"):
        StudyCertificate.from_json(document)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_no_key_can_be_left_out(place):
    for key in within(DOCUMENT, place):
        document = copy.deepcopy(DOCUMENT)
        del within(document, place)[key]
        with refuses(InvalidArgument, "fits-its-schema"):
            StudyCertificate.from_json(document)


@pytest.mark.parametrize(
    ("place", "value", "pointer"),
    [
        (("format",), "deniable-certificate/1", "/format"),
        (("unit", "adjacency"), "replace-one", "/unit/adjacency"),
        (("study", "cases"), 0, "/study/cases"),
        (("missing",), "leave", "/missing"),
        (("adversary", "source"), "proof", "/adversary/source"),
        (("adversary", "prior"), [0.1, 1.7], "/adversary/prior/1"),
        (("target", "kind"), "identifiability", "/target/kind"),
        (("guarantee", "delta"), 0.1, "/guarantee/delta"),
        (("guarantee", "gamma"), 0.5, "/guarantee/gamma"),
        (("selection", "part", "mechanism"), "discrete-laplace", "/selection/part/mechanism"),
        (("selection", "part", "epsilon"), 0, "/selection/part/epsilon"),
        (("selection", "threshold", "chi_squared"), -1, "/selection/threshold"),
        (("statistics", "rho"), 0.1, "/statistics"),
    ],
)
def test_a_misfit_is_named_by_its_pointer(place, value, pointer):
    document = copy.deepcopy(DOCUMENT)
    within(document, place[:-1])[place[-1]] = value
    with refuses(InvalidArgument, f"certificate-that-fits: {pointer}"):
        StudyCertificate.from_json(document)


def test_values_are_frozen_and_the_adversary_is_the_believers_prior():
    certificate = study_certificate(prior=(0.25, 0.5))
    assert (certificate.adversary.low, certificate.adversary.high) == (0.25, 0.5)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        certificate.missing = "major"


NAMES = ["rank", "variant", "chromosome", "position", "allele_1", "allele_2"]


def test_a_row_a_variant_by_rank():
    table = study_table(released())
    assert table.column_names == NAMES
    assert table["rank"].to_pylist() == [1, 2, 3]
    assert table["chromosome"].to_pylist() == ["9", "X", "9"]


def test_statistics_have_columns_of_their_own():
    published = released(noisy=True)
    table = study_table(published)
    assert table.column_names[: len(NAMES)] == NAMES
    assert table["cases_allele_1"].to_pylist() == [699, 698, -7]
    assert table["chi_squared"].to_pylist()[2] is None
    assert table.schema.field("half_width_95").type == pa.float64()
    for index, each in enumerate(published):
        row = {name: table[name][index].as_py() for name in table.column_names[len(NAMES) :]}
        assert row == attrs.asdict(each.noisy)


def test_the_columns_do_not_depend_on_values():
    assert study_table(released(1)).schema == study_table(released(5)).schema
