"""A fixed sample of the fuzzer's neighbours, and faults that it has to find.

The fuzzer itself runs for hours: `python -m tests.fuzz.neighbours --help`.
"""

import attrs
import numpy as np
import pytest

from deniable.notions import Adjacency
from deniable.publish import kind, prepared_query
from deniable.publish.derived.columns import Arithmetic, TruthValue
from deniable.publish.query import RowValues, sensitivity
from deniable.publish.query.units import Span, int64_literal
from deniable.publish.sources import pandas_frame
from deniable.publish.sources.kinds import Kind
from deniable.publish.statistics import Entities, Quantile, Top
from deniable.publish.totals import aggregate, passes
from tests.cases.effort import one_in, some_pairs, usual
from tests.fuzz import servers
from tests.fuzz.attempt import attempted
from tests.fuzz.forms import FORMS
from tests.fuzz.neighbours import ADJACENCIES, QUERIES, SIZES, block, blocks, drawn, figures, run
from tests.fuzz.plans import BOUNDINGS, UNKNOWN

SERVERS = {"postgres": servers.postgres_form, "spark": servers.spark_form}
TABLES = [(adjacency, has) for has in (True, False) for adjacency in ADJACENCIES]
"""Which tables are neighbours, and whether an entity has several rows."""


def outcome(
    form, name, adjacency, has_entity, folder, size, statistics=None, deriving=0.0, some=tuple
):
    """Of a plan that was drawn, or of some of its queries."""
    plan, world, draw = drawn(name, form, adjacency, has_entity, size, statistics, deriving)
    plan = attrs.evolve(plan, queries=tuple(some(plan.queries)))
    return attempted(form, plan, world, folder, draw)


@pytest.mark.parametrize(("form", "tables"), some_pairs([*FORMS, "postgres"], TABLES))
def test_neighbours_of_a_sample_lie_within_every_claim(form, tables, tmp_path, request):
    adjacency, has_entity = tables
    made = FORMS.get(form) or SERVERS[form](request.getfixturevalue(form))
    size = {"replace-one": 2, "add-remove": 1}[adjacency]
    known = ("truncated", "scaled") if has_entity else ("one row",)
    every = [(each, of) for of in known for each in BOUNDINGS[of]]
    turn = [*FORMS, "postgres"].index(form) // len(TABLES)

    def some(each):
        return one_in(3, each, turn)

    # A plan that was drawn may compare a 32-bit column with a value that none holds: another one.
    for name in (f"sample {form}", f"another sample {form}", f"a third sample {form}"):
        found = outcome(made, name, adjacency, has_entity, tmp_path, size, every, some=some)
        if not found.refused:
            break
    assert found.violations == []
    assert found.refused == ""
    assert set(found.pairs) == set(some(every))


DERIVING = [
    ("count", "truncated"),
    ("sum", "truncated"),
    ("histogram", "scaled"),
    ("top", "truncated"),
    ("mean", "truncated"),
]


@pytest.mark.parametrize(
    ("form", "adjacency"),
    [*zip(("csv", "parquet", "pandas objects", "postgres"), ADJACENCIES * 2, strict=True)],
)
def test_neighbours_through_derived_columns_lie_within_every_claim(
    form, adjacency, tmp_path, request
):
    made = FORMS.get(form) or SERVERS[form](request.getfixturevalue(form))
    size = {"replace-one": usual(2, 3), "add-remove": usual(1, 2)}[adjacency]
    turn = form in ("csv", "parquet")

    def some(each):
        return one_in(2, each, turn)

    name = f"columns {form}"
    found = outcome(made, name, adjacency, True, tmp_path, size, DERIVING, 1.0, some)
    assert (found.violations, found.refused) == ([], "")
    assert set(found.pairs) == set(some(DERIVING))


@pytest.mark.parametrize(
    ("form", "tables"), one_in(2, some_pairs([*FORMS, "postgres"], TABLES[2:] + TABLES[:2]))
)
def test_neighbours_by_keys_that_nobody_knows_lie_within_every_claim(
    form, tables, tmp_path, request
):
    """With filters and derived columns; and what one of two tables has alone is one entity's."""
    adjacency, has_entity = tables
    made = FORMS.get(form) or SERVERS[form](request.getfixturevalue(form))
    size = {"replace-one": usual(2, 4), "add-remove": usual(1, 2)}[adjacency]
    asked = [UNKNOWN] * usual(2, 4)
    found = outcome(made, f"keys {form} 2", adjacency, has_entity, tmp_path, size, asked, 0.5)
    assert (found.violations, found.refused) == ([], "")
    assert set(found.pairs) == {UNKNOWN}


def test_neighbours_in_spark_lie_within_every_claim(spark, tmp_path):
    form = servers.spark_form(spark)
    asked = [
        ("sum", "truncated"),
        ("count", "scaled"),
        ("top", "truncated"),
        ("quantile", "truncated"),
    ]
    some = one_in(2, asked)
    found = outcome(form, "sample spark", "add-remove", True, tmp_path, 1, some)
    assert (found.violations, found.refused) == ([], "")


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setitem(SIZES, "replace-one", 2)
    forms, told = {"arrow": FORMS["arrow"]}, []
    run(1, tmp_path, forms, told.append)
    path = tmp_path / "blocks.jsonl"
    first, *more = blocks(path)
    assert not more, (first["refused"], first["violations"])
    with path.open("a", encoding="utf-8") as file:
        file.write('{"block": 1, "pairs": [["sum"')  # killed while it wrote
    run(1, tmp_path, forms, told.append)
    assert list(blocks(path)) == [first]
    assert len(told) == 1
    assert block(0, forms, tmp_path)[2].runs == first["runs"]
    assert figures([first]).startswith(
        f"{QUERIES} pairs in {2 * QUERIES} runs of 1 blocks; 0 blocks"
    )


# Faults: what is changed, and the smallest search in which it must be seen.


def halved(monkeypatch):
    true = sensitivity.of_values

    def of_values(*given, **more):
        whole_one = true(*given, **more)
        return attrs.evolve(whole_one, l1=(whole_one.l1 + 1) // 2, l2=whole_one.l2 / 2)

    monkeypatch.setattr(sensitivity, "of_values", of_values)


def one_row_more(monkeypatch):
    true = passes.truncate_rows
    monkeypatch.setattr(
        passes, "truncate_rows", lambda *given: true(*given[:4], given[4] + 1, given[5])
    )


def scaled_to_more(monkeypatch):
    monkeypatch.setattr(
        aggregate,
        "scale_contributions",
        lambda *given, **how: passes.scale_contributions(*given[:5], given[5] * 5 // 4, **how),
    )


def scaled_and_rounded_up(monkeypatch):
    # As C/L without the margin and to the nearest: sums of cells pass C by halves of a step.
    monkeypatch.setattr(passes, "toward_zero", lambda: lambda number: number.ceil())
    monkeypatch.setattr("numpy.trunc", np.ceil)


def not_clipped(monkeypatch):
    def units(span, value):
        low, high = (2 * each for each in (span.low, span.high))
        steps = (value / span.grid.step).clip(-(2.0**40), 2.0**40).round().cast("int64")
        return steps.clip(int64_literal(min(low, -1)), int64_literal(max(high, 1)))

    monkeypatch.setattr(Span, "units", units)


def rows_for_entities(monkeypatch):
    monkeypatch.setattr(Entities, "row_values", lambda _, __: RowValues((int64_literal(1),)))


def rows_drawn_by_all(monkeypatch):
    """Which rows are kept of one depends on how many rows there are of everybody."""

    true = passes.truncate_rows

    def truncated(engine, table, entity, values, rows, salt):
        people = engine.fetch_integer(table.count())
        return true(engine, table, entity, values, rows, f"{salt}{people}")

    monkeypatch.setattr(passes, "truncate_rows", truncated)


def replaced_as_if_added(monkeypatch):
    true = Quantile.parts

    def parts(statistic, protection, cells):
        return true(statistic, attrs.evolve(protection, adjacency=Adjacency.ADD_REMOVE), cells)

    monkeypatch.setattr(Quantile, "parts", parts)


def monotone(monkeypatch):
    true = Top.parts

    def parts(statistic, protection, cells):
        return tuple(
            attrs.evolve(each, monotone=True) for each in true(statistic, protection, cells)
        )

    monkeypatch.setattr(Top, "parts", parts)


def too_little_noise(monkeypatch):
    true = prepared_query.calibrate_mechanism

    def calibrate_mechanism(part, share):
        noise = true(part, share)
        return attrs.evolve(noise, scale=noise.scale * 0.75)

    monkeypatch.setattr(prepared_query, "calibrate_mechanism", calibrate_mechanism)


def certified_as_less(monkeypatch):
    true = kind.certify_part

    def certify_part(part, share, mechanism, width):
        found = true(part, share, mechanism, width)
        less = attrs.evolve(found.sensitivity, value=found.sensitivity.value * 0.75)
        return attrs.evolve(found, sensitivity=less)

    monkeypatch.setattr(kind, "certify_part", certify_part)


def whole_column_decides(monkeypatch):
    """Numbers are read if all objects are numbers of Python's own, as one object may not be."""
    true = pandas_frame.convert_values

    def convert_values(objects, kind):
        if kind is Kind.NUMBER and set(map(type, objects.dropna())) - {int, float}:
            return true(objects.map(lambda _: None), kind)
        return true(objects, kind)

    monkeypatch.setattr(pandas_frame, "convert_values", convert_values)


def some_object_ends_it(monkeypatch):
    true = pandas_frame.convert_values

    def convert_values(objects, kind):
        if any(isinstance(each, bytes) for each in objects):
            raise ValueError("bytes")
        return true(objects, kind)

    monkeypatch.setattr(pandas_frame, "convert_values", convert_values)


def computed_from_all_rows(monkeypatch):
    """A condition that is true of all rows or of none, as there are more or fewer of them."""

    def value(column, table):
        return table[column.inputs[0]].count().over() % 2 == 0

    monkeypatch.setattr(TruthValue, "value", value)


def some_number_ends_it(monkeypatch):
    """Numbers beyond 64 bits are an error of the engine's."""
    true = Arithmetic.value
    monkeypatch.setattr(
        Arithmetic, "value", lambda *given: true(*given).cast("int64").cast("float64")
    )


def keys_without_bound(monkeypatch):
    """An entity is in as many keys as it has rows, and the threshold is for as many as claimed."""
    true = passes.truncate_rows
    monkeypatch.setattr(
        passes, "truncate_rows", lambda *given: true(*given[:4], given[4] + 2, given[5])
    )


COUNT, SUM, SCALED = ("count", "truncated"), ("sum", "truncated"), ("sum", "scaled")
FAULTS = {
    halved: ("arrow", "replace-one", [SUM, COUNT], "claimed", 1),
    one_row_more: ("arrow", "add-remove", [COUNT, SUM], "claimed", 1),
    scaled_to_more: ("arrow", "add-remove", [("count", "scaled"), SCALED], "claimed", 3),
    scaled_and_rounded_up: ("arrow", "add-remove", [("histogram", "scaled")] * 3, "claimed", 0),
    not_clipped: ("arrow", "replace-one", [SUM, ("mean", "truncated")], "claimed", 1),
    rows_for_entities: ("arrow", "add-remove", [("entities", "truncated")] * 2, "claimed", 3),
    rows_drawn_by_all: ("arrow", "add-remove", [COUNT, SUM], "claimed", 1),
    replaced_as_if_added: ("arrow", "replace-one", [("quantile", "one row")] * 3, "claimed", 1),
    monotone: ("arrow", "replace-one", [("top", "truncated")] * 2, "both ways", 6),
    too_little_noise: ("arrow", "replace-one", [COUNT, ("top", "truncated")], "less noise", 2),
    certified_as_less: ("arrow", "add-remove", [COUNT, SUM], "certificate says less", 1),
    whole_column_decides: ("pandas objects", "replace-one", [SUM, COUNT], "claimed", 2),
    some_object_ends_it: ("pandas objects", "replace-one", [COUNT], "one ends as", 1),
}
DERIVED_FAULTS = {
    computed_from_all_rows: ("arrow", "add-remove", [COUNT] * 3, "claimed", 0),
    some_number_ends_it: ("arrow", "replace-one", [SUM] * 4, "one ends as", 12),
}
"""The same in plans that derive columns."""
FAULTS |= {keys_without_bound: ("arrow", "add-remove", [UNKNOWN] * 3, "more keys of one", 1)}
MOST_BLOCKS = 16
"""The last number of a line above is the first block that shows it; those before are left out."""


SOME = [
    halved, scaled_and_rounded_up, rows_drawn_by_all, monotone, too_little_noise, certified_as_less,
    some_object_ends_it, keys_without_bound, *DERIVED_FAULTS,
]  # fmt: skip
"""All that a fuzzer may say, of both kinds of bounding, of whose rows, and of derived columns."""


@pytest.mark.parametrize(
    "fault", usual(SOME, [*FAULTS, *DERIVED_FAULTS]), ids=lambda fault: fault.__name__
)
def test_a_planted_fault_is_seen_within_a_hundred_pairs(fault, tmp_path, monkeypatch):
    form, adjacency, asked, words, first = (FAULTS | DERIVED_FAULTS)[fault]
    deriving = float(fault in DERIVED_FAULTS)
    has_entity = asked[0][1] != "one row"
    size = {"replace-one": 4, "add-remove": 2}[adjacency]
    fault(monkeypatch)
    for number in range(first, MOST_BLOCKS):
        found = outcome(
            FORMS[form], f"fault {number}", adjacency, has_entity, tmp_path, size, asked, deriving
        )
        if any(words in each.what for each in found.violations):
            return
    pytest.fail("not seen")
