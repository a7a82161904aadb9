"""Laws of whole releases: what may differ between neighbours, and what half-widths hold."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.special import bdtr

from deniable.ledger import new
from deniable.ledger.ledger import Ledger
from deniable.publish.release import release
from tests.cases.effort import some_pairs
from tests.cases.release_case import certificate_of, table, write_case

FALSE_ALARM = 1e-9
NOISY = ("value", "half_width_95", "category")


def neighbours(adjacency: str) -> tuple[pa.Table, pa.Table]:
    """One person's four rows changed, or gone."""
    rows = table().to_pylist()
    without = [row for row in rows if row["person"] != "p7"]
    if adjacency == "replace-one":
        new = {"person": "somebody else", "plan": "shared", "visits": 9.0, "age": 99}
        without += [new] * 2
    return table(), pa.Table.from_pylist(without, schema=table().schema)


@pytest.mark.parametrize(
    ("adjacency", "target"),
    some_pairs(["replace-one", "add-remove"], ["gamma = 2.0", "gamma = 2.0\ndelta = 1e-6"]),
)
def test_files_of_neighbours_differ_in_noisy_values_only(
    tmp_path: Path, adjacency: str, target: str
) -> None:
    outs = []
    for data in neighbours(adjacency):
        path = write_case(tmp_path, adjacency=adjacency, target=target, data=data)
        outs.append(tmp_path / f"out{len(outs)}")
        release(path, outs[-1])
    one, other = outs
    assert sorted(p.name for p in one.iterdir()) == sorted(p.name for p in other.iterdir())
    assert stated(one) == stated(other)
    assert public_cells(one) == public_cells(other)
    assert footer(one) == footer(other)
    assert (one / "plan.toml").read_bytes() == (other / "plan.toml").read_bytes()
    assert words(one) == words(other)


def test_charged_to_a_ledger_they_differ_in_its_entry_besides(tmp_path: Path) -> None:
    """Whatever was tried and voided before; digests of what names the entry differ with it."""
    told = []
    for attempts, data in enumerate(neighbours("add-remove")):
        place = tmp_path / str(attempts)
        place.mkdir()
        path, ledger = write_case(place, adjacency="add-remove", data=data), place / "a.ledger"
        new(ledger, "visits", gamma=9.0, entity="person", adjacency="add-remove")
        for _ in range(attempts):
            charge = Ledger(ledger).charge("visits", 1, what="June")
            Ledger(ledger).void(charge.id, "a record could not be read")
        out = place / "out"
        entry = release(path, out, ledger=ledger, dataset="visits").ledger.entry
        statement = certificate_of(out)["statement_sha256"]
        for file in ("certificate.json", "report.html"):
            text = (out / file).read_text(encoding="utf-8")
            text = text.replace(entry, "ENTRY").replace(statement, "STATEMENT")
            (out / file).write_text(text, encoding="utf-8")
        told.append((stated(out), public_cells(out), words(out), footer(out)[2]))
    assert told[0] == told[1]


def stated(out: Path) -> str:
    """The certificate byte for byte, but for digests of files that hold noisy values."""
    text = (out / "certificate.json").read_text(encoding="utf-8")
    noisy, digests = re.subn(r'("(report.html|results.\w+)": ")[0-9a-f]{64}"', r"\1", text)
    assert digests == 3
    return noisy


def public_cells(out: Path) -> list[list[str]]:
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    kept = [header.index(name) for name in header if name not in NOISY]
    # A mean's width depends on its noisy count; every other width is public.
    width = header.index("half_width_95")
    return [
        [line[index] for index in kept] + ([] if line[1] == "mean" else [line[width]])
        for line in lines
    ]


def footer(out: Path) -> tuple[object, ...]:
    metadata = pq.read_metadata(out / "results.parquet")
    return metadata.schema.to_arrow_schema(), metadata.metadata, metadata.num_rows


def words(out: Path) -> str:
    """The report without its charts, digits and chosen categories."""
    page = (out / "report.html").read_text(encoding="utf-8")
    page = re.sub(r"<svg.*?</svg>", "<svg>", page, flags=re.DOTALL)
    page = re.sub(r"\b(free|shared|nowhere)\b", "KEY", page)
    page = re.sub(r"<td>(yes|no)</td>", "<td>ANSWER</td>", page)  # more than noise? of the value
    page = re.sub(r" ?A hollow bar means that noise alone can explain the value[.]?", "", page)
    return re.sub(r"[−-]?[\d.,]+", "#", page)


def test_nothing_of_the_never_list_is_in_any_file(tmp_path: Path) -> None:
    rows = [row | {"plan": "free"} for row in table(61).to_pylist()]
    data = pa.Table.from_pylist(rows, schema=table().schema)
    path = write_case(tmp_path, adjacency="add-remove", data=data)
    release(path, tmp_path / "out")
    size = (tmp_path / "visits.parquet").stat().st_size
    for file in (tmp_path / "out").iterdir():
        content = file.read_bytes()
        assert b"visits.parquet" not in content
        assert str(tmp_path).encode() not in content
    certificate = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    numbers = set(re.findall(r"[\d.]+", re.sub(r"[0-9a-f]{64}", "", certificate)))
    assert not numbers & {str(size), str(data.num_rows), "61"}


GROUPS = 300
PLAN = f"""
[data]
source = "rows.parquet"
adjacency = "add-remove"
[target]
epsilon = 3.0
{{delta}}
[[query]]
name = "count"
statistic = "count"
group_by = ["g"]
keys = {{{{ g = {list(range(GROUPS))} }}}}
[[query]]
name = "mean"
statistic = "mean"
column = "x"
bounds = [0, 1]
group_by = ["g"]
keys = {{{{ g = {list(range(GROUPS))} }}}}
[[query]]
name = "median"
statistic = "quantile"
column = "x"
bounds = [0, 1]
candidates = 21
group_by = ["g"]
keys = {{{{ g = {list(range(GROUPS))} }}}}
"""


@pytest.mark.parametrize("delta", ["", "delta = 1e-5"])
def test_half_widths_cover(tmp_path: Path, delta: str) -> None:
    rng = np.random.default_rng(1)
    g = np.repeat(np.arange(GROUPS), 40)
    x = rng.integers(0, 65, g.size) / 64
    pq.write_table(pa.table({"g": g, "x": x}), tmp_path / "rows.parquet")
    (tmp_path / "plan.toml").write_text(PLAN.format(delta=delta))
    answer = release(tmp_path / "plan.toml", tmp_path / "out")
    covered = {"count": 0, "mean": 0, "median": 0}
    for row in answer.rows:
        values = x[g == row.groups["g"]]
        assert row.value is not None
        assert row.half_width_95 is not None
        if row.query == "count":
            error = abs(row.value - values.size)
        elif row.statistic == "mean":
            error = abs(row.value - values.mean())
        elif row.query == "median":
            error = rank_error(values, row.value)
        else:
            continue
        covered[row.query] += error <= row.half_width_95
    for query, hits in covered.items():
        # P[Bin(n, .95) <= hits]: so few hits come once in a billion runs of honest widths.
        assert bdtr(hits, GROUPS, 0.95) > FALSE_ALARM, (query, hits)
    # The count's width is the least whole one: half of it would not do.
    assert covered["count"] < GROUPS


def rank_error(values: np.ndarray, chosen: float) -> float:
    candidates = np.linspace(0, 1, 21)
    off = [abs(0.5 * (values < c).sum() - 0.5 * (values > c).sum()) for c in candidates]
    return off[int(np.abs(candidates - chosen).argmin())] - min(off)


def test_a_certificate_survives_its_json(tmp_path: Path) -> None:
    release(write_case(tmp_path), tmp_path / "out")
    text = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    assert json.loads(text)["guarantee"]["gamma"] <= 2.0
