"""Releases with one broken step, each of which an audit finds; production's own is consistent."""

import json
import shutil
from collections import defaultdict

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.auditing.plans.audit import audit_plan, compare_releases
from deniable.auditing.plans.pairs import choose_pair, prepare_plan, write_plan
from deniable.auditing.plans.tables import PRODUCTION, Steps, read_audited_plan
from deniable.mechanisms import DiscreteLaplace
from deniable.pipeline.release import rehearse_noise
from deniable.publish.prepare import calibrate_plan
from deniable.publish.release import release
from deniable.publish.sources.reader import frame_of
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.attacked_plans import written
from tests.cases.effort import some_pairs, usual

RUNS = 4_000
"""Of each audit; half of them measure, which shows an epsilon of 6 at most."""
CONFIDENCE = 1 - 1e-6
"""A sound release is called broken with probability 1e-6 at most."""


def with_half_the_noise(plan):
    prepared = calibrate_plan(plan)
    queries = tuple(
        attrs.evolve(
            query, mechanisms=tuple(DiscreteLaplace(each.scale / 2) for each in query.mechanisms)
        )
        for query in prepared.queries
    )
    return attrs.evolve(prepared, queries=queries)


def from_one_seed(made_up, times):
    generator = np.random.default_rng(20_261_122)
    noise = made_up.mechanism.draws(generator, made_up.part.coordinates)
    return np.tile(made_up.numbers + noise, (times, 1))


@attrs.define
class UsedTwice:
    """Every second part gets the noise of the one before."""

    last: np.ndarray | None = None

    def __call__(self, made_up, times):
        if self.last is not None:
            noisy, self.last = made_up.numbers + self.last, None
            return noisy
        noisy = rehearse_noise(made_up, times)
        self.last = noisy - made_up.numbers
        return noisy


class OfOneRow:
    """One draw for all coordinates of a part."""

    def __call__(self, made_up, times):
        one = attrs.evolve(made_up.part, coordinates=1)
        noise = rehearse_noise(
            attrs.evolve(made_up, part=one, numbers=np.zeros(1, np.int64)), times
        )
        return made_up.numbers + noise


def kept_in_the_order_of_the_file(source, entity, work, **words):
    """Which rows an entity keeps goes by a hash of their places in the whole file."""
    table = source.frame.rows(source.frame.names, source.base)
    rows = table.to_pylist()
    kept, counted = [], defaultdict(int)
    limit = work[0][1].rows
    for place in sorted(range(len(rows)), key=lambda each: (each * 7919) % 104_729 % 97):
        name = rows[place][entity]
        counted[name] += 1
        if counted[name] <= limit:
            kept.append(rows[place])
    first = frame_of(pa.Table.from_pylist(kept, table.schema))
    return exact_totals(attrs.evolve(source, frame=first), entity, work, **words)


def on_a_grid_of_the_data(source, entity, work, **words):
    """Totals are rounded to the power of two that the largest of them decides."""
    found = exact_totals(source, entity, work, **words)
    steps = [2 ** max(int(np.abs(each).max()).bit_length() - 1, 0) for each in found]
    return [
        np.round(each / step).astype(np.int64) * step
        for each, step in zip(found, steps, strict=True)
    ]


BROKEN = {
    "noise of half the scale": (("sum",), Steps(prepared=with_half_the_noise)),
    "a reused seed": (("sum",), Steps(noise=from_one_seed)),
    "noise of one query used twice": (("count", "entities"), Steps(noise=UsedTwice())),
    "one draw for all cells": (("count in cells",), Steps(noise=OfOneRow())),
    "rows kept by their place in the file": (
        ("count in cells",),
        Steps(totals=kept_in_the_order_of_the_file),
    ),
    "a grid that depends on the data": (("sum",), Steps(totals=on_a_grid_of_the_data)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_step_is_found(tmp_path, name):
    queries, steps = BROKEN[name]
    path = written(tmp_path, *queries, adjacency="add-remove", target="epsilon = 2.0")
    runs = RUNS if name == "noise of half the scale" else usual(RUNS // 5, RUNS)
    words = {"runs": runs, "releases": 0, "confidence": CONFIDENCE}
    answer = audit_plan(path, steps=steps, **words)
    assert answer.verdict == "violated"
    assert answer.found.lower > answer.claimed_epsilon == 2.0


@pytest.mark.parametrize(
    ("adjacency", "target"),
    some_pairs(["add-remove", "replace-one"], ["epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-6"]),
)
def test_production_is_consistent_and_the_attack_is_strong(tmp_path, adjacency, target):
    """Of ε = 1 so many runs show .8, give or take .05: half of it is six such widths away."""
    path = written(tmp_path, "count in cells", adjacency=adjacency, target=target)
    runs = usual(RUNS, 4 * RUNS) if "delta" in target else 4 * RUNS
    answer = audit_plan(path, runs=runs, releases=0, confidence=CONFIDENCE)
    assert answer.verdict == "consistent"
    assert answer.adjacency == adjacency
    if "delta" not in target:
        assert answer.found.lower > 0.5


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One whole release of each of two neighbours, by their numbers of rows."""
    place = tmp_path_factory.mktemp("neighbours")
    told = read_audited_plan(written(place, "sum in cells", "top", adjacency="add-remove"))
    private = place / "private"
    private.mkdir()
    pair = choose_pair(told, prepare_plan(write_plan(private, told), told, PRODUCTION), PRODUCTION)
    made = {}

    def kept(plan, out, *, data):
        done = release(plan, out, data=data)
        made[len(data)] = shutil.copytree(out, place / f"of {len(data)}"), done
        return done

    assert compare_releases(told, pair, Steps(released=kept), 1, place / "private") == []
    return told, pair, made


def in_the_metadata(out, rows):
    """The number of rows of the table in the metadata of the results."""
    path = out / "results.parquet"
    found = pq.read_table(path)
    told = {**found.schema.metadata, b"source_rows": str(rows).encode()}
    pq.write_table(found.replace_schema_metadata(told), path, compression="zstd")


def left_over(out, rows):
    (out / ".part").write_bytes(b"0" * rows)


def left_over_and_named(out, rows):
    (out / f".spill-{rows}").touch()


def left_beside(out, rows):
    (out.parent / f"rows-{rows}").mkdir()


def with_other_rights(out, rows):
    (out / "results.csv").chmod(0o600 if rows % 2 else 0o640)


def in_the_certificate(out, rows):
    path = out / "certificate.json"
    told = json.loads(path.read_bytes())
    told["assumptions"].append(f"{rows} rows")
    path.write_text(json.dumps(told), encoding="utf-8")


def with_keys_in_another_order(out, rows):
    path = out / "certificate.json"
    told = json.loads(path.read_bytes())
    path.write_text(json.dumps(dict(sorted(told.items(), reverse=rows % 2 == 0))), encoding="utf-8")


def in_the_report(out, rows):
    path = out / "report.html"
    path.write_text(path.read_text(encoding="utf-8") + f"<!-- {rows} -->", encoding="utf-8")


def not_rounded(out, rows):
    """A value of the results with what the grid should have taken away."""
    path = out / "results.parquet"
    found = pq.read_table(path)
    values = [None if each is None else each + rows * 2.0**-30 for each in column(found)]
    at = found.column_names.index("value")
    changed = found.set_column(at, found.schema.field(at), pa.array(values, pa.float64()))
    pq.write_table(changed, path, compression="zstd")


def column(table):
    return table["value"].to_pylist()


def rows_by_size(out, rows):
    path = out / "results.parquet"
    found = pq.read_table(path)
    order = range(len(found)) if rows % 2 else range(len(found) - 1, -1, -1)
    pq.write_table(found.take(list(order)), path, compression="zstd")


def fewer_files(out, rows):
    if rows % 2:
        (out / "plan.toml").unlink()


TAMPERED = [
    in_the_metadata,
    left_over,
    left_over_and_named,
    left_beside,
    with_other_rights,
    in_the_certificate,
    with_keys_in_another_order,
    in_the_report,
    not_rounded,
    rows_by_size,
    fewer_files,
]


@pytest.mark.parametrize("tampered", TAMPERED)
def test_a_folder_that_tells_is_found(tmp_path, folders, tampered):
    told, pair, made = folders
    sizes = {rows: place for place, rows in enumerate(sorted(made))}

    def copied(_, out, *, data):
        kept, done = made[len(data)]
        shutil.copytree(kept, out)
        tampered(out, 1000 + sizes[len(data)])
        return done

    found = compare_releases(told, pair, Steps(released=copied), 1, tmp_path)
    assert any(each.breaks for each in found), found
    assert list(tmp_path.iterdir()) == []
