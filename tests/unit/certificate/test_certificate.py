"""A table's certificate: model, schema, sentences."""

import copy
import json
import math
from importlib import resources

import attrs
import pytest
from jsonschema import Draft202012Validator

from deniable.certificate import CertifiedGroup, Guarantee, TableCertificate, json_documents
from deniable.certificate.limits import describe_measured, limits, number, ordinal, quantile
from deniable.certificate.model import Unit
from deniable.certificate.tables import (
    FORMAT_1,
    NOT_COVERED,
    assumptions,
    query_cautions,
    unit_sentence,
)
from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, ApproxDP
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail
from tests.cases.refusals import refuses
from tests.cases.sample_certificate import (
    YEARS,
    gaussian_certificate,
    laplace,
    query,
    sample_certificate,
    sample_queries,
)
from tests.cases.sample_study import study_certificate

SAMPLES = [sample_certificate, gaussian_certificate]


def guarantee(**changes: float) -> Guarantee:
    return attrs.evolve(gaussian_certificate().guarantee, **changes)


@pytest.mark.parametrize("make", SAMPLES)
def test_json_round_trip(make):
    certificate = make()
    text = json.dumps(certificate.as_json(), allow_nan=False)
    assert TableCertificate.from_json(json.loads(text)) == certificate


def test_json_has_the_keys_of_the_interface():
    document = sample_certificate().as_json()
    assert document["format"] == FORMAT_1
    assert document["derivation"][0].keys() == {"from", "to", "theorem"}
    assert document["limits"] == {"rows_per_entity": 5}
    assert document["adversary"] == {"prior": [0.3, 0.7]}
    assert document["queries"][1]["where"][1] == ["region", "in", ["north", "south"]]


def test_dates_become_iso_text():
    assert YEARS.keys == ("1974-01-01", "1975-01-01")
    assert CertifiedGroup("g", (True, 1, 2.5)).keys == (True, 1, 2.5)


def test_infinity_is_a_text_and_comes_back():
    sample = sample_certificate()
    open_ended = attrs.evolve(
        sample,
        guarantee=attrs.evolve(sample.guarantee, epsilon=math.inf, gamma_outside=math.inf),
    )
    document = open_ended.as_json()
    assert document["guarantee"]["epsilon"] == "inf"
    assert TableCertificate.from_json(document) == open_ended


def test_values_are_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        sample_certificate().created = "2027-01-01"  # type: ignore[misc]


def test_beliefs_are_read_at_epsilon_where_a_tail_is_stated():
    assert guarantee().loss == 1.613
    assert sample_certificate().guarantee.loss == sample_certificate().guarantee.epsilon


def test_beliefs_are_read_at_a_larger_loss_where_epsilon_and_delta_are_stated():
    wide = guarantee(exceedance=1e-4)
    tail = approx_dp_to_privacy_loss_tail(ApproxDP(1.613, 1e-6), 1e-4)
    assert wide.loss == tail.epsilon > wide.epsilon


def test_delta_without_exceedance_is_refused():
    with refuses(InvalidArgument, "exceedance-at-least-delta: 0"):
        guarantee(exceedance=0.0)


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
    json_documents.check(SAMPLE)
    json_documents.check(gaussian_certificate().as_json())


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_no_object_takes_another_key(place):
    document = copy.deepcopy(SAMPLE)
    within(document, place)["number_of_rows"] = 20190
    with refuses(InvalidArgument, "fits-its-schema"):
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
    with refuses(InvalidArgument, f"certificate-that-fits: {pointer}"):
        TableCertificate.from_json(document)


def test_pointers_are_escaped_and_reasons_are_short():
    document = copy.deepcopy(SAMPLE)
    document["queries"][0]["name"] = {"a": "x" * 1000}
    with refuses(InvalidArgument, "certificate-that-fits-in-certificate: …") as caught:
        TableCertificate.from_json(document)
    assert len(str(caught.value)) < 400
    with refuses(InvalidArgument, "certificate-that-fits: /a~1b~0c"):
        json_documents.check({"a/b~c": float("nan")})


@pytest.mark.parametrize("document", [None, [], "certificate", 3, {}])
def test_other_json_is_refused(document):
    with refuses(InvalidArgument, "expects-something"):
        TableCertificate.from_json(document)


def test_a_public_part_has_no_mechanism_and_no_share():
    document = copy.deepcopy(SAMPLE)
    document["queries"][0]["parts"].append(
        dict.fromkeys(document["queries"][0]["parts"][0]) | {"label": "size"}
    )
    assert TableCertificate.from_json(document).queries[0].parts[1].mechanism is None


PATIENT = Unit("id", Adjacency.REPLACE_ONE, "…", "patient")
COLUMN = Unit("id", Adjacency.REPLACE_ONE, "…")
ROW = Unit(None, Adjacency.ADD_REMOVE, "…", "person-year")


@pytest.mark.parametrize(
    ("statistic", "more", "told"),
    [
        ("count", {}, "rows (at most 10 rows per patient)"),
        ("histogram", {"column": "age"}, "rows by age (at most 10 rows per patient)"),
        ("entities", {}, "patients (at most 10 rows per patient)"),
        (
            "sum",
            {"column": "cost", "bounds": [-2000, 2000]},
            "sum of cost (at most 10 rows per patient; values clipped to −2,000…2,000)",
        ),
        (
            "mean",
            {"column": "cost", "bounds": [-0.5, 1e6]},
            "mean of cost (at most 10 rows per patient; values clipped to −0.5…1,000,000)",
        ),
        (
            "quantile",
            {"column": "age", "bounds": [0, 120], "quantile": 0.9},
            "90th percentile of age (at most 10 rows per patient; chosen between 0 and 120)",
        ),
        (
            "top",
            {"column": "reason"},
            "most frequent values of reason (at most 10 rows per patient)",
        ),
    ],
)  # fmt: skip
def test_every_statistic_names_its_limits(statistic, more, told):
    assert describe_measured(query("q", statistic, [], **more), PATIENT, 10) == told


def test_a_scaled_query_names_its_scale_and_not_the_limit_on_rows():
    scaled = query("q", "sum", [], "cost", bounds=[0, 52], max_contribution=100.0)
    assert limits(scaled, PATIENT, 10) == (
        "contribution of each patient scaled down to at most 100 cost",
        "values clipped to 0…52",
    )


def test_where_each_row_is_one_no_row_is_cut():
    assert describe_measured(query("q", "count", []), ROW, None) == "rows"
    assert describe_measured(query("q", "entities", []), ROW, None) == "rows"


def test_without_a_word_the_column_is_named():
    assert limits(query("q", "count", []), COLUMN, 3) == ("at most 3 rows per “id”",)


@pytest.mark.parametrize("each", sample_queries(), ids=lambda each: each.name)
def test_every_public_bound_stands_in_the_words(each):
    told = describe_measured(each, PATIENT, 5)
    for end in each.parameters.get("bounds", ()):
        assert number(end) in told
    most = 5 if each.max_contribution is None else each.max_contribution
    assert f"at most {number(most)} " in told


def test_small_words():
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 21, 112, 101)] == [
        "1st", "2nd", "3rd", "4th", "11th", "21st", "112th", "101st",
    ]  # fmt: skip
    assert quantile(0.07) == "7th percentile"
    assert quantile(0.333333) == "0.333333 quantile"


def test_the_unit_names_the_column_or_says_that_a_row_is_all_there_is():
    column, row = (unit_sentence(name, Adjacency.REPLACE_ONE) for name in ("person", None))
    assert column.split(". ")[0] == (
        "The protected unit is all rows of the table with one value of “person”"
    )
    assert row.split(". ")[0] == (
        "The protected unit is one row of the table: no column names an entity"
    )


def test_the_plan_may_name_the_unit():
    told = unit_sentence(None, Adjacency.REPLACE_ONE, "person-year")
    assert told.startswith("The protected unit is one person-year, which is one row of the table")


@pytest.mark.parametrize("entity", ["person", None])
def test_the_number_is_public_under_replace_one_only(entity):
    assert unit_sentence(entity, Adjacency.REPLACE_ONE).endswith("is public.")
    assert "is in the table, and how many" in unit_sentence(entity, Adjacency.ADD_REMOVE)


def test_null_entities_and_limits_are_named_where_there_are_some():
    always = assumptions(None, None)
    missing = "Rows whose “person” is NULL are left out."
    assert assumptions("person", None) == (*always, missing)
    assert assumptions("person", 5) == (
        *always,
        missing,
        "For any one “person”, at most 5 of the rows are used. They are chosen by a secret "
        "random order, before any filter is applied.",
    )


def test_what_is_never_covered_is_named():
    assert [sentence.partition(":")[0] for sentence in NOT_COVERED] == [
        "Entities belonging together (such as a family, or one person with two ids)",
        "A plan made from the data",
        "Other releases",
        "Wrong entity ids",
    ]


def test_noise_beyond_all_numbers_is_told():
    (told,) = query_cautions("q", "sum", (0.0, 1e307), {"sum": math.inf})
    assert told == "“q” has an error beyond all numbers. Take smaller bounds."


@pytest.mark.parametrize(
    ("statistic", "bounds", "widths", "rows"),
    [
        ("count", None, {"count": 1e15}, "1e15"),
        ("histogram", None, {"histogram": 2e6}, "2,000,000"),
        ("quantile", (0.0, 1.0), {"quantile": 3e6}, "3,000,000"),
        ("sum", (-10.0, 5.0), {"sum": 2e7}, "2,000,000"),
        ("mean", (0.0, 10.0), {"sum": 2e7, "count": 1e6}, "3,500,000"),
    ],
)
def test_noise_as_large_as_a_million_rows_is_told(statistic, bounds, widths, rows):
    (told,) = query_cautions("q", statistic, bounds, widths)
    assert told.startswith("“q” says nothing of fewer than ")
    number = told.split(" than ")[1].split(" rows")[0]
    if rows == "1e15":
        assert number.endswith("10^15")
    else:
        assert number == rows
    assert (
        query_cautions("q", statistic, bounds, {key: w / 1e10 for key, w in widths.items()}) == []
    )


def test_a_mean_of_so_many_rows_is_off_by_its_whole_range():
    (told,) = query_cautions("q", "mean", (0.0, 10.0), {"sum": 2e7, "count": 1e6})
    rows = float(told.split(" than ")[1].split(" rows")[0].replace(",", ""))
    assert (2e7 + 1e6 * 5) / (rows - 1e6) == pytest.approx(10.0)


def test_a_width_that_nobody_knows_beforehand_is_no_caution():
    assert query_cautions("q", "count", None, {"count": None}) == []


def test_a_certificate_is_warned_of_once_for_each_reason():
    sample = sample_certificate()
    assert sample.cautions == study_certificate().cautions == ()
    drowned = query("far off", "count", [laplace("count", 1e-9, 1, 1e10)])
    nobody = attrs.evolve(
        sample.guarantee, epsilon=math.inf, gamma=math.inf, gamma_outside=math.inf,
        attack_success=1.0, advantage=1.0,
    )  # fmt: skip
    bad = attrs.evolve(sample, guarantee=nobody, queries=(*sample.queries, drowned))
    found = bad.cautions
    assert len(found) == 2
    assert found[0].startswith("This protects nobody")
    assert "far off" in found[1]
