"""The files of a release: written, sealed, read and compared."""

import csv
import datetime
import hashlib
import io
import json
import random
from importlib import resources

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.certificate.files import check_size, release_files, results_metadata, with_digests
from deniable.certificate.json_documents import (
    MOST_DEPTH,
    MOST_VALUES,
    check_values,
    read_bytes,
    read_document,
    sha256,
    statement_sha256,
)
from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES, WITHOUT_PLAN, differences, leaves
from deniable.certificate.results import ResultRow, as_array, csv_bytes, parquet_bytes, table
from deniable.errors import InvalidArgument
from tests.cases.certified_case import PLANS, certificate
from tests.cases.refusals import refuses
from tests.cases.sample_certificate import sample_rows

SCHEMAS = [
    json.loads(each.read_bytes())
    for each in resources.files("deniable.certificate").iterdir()
    if each.name.endswith("schema.json") and each.name != "plan_schema.json"
]


def without_trust(schema):
    """What a schema accepts, without the word on what `check` can recompute."""
    if not isinstance(schema, dict):
        return schema
    return {name: without_trust(each) for name, each in schema.items() if name != "onTrust"}


@pytest.mark.parametrize("name", ["digest", "sentence", "probability", "amount", "factor"])
def test_what_schemas_define_under_one_name_is_the_same(name):
    """Each schema stands alone, for any reader of JSON Schema, and so repeats these."""
    first, *others = [each["$defs"][name] for each in SCHEMAS if name in each["$defs"]]
    assert others
    assert all(each == first for each in others)


def test_what_a_ledger_says_is_the_same_in_every_schema():
    """But for the exposure of keys that nobody knows, which plans alone can ask for."""
    first, *others = ledgers = [without_trust(each["properties"]["ledger"]) for each in SCHEMAS]
    of_keys = [each["properties"].pop("exposure", None) for each in ledgers]
    of_keys += [each["properties"].pop("exposure_budget", None) for each in ledgers]
    assert (len(others), len([each for each in of_keys if each])) == (3, 2)
    assert all(each == first for each in others)


def test_digests_point_in_one_direction():
    made = attrs.evolve(certificate(PLANS["success"]), files={})
    files = release_files(made, table(sample_rows()), "<p>report</p>", {"plan.toml": "plan"})
    document = json.loads(files["certificate.json"])
    assert list(files)[-1] == "certificate.json"
    others = {name: sha256(content) for name, content in files.items() if name in made.FILES}
    assert document["files"] == others
    assert document["statement_sha256"] == made.statement_sha256
    told = json.loads(results_metadata(made)[b"deniable"])
    assert told["statement_sha256"] == made.statement_sha256
    assert with_digests(made, files).files == others


def test_a_certificate_that_could_not_be_checked_is_refused_before_noise_is_drawn():
    made = certificate(PLANS["success"])
    check_size(made)
    long = attrs.evolve(made, plan={**made.plan, "x": "y" * 2**23})
    with refuses(InvalidArgument, "at-most-bytes: 8388608"):
        check_size(long)
    many = attrs.evolve(made, plan={**made.plan, "x": [0] * 100_000})
    with refuses(InvalidArgument, "at-most-values: 100000"):
        check_size(many)


def test_the_statement_is_everything_but_the_digests_of_files():
    document = {"b": 1.0, "a": "é", "files": {"x": "0"}, "statement_sha256": "1"}
    digest = hashlib.sha256('{"a":"é","b":1.0}'.encode()).hexdigest()
    assert statement_sha256(document) == digest == sha256('{"a":"é","b":1.0}'.encode())
    assert statement_sha256(document | {"files": {}}) == digest
    assert statement_sha256(document | {"b": 1}) != digest


def test_it_survives_the_file():
    document = {"inf": "inf", "small": 5e-324, "third": 1 / 3, "list": [1, None, True]}
    assert statement_sha256(json.loads(json.dumps(document))) == statement_sha256(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "json-in-utf-8"),
        ('{"a": 1, "a": 2}', "key-twice: 'a'"),
        ("[NaN]", "finite-number-or-inf: NaN"),
        ("[1e400]", "finite-number-or-inf: one beyond 64 bits"),
        ("[" + "1" * 21 + "]", "at-most-digits: 20 | 21"),
        ("[0." + "1" * 50 + "]", "at-most-characters-of-number: 40 | 52"),
        ('["\\ud800"]', "half-of-surrogate-pair"),
        ('{"\\udfff": 1}', "half-of-surrogate-pair"),
        ("[" * MOST_DEPTH + "1" + "]" * MOST_DEPTH, f"at-most-levels: {MOST_DEPTH}"),
        ("[" * 10**5 + "]" * 10**5, f"at-most-levels: {MOST_DEPTH}"),
        ("[" + "1," * MOST_VALUES + "1]", f"at-most-values: {MOST_VALUES}"),
    ],
    ids=lambda text: text[:20],
)
def test_what_no_certificate_holds_is_refused_in_one_sentence(tmp_path, text, message):
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with refuses(InvalidArgument, message):
        read_document(path)


def test_what_a_certificate_may_hold_is_read(tmp_path):
    path = tmp_path / "c.json"
    path.write_text('{"a": [1, -2.5e-300, null, true, "\\ud83d\\ude00", 18446744073709551615]}')
    assert read_document(path) == {"a": [1, -2.5e-300, None, True, "\U0001f600", 2**64 - 1]}


def test_no_more_is_read_than_asked_for(tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with refuses(InvalidArgument, "at-most-bytes: 4"):
        read_bytes(path, 4)


def test_values_that_could_not_be_read_back_are_refused_where_they_are_written():
    with refuses(InvalidArgument, "whole-numbers-of-at-most: 20 digits"):
        check_values({"worlds": 10**20}, "here")
    with refuses(InvalidArgument, "values-more: here"):
        check_values([0] * MOST_VALUES, "here")


def test_a_reason_holds_for_all_that_is_below_it():
    places = leaves("schema.json")
    assert places["/versions/deniable"] is not None
    assert places["/versions/deniable"] == places["/versions/python"]
    assert places["/unit/word"] is None
    assert leaves("schema.json", (ON_TRUST, WITHOUT_PLAN))["/unit/word"] == "asked for"


def test_a_part_that_stands_in_several_places_has_one_entry_each():
    places = leaves("study_schema.json", (ON_TRUST, WITHOUT_FILES))
    assert places["/selection/part/scale"] is None
    assert places["/statistics/sensitivity/value"] is None
    assert places["/files/report.html"] is not None


def test_differences_are_strict_about_kinds_signs_and_lengths():
    assert list(differences([1, True, 0.0], [1, True, 0.0])) == []
    assert [place for place, *_ in differences([1, True, 0.0], [True, 1, -0.0])] == [
        "/0",
        "/1",
        "/2",
    ]
    ((place, got, wanted),) = differences({"a": [1]}, {"a": [1, 2]})
    assert (place, repr(got), repr(wanted)) == ("/a", "1 entries", "2 entries")
    found = {
        place: (repr(got), repr(wanted)) for place, got, wanted in differences({"x": 1}, {"y": 2})
    }
    assert found == {"/y": ("nothing", "2"), "/x": ("1", "nothing")}


NUMBERS = ["bin_low", "bin_high", "category", "rank", "value", "half_width_95", "half_width_unit"]
LIMITS = ["rows_per_entity", "max_contribution", "bound_low", "bound_high"]
FIXED = (["query", "statistic", "column"], [*NUMBERS, *LIMITS])


def test_columns_stand_in_the_order_of_the_interface():
    groups = ["group:plan", "group:since"]
    assert table(sample_rows()).column_names == FIXED[0] + groups + FIXED[1]
    assert table([]).column_names == FIXED[0] + FIXED[1]


def test_rows_keep_their_order_and_values():
    rows = sample_rows()
    found = table(rows).to_pylist()
    assert [row["query"] for row in found] == [row.query for row in rows]
    assert found[3]["group:since"] == datetime.date(1974, 1, 1)
    assert found[0]["group:since"] is None


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ([1, 2], pa.int64()),
        ([1, 2.5], pa.float64()),
        ([True, False], pa.bool_()),
        ([True, 1], pa.string()),
        (["a", 1], pa.string()),
        ([2**70, 1], pa.string()),
        ([datetime.date(2020, 1, 2)], pa.date32()),
        ([datetime.datetime(2020, 1, 2)], pa.string()),
    ],
)
def test_a_group_column_has_its_keys_type_if_they_share_one(keys, kind):
    rows = [ResultRow("q", "count", groups={"g": key}, value=1.0) for key in keys]
    assert table(rows).schema.field("group:g").type == kind


def test_mixed_keys_are_written_as_text():
    rows = [ResultRow("q", "count", groups={"g": key}) for key in (True, 2, datetime.date.min)]
    assert table(rows)["group:g"].to_pylist() == ["true", "2", "0001-01-01"]


def test_csv_is_rfc_4180(tmp_path):
    keys = ['say "hi"', "a,b", "two\nlines", "", " edge ", "名"]
    rows = [ResultRow("q", "count", groups={"g": key}, value=0.1) for key in keys]
    (tmp_path / "r.csv").write_bytes(csv_bytes(table(rows)))
    raw = (tmp_path / "r.csv").read_bytes().decode("utf-8")
    assert raw.startswith("query,statistic,column,group:g,bin_low")
    assert 'q,count,,"say ""hi""",,,,,0.1,,,,,,\r\n' in raw
    assert 'q,count,,"",' in raw
    assert [line["group:g"] for line in csv.DictReader(io.StringIO(raw, newline=""))] == keys


def test_csv_writes_dates_iso_floats_by_repr_and_null_empty(tmp_path):
    row = ResultRow("q", "sum", "x", {"d": datetime.date(2020, 1, 2), "b": False}, value=0.1 + 0.2)
    (tmp_path / "r.csv").write_bytes(csv_bytes(table([row])))
    line = (tmp_path / "r.csv").read_text("utf-8").splitlines()[1]
    assert line == "q,sum,x,2020-01-02,false,,,,,0.30000000000000004,,,,,,"


def test_equal_tables_give_equal_bytes():
    about = {b"a": b"1"}
    assert csv_bytes(table(sample_rows())) == csv_bytes(table(sample_rows()))
    one, other = (parquet_bytes(table(sample_rows()), about) for _ in range(2))
    assert one == other


def test_parquet_gives_the_table_back_with_the_metadata_asked_for(tmp_path):
    results = table(sample_rows())
    (tmp_path / "r.parquet").write_bytes(parquet_bytes(results, {b"a": b"1"}))
    assert pq.read_table(tmp_path / "r.parquet").equals(results)
    metadata = pq.read_metadata(tmp_path / "r.parquet")
    assert set(metadata.metadata) <= {b"ARROW:schema", b"a"}
    assert metadata.created_by.startswith("parquet-cpp")


EDGES = {
    "int64": [0, -1, 2**63 - 1, -(2**63) + 1, -(2**63), 2**63, 1.5, True, "a"],
    "float64": [0.0, -0.0, 5e-324, 1e308, float("inf"), float("nan"), 7, 2**53, 2**53 + 1, True],
    "string": ["", "a", "é", "\x00", "💊", "\ud800", 1],
    "bool": [True, False, 1],
    "date32": [datetime.date.min, datetime.date.max, datetime.date(1970, 1, 1), 3],
}


def made(function, values, kind):
    """The column, or the kind of error."""
    try:
        array = function(values, kind)
        array.validate(full=True)
    except (ValueError, TypeError, OverflowError) as error:
        return type(error)
    return array.type, [repr(value) for value in array.to_pylist()], array.null_count


@pytest.mark.parametrize("kind", EDGES)
def test_a_column_is_what_arrow_makes_of_the_same_values(kind):
    edges = [None, *EDGES[kind]]
    plain = [value for value in edges if not isinstance(made(pa.array, [value], kind), type)]
    rng = random.Random(1)
    columns = [[], [None], *([each] for each in edges)]
    columns += [rng.choices(plain, k=rng.randint(2, 20)) for _ in range(100)]
    columns += [rng.choices(plain[:4], k=size) for size in range(2, 30)]
    for values in columns:
        assert made(as_array, values, kind) == made(pa.array, values, kind), values
        if not isinstance(made(pa.array, values, kind), type):
            one, other = (
                parquet_bytes(pa.table({"column": function(values, kind)}), {})
                for function in (as_array, pa.array)
            )
            assert one == other
