"""A release's folder, changed file by file, by somebody who then repairs every digest."""

import json
import math
import shutil

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.certificate import TableCertificate
from deniable.certificate.files import METADATA, release_files
from deniable.certificate.json_documents import sha256, statement_sha256
from deniable.certificate.results import csv_bytes, parquet_bytes
from deniable.gwas.allele_frequencies.kind import frequencies_document
from deniable.gwas.certificates.frequencies import frequencies_table
from deniable.gwas.certificates.study import StudyCertificate, study_table
from deniable.gwas.publication.published_study import page, publish_alleles
from deniable.pipeline.check import check
from deniable.publish.plan.published_plan import as_toml
from deniable.publish.release import release
from tests.cases.effort import some_pairs
from tests.cases.release_case import table, write_case
from tests.cases.sample_frequencies import (
    frequencies_certificate,
    prepared_sample,
    sample_rows,
)
from tests.cases.sample_study import prepared, released, study_certificate


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    release(write_case(folder), folder / "out")
    return folder / "out"


CROSSTAB = {
    "data": {},
    "target": {"epsilon": 2.0, "delta": 1e-6},
    "query": [
        {
            "name": "by plan and month",
            "statistic": "crosstab",
            "columns": ["plan", "month"],
            "keys": {"plan": ["free", "shared"], "month": [1, 2, 3]},
            "whole": True,
            "rows": 25,
        },
        {
            "name": "by kind",
            "statistic": "tree",
            "levels": ["kind", "month"],
            "nested": {"early": [1, 2], "late": [3]},
            "whole": True,
        },
        {"name": "late rows", "statistic": "count", "where": [["month", ">", 1]]},
    ],
}


@pytest.fixture(scope="module")
def crosstabs(tmp_path_factory):
    rows = [(plan, month) for plan in ("free", "shared", "none") for month in (1, 1, 2, 3, 4)] * 9
    data = pa.table({"plan": [plan for plan, _ in rows], "month": [month for _, month in rows]})
    out = tmp_path_factory.mktemp("crosstabs") / "out"
    release(CROSSTAB, out, data=data)
    return out


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    made, ready = study_certificate(statistics=True), prepared(statistics=True)
    counts = np.array([700, 300, -7, 1000, 1002, -3])
    shown = [
        attrs.evolve(each, noisy=noisy)
        for each, noisy in zip(released(3), publish_alleles(counts, ready), strict=True)
    ]
    report = page(made, ready, shown)
    for name, content in release_files(made, study_table(shown), report, {}).items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def frequencies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frequencies")
    asked = {"false_yes": 0.05}
    made, rows = frequencies_certificate(**asked), sample_rows(prepared_sample(**asked))
    page = frequencies_document(made, rows)
    for name, content in release_files(made, frequencies_table(rows), page, {}).items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(params=["tables", "crosstabs", "studies", "frequencies"])
def folder(request, tmp_path):
    shutil.copytree(request.getfixturevalue(request.param), tmp_path / "out")
    return tmp_path / "out"


def failing(folder):
    return [each.name for each in check(folder).checks if not each.holds]


def repaired(folder):
    """Every digest of the certificate made anew."""
    path = folder / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["files"] = {name: sha256((folder / name).read_bytes()) for name in document["files"]}
    document["statement_sha256"] = statement_sha256(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def rewritten(folder, results, *, csv=True):
    about = pq.read_metadata(folder / "results.parquet").metadata
    (folder / "results.parquet").write_bytes(parquet_bytes(results, {METADATA: about[METADATA]}))
    if csv:
        (folder / "results.csv").write_bytes(csv_bytes(results))


def with_cell(results, column, row, change):
    values = results[column].to_pylist()
    values[row] = change(values[row])
    place = results.column_names.index(column)
    return results.set_column(place, results.field(column), pa.array(values, results[column].type))


def test_a_release_as_it_was_made_holds(folder):
    answer = check(folder)
    assert answer.holds, [each for each in answer.checks if not each.holds]
    files = {path.name for path in folder.iterdir()} - {"certificate.json"}
    assert files <= {each.what for each in answer.verified}
    assert {"certificate.json", "values"} <= {each.what for each in answer.on_trust}
    assert not any(each.what.startswith("/files") for each in answer.on_trust)


FILES = ["results.csv", "results.parquet", "report.html", "plan.toml"]
DAMAGE = {
    "one byte": lambda raw: raw[:-40] + bytes([raw[-40] ^ 1]) + raw[-39:],
    "a line more": lambda raw: raw + b"\r\n",
    "cut": lambda raw: raw[: len(raw) // 2],
    "empty": lambda _: b"",
}


@pytest.mark.parametrize(("name", "damage"), some_pairs([*FILES, *FILES[1:], FILES[0]], [*DAMAGE]))
def test_a_damaged_file_is_found(tables, tmp_path, name, damage):
    out = shutil.copytree(tables, tmp_path / "out")
    (out / name).write_bytes(DAMAGE[damage]((out / name).read_bytes()))
    assert name in failing(out)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_found_even_if_its_digest_is_repaired(folder, name):
    path = folder / name
    if not path.exists():
        pytest.skip("studies have no plan")
    raw = path.read_bytes()
    middle = raw.index(b"<h1>") + 10 if name == "report.html" else len(raw) // 2
    path.write_bytes(raw[:middle] + raw[middle + 1 :])
    repaired(folder)
    assert failing(folder)


def test_what_a_file_holds_besides_its_rows_is_named_as_taken_on_trust(folder):
    path = folder / "results.parquet"
    raw = path.read_bytes()
    assert not any("results.parquet" in each.what for each in check(folder).on_trust)
    results, about = pq.read_table(path), pq.read_metadata(path).metadata
    told = {METADATA: about[METADATA], b"remark": b"177,259 patients"}
    path.write_bytes(parquet_bytes(results, told))
    assert path.read_bytes() != raw
    repaired(folder)
    answer = check(folder)
    assert answer.holds
    assert "bytes of results.parquet" in {each.what for each in answer.on_trust}


@pytest.mark.parametrize(
    ("name", "instead"), some_pairs(FILES, ["nothing", "a folder", "a link to nowhere"])
)
def test_a_missing_file_is_found(tables, tmp_path, name, instead):
    out = shutil.copytree(tables, tmp_path / "out")
    (out / name).unlink()
    if instead == "a folder":
        (out / name).mkdir()
    elif instead == "a link to nowhere":
        (out / name).symlink_to(out / "none")
    assert name in failing(out)


TABLE_CELLS = [
    ("query", 0, lambda _: "rows"),
    ("statistic", 0, lambda _: "entities"),
    ("column", 5, lambda _: "age"),
    ("group:plan", 0, lambda _: "shared"),
    ("bin_low", 11, lambda low: low + 1),
    ("bin_high", 11, lambda _: None),
    ("rank", -1, lambda rank: rank + 1),
    ("category", -1, lambda _: "elsewhere"),
    ("value", 0, lambda _: None),
    ("value", 0, lambda _: float("nan")),
    ("value", 0, lambda _: float("inf")),
    ("value", 0, lambda _: 1e300),
    ("half_width_95", 0, lambda width: width / 2),
    ("half_width_95", 0, lambda width: np.nextafter(width, 0.0)),
    ("half_width_unit", 0, lambda _: "people"),
]
STUDY_CELLS = [
    ("rank", 0, lambda _: 2),
    ("chromosome", 0, lambda _: "22"),
    ("position", 0, lambda _: 10**9),
    ("variant", 0, lambda _: None),
    ("half_width_95", 0, lambda width: width / 2),
    ("cases_frequency", 0, lambda share: share / 2),
    ("chi_squared", 0, lambda value: np.nextafter(value, 1e9)),
    ("chi_squared", 2, lambda _: 100.0),
]


@pytest.mark.parametrize("cell", TABLE_CELLS, ids=lambda cell: f"{cell[0]} {cell[1]}")
def test_what_is_public_of_a_row_is_recomputed(tables, tmp_path, cell):
    out = shutil.copytree(tables, tmp_path / "out")
    column, row, change = cell
    results = pq.read_table(out / "results.parquet")
    rewritten(out, with_cell(results, column, row, change))
    repaired(out)
    assert "results" in failing(out)


FREQUENCY_CELLS = [
    ("group", 0, lambda _: "controls"),
    ("allele", 0, lambda _: None),
    ("noisy_count", 0, lambda _: None),
    ("noisy_count", 1, lambda count: count + 1),
    ("count", 0, lambda _: -40),
    ("frequency", 1, lambda share: np.nextafter(share, 1.0)),
    ("half_width_95", 0, lambda width: width / 2),
    ("frequency_low", 1, lambda low: np.nextafter(low, 1.0)),
    ("frequency_high", 1, lambda high: np.nextafter(high, 0.0)),
    ("present", 0, lambda _: True),
]


@pytest.mark.parametrize("cell", FREQUENCY_CELLS, ids=lambda cell: f"{cell[0]} {cell[1]}")
def test_what_follows_from_noisy_copies_is_recomputed(frequencies, tmp_path, cell):
    out = shutil.copytree(frequencies, tmp_path / "out")
    column, row, change = cell
    results = pq.read_table(out / "results.parquet")
    rewritten(out, with_cell(results, column, row, change))
    repaired(out)
    assert "results" in failing(out)


TREE_CELLS = [
    *(("value", row, lambda value: np.nextafter(value, 1e9)) for row in (13, 15, 18)),
    *(("measured", row, lambda number: number + 1) for row in (13, 15, 17)),
    ("measured", 18, lambda _: 7),
    ("measured", 14, lambda _: None),
    *(("whole_number", row, lambda number: number + 1) for row in (13, 15, 18)),
    ("half_width_95", 16, lambda width: np.nextafter(width, 0.0)),
    ("group:kind", 13, lambda _: "late"),
    ("group:month", 16, lambda _: "2"),
]
CROSSTAB_CELLS = [
    *TREE_CELLS,
    *(("value", row, lambda value: np.nextafter(value, 1e9)) for row in (0, 2, 11)),
    *(("measured", row, lambda number: number + 1) for row in (0, 2, 11)),
    ("measured", 1, lambda _: None),
    ("measured", 1, lambda _: -(2**63)),
    *(("whole_number", row, lambda number: number + 1) for row in (0, 2, 11)),
    ("half_width_95", 3, lambda width: np.nextafter(width, 0.0)),
    ("group:plan", 0, lambda _: "free"),
    ("group:plan", 1, lambda _: None),
    ("group:month", 11, lambda _: "3"),
    ("measured", -1, lambda _: 7),
]


@pytest.mark.parametrize("cell", CROSSTAB_CELLS, ids=lambda cell: f"{cell[0]} {cell[1]}")
def test_what_follows_from_a_crosstabs_noisy_numbers_is_recomputed(crosstabs, tmp_path, cell):
    out = shutil.copytree(crosstabs, tmp_path / "out")
    column, row, change = cell
    results = pq.read_table(out / "results.parquet")
    rewritten(out, with_cell(results, column, row, change))
    repaired(out)
    assert "results" in failing(out)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize("row", [0, 24])
def test_a_changed_synthetic_row_is_found(crosstabs, tmp_path, name, row):
    out = shutil.copytree(crosstabs, tmp_path / "out")
    rows = pq.read_table(out / "rows.parquet")
    other = {"free": "shared", "shared": "other", "other": "free"}
    changed = with_cell(rows, "plan", row, other.get)
    write = {"rows.csv": csv_bytes, "rows.parquet": lambda each: parquet_bytes(each, {})}[name]
    (out / name).write_bytes(write(rows))
    repaired(out)
    assert failing(out) == []
    (out / name).write_bytes(write(changed))
    repaired(out)
    assert failing(out) == [f"{name}, made again"]


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_synthetic_rows_that_nobody_vouches_for_are_found(crosstabs, tmp_path, name):
    out = shutil.copytree(crosstabs, tmp_path / "out")
    path = out / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["files"][name]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "schema" in failing(out)


@pytest.mark.parametrize("cell", STUDY_CELLS, ids=lambda cell: f"{cell[0]} {cell[1]}")
def test_what_follows_from_a_studys_noisy_counts_is_recomputed(studies, tmp_path, cell):
    out = shutil.copytree(studies, tmp_path / "out")
    column, row, change = cell
    results = pq.read_table(out / "results.parquet")
    rewritten(out, with_cell(results, column, row, change))
    repaired(out)
    assert "results" in failing(out)


def test_rows_that_are_turned_round_dropped_or_doubled_are_found(tables, tmp_path):
    whole = pq.read_table(tables / "results.parquet")
    for number, forged in enumerate(
        (whole.slice(1), whole.take([1, 0, *range(2, len(whole))]),
         pa.concat_tables([whole, whole.slice(0, 1)]), whole.slice(0, 0),
         whole.drop_columns(["rank"]), whole.append_column("more", whole["value"]))
    ):  # fmt: skip
        out = shutil.copytree(tables, tmp_path / str(number))
        rewritten(out, forged)
        repaired(out)
        assert "results" in failing(out)


def test_a_number_that_differs_in_one_of_the_two_files_is_found(folder):
    results = pq.read_table(folder / "results.parquet")
    column = "value" if "value" in results.column_names else "variant"
    change = (lambda value: value + 1) if column == "value" else (lambda _: "rs99")
    rewritten(folder, with_cell(results, column, 0, change), csv=False)
    repaired(folder)
    assert "results.csv and results.parquet" in failing(folder)


def test_a_report_that_says_something_else_is_found(folder):
    path = folder / "report.html"
    text = path.read_text(encoding="utf-8")
    forged = text.replace("The noise hides", "Nothing shows").replace("Neighbouring", "All")
    assert forged != text
    path.write_text(forged, encoding="utf-8")
    repaired(folder)
    assert failing(folder) == ["report"]


def test_metadata_that_say_something_else_are_found(folder):
    results = pq.read_table(folder / "results.parquet")
    for about in ({}, {METADATA: b"{"}, {METADATA: b'{"title": "Exact numbers"}'}):
        (folder / "results.parquet").write_bytes(parquet_bytes(results, about))
        repaired(folder)
        assert failing(folder) == ["metadata of the results"]


def test_results_say_what_they_are_limited_to_and_which_statement_they_belong_to(tables, studies):
    for out, kind in ((tables, TableCertificate), (studies, StudyCertificate)):
        made = kind.from_json(json.loads((out / "certificate.json").read_text(encoding="utf-8")))
        told = json.loads(pq.read_metadata(out / "results.parquet").metadata[METADATA])
        assert told["statement_sha256"] == made.statement_sha256
        assert told["title"]
    limits = json.loads(pq.read_metadata(tables / "results.parquet").metadata[METADATA])["limits"]
    assert limits["rows_per_entity"] == 3
    assert limits["queries"]["visits, scaled"] == {"bounds": [0.0, 10.0], "max_contribution": 20.0}


def test_a_file_that_is_no_part_of_the_release_is_named(folder):
    (folder / "notes\u001b.txt").write_text("by hand")
    answer = check(folder)
    assert answer.holds
    assert "notes\ufffd.txt" in {each.what for each in answer.on_trust}


def test_another_releases_results_do_not_fit(tables, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    release(write_case(other, data=table(30)), other / "out")
    out = shutil.copytree(tables, tmp_path / "out")
    for name in ("results.csv", "results.parquet"):
        shutil.copy(other / "out" / name, out / name)
    assert {"results.csv", "results.parquet"} <= set(failing(out))
    repaired(out)
    assert failing(out) == ["report"]


SECRET = """
# 177,259 patients, see private/secret
"""


def test_the_published_plan_has_no_remarks_and_no_place_of_the_data(tmp_path):
    path = write_case(tmp_path)
    path.write_text(SECRET + path.read_text(encoding="utf-8"), encoding="utf-8")
    release(path, tmp_path / "out")
    for name in ("plan.toml", "certificate.json", "report.html", "results.csv"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "177,259" not in text
        assert "visits.parquet" not in text
    document = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert document["plan_sha256"] == sha256(path.read_bytes())
    assert as_toml(document["plan"]).encode() == (tmp_path / "out" / "plan.toml").read_bytes()


def test_neighbouring_tables_differ_in_noisy_values_and_what_follows_from_them(tmp_path):
    documents = []
    for name, people in (("a", 40), ("b", 41)):
        home = tmp_path / name
        home.mkdir()
        release(write_case(home, data=table(people)), home / "out")
        documents.append(json.loads((home / "out" / "certificate.json").read_text("utf-8")))
    one, other = documents
    assert {key for key in one if one[key] != other[key]} <= {"files", "created"}
    assert one["files"]["plan.toml"] == other["files"]["plan.toml"]


BETWEEN = {"just above": lambda x: math.nextafter(x, math.inf), "-0": lambda _: -0.0}
BETWEEN |= {"a quarter of a step": lambda x: x + 2.0**-22}


@pytest.mark.parametrize("change", BETWEEN.values(), ids=BETWEEN)
@pytest.mark.parametrize(
    "query", ["rows by plan", "people", "visits", "rows, scaled", "median age"]
)
def test_a_value_that_no_noise_gives_is_found(tables, tmp_path, query, change):
    """Digits below a step have room for a message, and say that the number is no release's."""
    folder = shutil.copytree(tables, tmp_path / "out")
    results = pq.read_table(folder / "results.parquet")
    row = results["query"].to_pylist().index(query)
    rewritten(folder, with_cell(results, "value", row, change))
    repaired(folder)
    assert "results" in failing(folder)
