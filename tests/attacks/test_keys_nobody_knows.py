"""Keys that nobody knows beforehand: they are values of persons until they pass the threshold."""

import datetime
import itertools
import json
import shutil
import sys
import traceback
import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.certificate import ResultRow
from deniable.certificate.files import METADATA
from deniable.certificate.json_documents import sha256, statement_sha256
from deniable.certificate.results import csv_bytes, parquet_bytes
from deniable.errors import (
    BudgetExceeded,
    DeniableError,
    InvalidArgument,
    NotApplicable,
    PlanError,
)
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection, Query, is_key, sort_keys
from deniable.publish.statistics import Entities
from deniable.publish.totals import exact_totals
from tests.cases import neighbours
from tests.cases.refusals import refuses
from tests.oracles.bounded_tables import Row

LAPLACE = {"epsilon": 2.0, "delta": 1e-6, "noise": "laplace"}
QUERY = {
    "name": "by diagnosis",
    "statistic": "entities",
    "group_by": ["dx"],
    "keys": {"dx": "unknown"},
}
PLAN = {
    "data": {"entity": "person", "adjacency": "replace-one"},
    "target": {"epsilon": 2.0, "delta": 1e-6},
    "limits": {"rows_per_entity": 2},
    "query": [QUERY],
}
COMMON = ["a common diagnosis"]
SECRET = "a rare and telling diagnosis"
HOSTILE = ["<script>alert(1)</script>", "=1+1", 'quoted "and", more', "ä", "a\u0308"]


def frame(keys, each=300):
    """So many people with each of these keys, and one with a key of her own."""
    values = [key for key in keys for _ in range(each)]
    return pl.DataFrame(
        {
            "person": range(len(values) + 1),
            "dx": [*values, SECRET],
            "ward": ["a"] * len(values) + ["b"],
        }
    )


def plan(query=None, **tables):
    return {**PLAN, **tables, "query": [{**QUERY, **(query or {})}]}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    out = tmp_path_factory.mktemp("keys") / "out"
    return deniable.release(PLAN, out, data=frame(HOSTILE)), out


# --- What one entity moves, through the engine.

PROTECTIONS = [Protection(adjacency, rows) for adjacency in Adjacency for rows in (1, 2)]


def test_one_entity_moves_no_more_than_claimed_and_owns_no_more_keys(tmp_path):
    """Every table of up to three rows of one entity, against every other."""
    rows = [Row("e", group, 1.0) for group in ("a", "b", "c", None)]
    tables = [
        list(table)
        for size in range(4)
        for table in itertools.combinations_with_replacement(rows, size)
    ]
    source = neighbours.stored(tmp_path, tables)
    grouping = Grouping(("t", "g"), (tuple(range(len(tables))), ()), unknown=(1,))
    for protection in PROTECTIONS:
        keys = {}
        (counts,) = exact_totals(
            source,
            "entity",
            [(Query("q", Entities(), grouping), protection)],
            keys=keys.__setitem__,
        )
        (part,) = Entities().parts(protection, grouping.cells)
        vectors = np.zeros((len(tables), 3), int)
        for (table, key), count in zip(keys["q"], counts.tolist(), strict=True):
            vectors[table, "abc".index(key)] = count
        assert vectors.sum(axis=1).max() == protection.rows  # as many keys as rows, attained
        moves = vectors
        if protection.adjacency is Adjacency.REPLACE_ONE:
            moves = (vectors[:, None] - vectors[None]).reshape(-1, 3)
        assert abs(moves).sum(axis=1).max() <= part.l1
        assert (moves**2).sum(axis=1).max() <= part.l2**2
        assert (moves != 0).sum(axis=1).max() <= part.moved
        assert part.unknown
        # With three keys, exchanging two rows for one other; with more keys it is attained.
        assert (
            part.l1 == (2 if protection.adjacency is Adjacency.REPLACE_ONE else 1) * protection.rows
        )


# --- What is published.


def test_common_keys_are_published_in_order_and_a_rare_one_is_nowhere(released):
    answer, out = released
    keys = [row.groups["dx"] for row in answer.rows]
    assert keys == sorted(HOSTILE)
    threshold = answer.prepared.queries[0].threshold
    assert all(row.value >= threshold.value for row in answer.rows)
    for path in out.iterdir():
        assert SECRET.encode() not in path.read_bytes(), path.name
    assert SECRET not in json.dumps(answer.as_json())
    assert SECRET not in f"{answer!r}{answer}{answer.prepared!r}"
    assert deniable.check(out).holds


def test_hostile_keys_are_escaped(released):
    _, out = released
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    text = (out / "results.csv").read_text(encoding="utf-8")
    assert "'=1+1" in text
    assert pq.read_table(out / "results.parquet")["group:dx"].to_pylist() == sorted(HOSTILE)


NO_NAMES = [
    "two\nlines",
    "nul\0",
    "\u202eturned",
    "x" * 201,
    "\x85",
    "\u2028",
    "",
    "  ",
    "\xa0",
    "\u061cI10",
    "I10\u200b",
    "\ufeffI10",
    "I\xad10",
    "\U000e0041I10",
    "\ufffe",
    "I10\u2060",
]


def test_a_text_that_is_no_name_is_never_a_key(tmp_path):
    assert not [each for each in NO_NAMES if is_key(each)]
    values = [each for each in NO_NAMES for _ in range(500)] + ["flu"] * 400
    data = pl.DataFrame({"person": range(len(values)), "dx": values})
    answer = deniable.release(PLAN, tmp_path / "out", data=data)
    assert [row.groups["dx"] for row in answer.rows] == ["flu"]


# Unicode 16, DerivedCoreProperties: what makes Default_Ignorable_Code_Point beside category Cf, and
# what of Cf is shown all the same: signs before a number, and those that lay out hieroglyphs.
IGNORABLE = [0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0]
IGNORABLE += [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9)]
IGNORABLE += range(0xE0000, 0xE1000)
SHOWN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
SHOWN |= {*range(0x13430, 0x13440)}
BLANK = [0x2800, 0x1D159, 0x13441, 0x13442, 0x16FE4]
"""Signs that are no spaces and whose glyph is empty."""


def unseen():
    """Numbers of all that shows nothing, by the categories and properties of Unicode."""
    for number in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(number))
        is_format = category == "Cf" and number not in SHOWN
        no_character = number & 0xFFFE == 0xFFFE or 0xFDD0 <= number < 0xFDF0
        if category in ("Cc", "Cs", "Zl", "Zp") or is_format or no_character:
            yield number
    yield from (*IGNORABLE, *BLANK)


def test_nothing_that_cannot_be_seen_is_in_a_key():
    for number in unseen():
        letter = chr(number)
        for text in (letter, f"A{letter}", f"{letter}A", f"A{letter}B", f"{letter} {letter}"):
            assert not is_key(text), hex(number)


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_a_joiner_joins_letters_or_is_no_part_of_a_key(joiner):
    for one, other in (("\u06cc", "\u062e"), ("\u0915\u094d", "\u0937"), ("\u1000", "\u1001")):
        assert is_key(one + joiner + other)
        for text in (
            joiner,
            joiner + one,
            one + joiner,
            one + 2 * joiner + other,
            f"A{joiner}{one}",
        ):
            assert not is_key(text)
    assert is_key("caf\u00e9 \u4e2d \U0001f600 \uac00 \u0e01")


def test_where_no_key_passes_nothing_is_published_and_the_folder_holds(tmp_path):
    answer = deniable.release(PLAN, tmp_path / "out", data=frame([]))
    assert answer.rows == ()
    assert deniable.check(tmp_path / "out").holds


def test_no_row_and_no_value_is_no_key(tmp_path):
    data = pl.DataFrame({"person": [1, 2], "dx": pl.Series([None, None], dtype=pl.String)})
    assert deniable.release(PLAN, tmp_path / "out", data=data).rows == ()


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([10, 9, -1], [-1, 9, 10]),
        ([True, False], [False, True]),
        (
            [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)],
            [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)],
        ),
    ],
)
def test_keys_keep_their_type(tmp_path, values, order):
    data = pl.DataFrame(
        {"person": range(300 * len(values)), "dx": [value for value in values for _ in range(300)]}
    )
    answer = deniable.release(PLAN, tmp_path / "out", data=data)
    assert [row.groups["dx"] for row in answer.rows] == order
    assert deniable.check(tmp_path / "out").holds


def test_listed_keys_beside_unknown_ones_keep_the_order_of_the_plan(tmp_path):
    values = list(itertools.product(["b", "a", "z"], ["flu", "cold"]))
    data = pl.DataFrame(
        {
            "person": range(300 * len(values)),
            "ward": [ward for ward, _ in values for _ in range(300)],
            "dx": [dx for _, dx in values for _ in range(300)],
        }
    )
    query = {"group_by": ["ward", "dx"], "keys": {"ward": ["b", "a"], "dx": "unknown"}}
    answer = deniable.release(plan(query), tmp_path / "out", data=data)
    found = [(row.groups["ward"], row.groups["dx"]) for row in answer.rows]
    assert found == [("b", "cold"), ("b", "flu"), ("a", "cold"), ("a", "flu")]
    assert deniable.check(tmp_path / "out").holds


def test_the_noise_of_keys_below_the_threshold_is_drawn_and_dropped(tmp_path):
    """A key of as many people as the threshold is there in about half of all releases."""
    prepared = deniable.plan(PLAN, data=frame(["flu"]))
    (query,) = prepared.queries
    threshold = query.threshold.value
    data = pl.DataFrame(
        {"person": range(40 * threshold), "dx": [i % 40 for i in range(40 * threshold)]}
    )
    answer = deniable.release(PLAN, tmp_path / "out", data=data)
    # Binomial(40, ½ or a little more): outside of 3 to 38 with a probability below 1e-8.
    assert 3 <= len(answer.rows) <= 38
    assert deniable.check(tmp_path / "out").holds


# --- What fails says nothing.


def test_an_error_after_the_totals_names_no_key(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    with pytest.raises(OSError, match="No space") as caught:
        deniable.release(PLAN, tmp_path / "out", data=frame(COMMON))
    text = "".join(traceback.format_exception(caught.value))
    assert SECRET not in text
    assert COMMON[0] not in text


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (plan(target={"epsilon": 1.0}), "delta-where-keys-are-unknown"),
        (plan({"statistic": "count"}), "list-of-keys: count"),
        (plan({"statistic": "sum", "column": "x", "bounds": [0, 1]}), "list-of-keys: sum"),
        (plan({"keys": {"dx": "unknown", "other": ["a"]}}), "keys-of-no-column: other"),
        (plan({"keys": {"dx": ["a"]}}, target=LAPLACE), "unknown-keys-beside-laplace"),
        (plan(target={"epsilon": 1.0, "noise": "laplace"}), "delta-beside-noise"),
        (plan(target={**PLAN["target"], "noise": "loud"}), "noise-loud"),
        (
            plan(sample={"design": "simple-random", "size": 5, "population": 10}),
            "keys-that-are-listed-beside",
        ),
        (
            {**plan(), "query": [{"name": "q", "statistic": "crosstab", "columns": ["dx"]}],
             "keys": {"dx": "unknown"}},
            "list-of-keys-unknown",
        ),
    ],
)  # fmt: skip
def test_what_is_not_proved_is_refused(changed, words):
    with refuses(PlanError, words):
        deniable.plan(changed, data=frame(["flu"]))


def test_a_ledger_that_is_handed_over_is_refused_before_it_is_charged(tmp_path):
    book = tmp_path / "book.ledger"
    deniable.ledger.new(book, "people", epsilon=1.0, delta=1e-6, entity="person")
    with refuses(NotApplicable, "no-budget-of-exposure-keys: 1e-09"):
        deniable.release(PLAN, tmp_path / "out", data=frame(["flu"]), ledger=book, dataset="people")
    assert deniable.Ledger(book).entries("people") == ()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("day", [2**31 - 1, -(2**31), 2_932_897, -719_163], ids=str)
def test_a_day_that_no_calendar_has_takes_no_part_and_ends_no_release(tmp_path, day):
    """Of one person: the days before the year 1 and after 9999, and what means infinity."""
    days = pa.array([19_000] * 900 + [day], pa.int32()).cast(pa.date32())
    table = pa.table({"person": range(901), "dx": days})
    pq.write_table(table, tmp_path / "visits.parquet")
    for number, source in enumerate((table, None)):
        asked = (
            PLAN
            if source is not None
            else plan(data={**PLAN["data"], "source": str(tmp_path / "visits.parquet")})
        )
        answer = deniable.release(asked, tmp_path / f"{number}", data=source)
        assert [row.groups["dx"] for row in answer.rows] == [datetime.date(2022, 1, 8)]
        assert deniable.check(tmp_path / f"{number}").holds


# --- With a ledger: both budgets, or none.


def paid(tmp_path, target=None, **limits):
    """A ledger with room for one such release, and the plan that asks it to pay."""
    book = tmp_path / "book.ledger"
    deniable.ledger.new(book, "people", entity="person", **limits)
    return book, plan(**({} if target is None else {"target": target}))


@pytest.mark.parametrize(
    ("target", "limits"),
    [
        (PLAN["target"], {"epsilon": 3.0, "delta": 1e-5, "exposure": 6e-7}),
        (LAPLACE, {"epsilon": 20.0, "delta": 1e-5, "exposure": 1.1e-6}),
        (LAPLACE, {"epsilon": 2.1, "exposure": 1.1e-6}),
        ({"gamma": 3.0, "delta": 1e-5}, {"gamma": 10.0, "delta": 1e-4, "exposure": 1e-6}),
    ],
    ids=["gaussian", "laplace in rho", "laplace in epsilon", "a belief"],
)
def test_a_release_by_unknown_keys_is_charged_to_both_budgets(tmp_path, target, limits):
    book, asked = paid(tmp_path, target, **limits)
    before = deniable.ledger.cost(book, deniable.plan(asked, data=frame(["flu"])))
    assert before.fits
    answer = deniable.release(
        asked, tmp_path / "out", data=frame(["flu"]), ledger=book, dataset="people"
    )
    block, (charge, _) = answer.ledger, deniable.Ledger(book).entries("people")
    assert (charge.units, charge.exposure) == (before.units, before.exposure)
    assert charge.exposure > 0
    # What is charged is all that the thresholds of the release may expose, and no less.
    thresholds = [query.threshold.exposure for query in answer.prepared.queries]
    assert sum(thresholds) <= block.exposure <= answer.prepared.calibration.exposure + 2.0**-50
    assert deniable.check(tmp_path / "out").holds
    assert deniable.ledger.check(book, [tmp_path / "out"]).holds
    assert SECRET not in json.dumps(deniable.ledger.show(book).as_json())


def test_the_second_budget_refuses_where_the_first_has_room_and_says_what_would_fit(tmp_path):
    book, asked = paid(tmp_path, epsilon=9.0, delta=1e-5, exposure=6e-7)
    deniable.release(asked, tmp_path / "one", data=frame(["flu"]), ledger=book, dataset="people")
    words = "exposure-left"
    with refuses(BudgetExceeded, words) as refused:
        deniable.release(
            asked, tmp_path / "two", data=frame(["flu"]), ledger=book, dataset="people"
        )
    assert not (tmp_path / "two").exists()
    answer = deniable.ledger.cost(book, deniable.plan(asked, data=frame(["flu"])))
    assert not answer.fits
    assert answer.would_fit is None
    assert f"{answer.delta_would_fit:g}" in str(refused.value)
    smaller = plan(target={**PLAN["target"], "delta": answer.delta_would_fit})
    deniable.release(smaller, tmp_path / "two", data=frame(["flu"]), ledger=book, dataset="people")
    assert deniable.ledger.check(book, [tmp_path / "one", tmp_path / "two"]).holds


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_a_share_is_one_of_both_budgets(tmp_path, noise):
    book, _ = paid(tmp_path, epsilon=6.0, delta=1e-4, exposure=9e-7)
    deltas = {"gaussian": 6e-7, "laplace": 3e-7}
    asked = plan(
        target={"delta": deltas[noise] * 0.999, "noise": noise},
        ledger={"file": str(book), "dataset": "people", "share": "1/3"},
    )
    for number in range(3):
        deniable.release(asked, tmp_path / f"{number}", data=frame(["flu"]))
        assert deniable.check(tmp_path / f"{number}").holds
    people, spent = (
        deniable.Ledger(book).dataset("people"),
        deniable.Ledger(book).spending("people"),
    )
    assert people.budget * 0.98 < spent.units <= people.budget
    assert people.exposure * 0.99 < spent.exposure <= people.exposure
    asked["target"]["delta"] = 1.01 * deltas[noise]
    with refuses(PlanError, "exposure-of-at-most-2-99"):
        deniable.plan(asked, data=frame(["flu"]))


def test_a_share_of_a_dataset_without_exposure_is_refused_when_the_plan_is_read(tmp_path):
    book, _ = paid(tmp_path, epsilon=6.0, delta=1e-4)
    asked = plan(
        target={"delta": 1e-6}, ledger={"file": str(book), "dataset": "people", "share": 0.5}
    )
    with refuses(NotApplicable, "no-budget-of-exposure-keys"):
        deniable.plan(asked, data=frame(["flu"]))


def test_an_exposure_of_the_ledger_that_a_certificate_hides_is_seen_by_both_checks(tmp_path):
    book, asked = paid(tmp_path, epsilon=3.0, delta=1e-5, exposure=6e-7)
    out = tmp_path / "out"
    deniable.release(asked, out, data=frame(["flu"]), ledger=book, dataset="people")

    def hide(document):
        document["ledger"]["exposure"] /= 2

    sealed(out, hide)
    assert not deniable.check(out).holds
    assert not deniable.ledger.check(book, [out]).holds


@pytest.mark.parametrize("other", [6, "SECRET"])
def test_what_a_column_is_declared_to_hold_is_not_asked_of_its_cells(tmp_path, other):
    """The list of a pandas categorical has a type of its own, which one cell may change."""
    column = pd.Series([5] * 500 + [other], dtype="category")
    data = pd.DataFrame({"person": range(501), "dx": column})
    declared = plan(data={**PLAN["data"], "types": {"dx": "integer"}})
    answer = deniable.release(declared, tmp_path / "out", data=data)
    assert [row.groups["dx"] for row in answer.rows] == [5]


def test_a_target_of_other_neighbours_is_refused():
    asked = plan(
        data={**PLAN["data"], "adjacency": "add-remove"},
        target={"identifiability": {"rho": 0.3, "worlds": 8}, "delta": 1e-6},
    )
    with refuses(InvalidArgument, "neighbours-where-keys-are-unknown"):
        deniable.plan(asked, data=frame(["flu"]))


@pytest.mark.parametrize("values", [[0.5, 1.5], [datetime.datetime(2024, 1, 1), None]])
def test_values_that_have_no_one_spelling_are_refused(values):
    with refuses(PlanError, "where-keys-are-unknown"):
        deniable.plan(PLAN, data=pl.DataFrame({"person": [1, 2], "dx": values}))


# --- What a forger would write.


def forged(folder, change):
    """The results changed, and every digest made anew."""
    results = pq.read_table(folder / "results.parquet")
    about = pq.read_metadata(folder / "results.parquet").metadata
    results = change(results)
    (folder / "results.parquet").write_bytes(parquet_bytes(results, {METADATA: about[METADATA]}))
    (folder / "results.csv").write_bytes(csv_bytes(results))
    sealed(folder, lambda _: None)


def sealed(folder, change):
    path = folder / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    document["files"] = {name: sha256((folder / name).read_bytes()) for name in document["files"]}
    document["statement_sha256"] = statement_sha256(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def with_cell(table, column, row, value):
    values = table[column].to_pylist()
    values[row] = value
    place = table.column_names.index(column)
    return table.set_column(place, table.field(column), pa.array(values, table[column].type))


FORGED = {
    "a number below the threshold": lambda t: with_cell(t, "value", 0, 3.0),
    "a number that is not whole": lambda t: with_cell(t, "value", 0, 300.5),
    "no number": lambda t: with_cell(t, "value", 0, None),
    "a key twice": lambda t: pa.concat_tables([t.slice(0, 1), t]),
    "another order": lambda t: pa.concat_tables([t.slice(1), t.slice(0, 1)]),
    "a key that is none": lambda t: with_cell(t, "group:dx", 0, "two\nlines"),
    "no key": lambda t: with_cell(t, "group:dx", 0, None),
    "a smaller error": lambda t: with_cell(t, "half_width_95", 0, 1.0),
    "another query": lambda t: with_cell(t, "query", 0, "another"),
}


@pytest.fixture(scope="module")
def three_people(tmp_path_factory):
    out = tmp_path_factory.mktemp("released") / "out"
    deniable.release(PLAN, out, data=frame(["a", "b", "c"]))
    return out


@pytest.fixture
def folder(three_people, tmp_path):
    return shutil.copytree(three_people, tmp_path / "out")


@pytest.mark.parametrize("name", FORGED)
def test_forged_results_do_not_hold(folder, name):
    forged(folder, FORGED[name])
    assert not deniable.check(folder).holds


@pytest.mark.parametrize(
    "change",
    [
        lambda query: query["threshold"].update(value=query["threshold"]["value"] - 1),
        lambda query: query["threshold"].update(exposure=1e-12),
        lambda query: query["threshold"].update(keys_per_entity=1),
        lambda query: query["threshold"].update(columns=["other"]),
        lambda query: query.pop("threshold"),
        lambda query: query.update(cells=5),
    ],
)
def test_a_forged_threshold_does_not_hold(folder, change):
    sealed(folder, lambda document: change(document["queries"][0]))
    assert not deniable.check(folder).holds


def test_a_forged_exposure_does_not_hold(folder):
    sealed(folder, lambda document: document["guarantee"].update(exposure=1e-12))
    assert not deniable.check(folder).holds
    sealed(folder, lambda document: document["guarantee"].pop("exposure"))
    assert not deniable.check(folder).holds


def test_the_order_of_keys_is_that_of_the_keys_alone():
    grouping = Grouping(("t", "g"), ((2, 1), ()), unknown=(1,))
    keys = [(1, "b"), (2, "b"), (1, "a")]
    for given in itertools.permutations(keys):
        assert sort_keys(grouping, given) == ((2, "b"), (1, "a"), (1, "b"))


def test_rows_say_what_they_are(released):
    answer, _ = released
    assert {type(row) for row in answer.rows} == {ResultRow}
    assert {(row.statistic, row.half_width_unit) for row in answer.rows} == {
        ("entities", "entities")
    }


def test_what_looks_at_fixed_cells_is_refused_in_a_sentence(released):
    _, out = released
    with refuses(DeniableError, "whose-keys-are-listed"):
        deniable.explore(PLAN, data=frame(["flu"]))
    for target in (PLAN, out):
        with refuses(DeniableError, "whose-keys-are-listed"):
            deniable.audit(target, runs=200)


def test_a_preview_counts_who_takes_part():
    answer = deniable.preview(PLAN, data=frame(["flu", "cold"]))
    (removed,) = answer.removed
    assert (removed.taking_part, removed.kept, removed.unit) == (601, 601, "entities")
    assert (removed.keys, removed.keys_above) == (3, 2)
    lines = dict(removed.lines())
    assert lines["different keys"] == "3"
    assert lines["of them at the threshold or above"] == "2 (66.7 %)"
    assert SECRET not in str(lines)
