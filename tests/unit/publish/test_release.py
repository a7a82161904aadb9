import json
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.cli import main
from deniable.errors import DataError, InvalidArgument
from deniable.publish.release import Released, release
from deniable.publish.sources import PREFIX
from tests.cases.effort import some_pairs
from tests.cases.processes import Forked
from tests.cases.refusals import refuses
from tests.cases.release_case import QUERIES, certificate_of, table, write_case

FILES = ["certificate.json", "plan.toml", "report.html", "results.csv", "results.parquet"]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Released:
    """A release, made once and only read."""
    folder = tmp_path_factory.mktemp("released")
    return release(write_case(folder), folder / "out")


def test_a_release_writes_its_five_files(released: Released) -> None:
    folder = released.out.parent
    assert sorted(path.name for path in (folder / "out").iterdir()) == FILES
    results = pq.read_table(folder / "out" / "results.parquet")
    assert results.column_names == [
        "query",
        "statistic",
        "column",
        "group:plan",
        "bin_low",
        "bin_high",
        "category",
        "rank",
        "value",
        "half_width_95",
        "half_width_unit",
        "rows_per_entity",
        "max_contribution",
        "bound_low",
        "bound_high",
    ]
    # 3 counts, 2 entities, 2 sums, 2 scaled, a mean with its count, 3 bins, a quantile, 2 ranks
    assert results.num_rows == 3 + 2 + 2 + 2 + 2 + 3 + 1 + 2
    assert len(certificate_of(folder / "out")["queries"]) == QUERIES
    assert {path.name for path in folder.iterdir()} == {"out", "visits.parquet", "visits.toml"}
    printed = released.as_json()
    keys = {"epsilon", "delta", "gamma", "gamma_outside", "queries", "out", "adjacency", "cautions"}
    assert set(printed) == keys
    json.dumps(printed, allow_nan=False)


def test_every_published_number_stands_beside_the_limits_of_its_query(released: Released) -> None:
    path = released.out.parent / "visits.toml"
    plan = tomllib.loads(path.read_text(encoding="utf-8"))
    asked = {query["name"]: query for query in plan["query"]}
    for row in pq.read_table(released.out / "results.parquet").to_pylist():
        query = asked[row["query"]]
        scaled = query.get("max_contribution")
        assert row["max_contribution"] == scaled
        assert row["rows_per_entity"] == (None if scaled else plan["limits"]["rows_per_entity"])
        own = row["statistic"] == query["statistic"]
        bounds = query.get("bounds", [None, None]) if own else [None, None]
        assert [row["bound_low"], row["bound_high"]] == bounds


def test_without_an_entity_column_no_limit_on_rows_is_told(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    text = path.read_text(encoding="utf-8").split("[[query]]")[0]
    text = text.replace('entity = "person"', "").replace("rows_per_entity = 3", "")
    path.write_text(
        f'{text}[[query]]\nname = "adults"\nstatistic = "count"\nwhere = [["age", ">=", 18]]\n',
        encoding="utf-8",
    )
    (row,) = release(path, tmp_path / "out").rows
    assert (row.rows_per_entity, row.max_contribution, row.bound_low) == (None, None, None)


@pytest.mark.parametrize(
    ("target", "adjacency"),
    some_pairs(
        ["advantage = 0.3", "attack_success = 0.6\ndelta = 1e-6"], ["replace-one", "add-remove"]
    ),
)
def test_every_target_and_adjacency_releases(tmp_path: Path, adjacency: str, target: str) -> None:
    release(write_case(tmp_path, adjacency=adjacency, target=target), tmp_path / "out")
    guarantee = certificate_of(tmp_path / "out")["guarantee"]
    assert (guarantee["delta"] > 0) == ("delta" in target)


def test_a_second_release_into_the_folder_is_refused(released: Released) -> None:
    before = (released.out / "results.csv").read_bytes()
    with refuses(InvalidArgument, "new-or-empty-folder"):
        release(released.out.parent / "visits.toml", released.out)
    assert (released.out / "results.csv").read_bytes() == before


def test_noise_is_fresh_each_time(released: Released, tmp_path: Path) -> None:
    again = release(released.out.parent / "visits.toml", tmp_path / "out")
    assert [row.value for row in released.rows] != [row.value for row in again.rows]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Path, "write_bytes", fail)
    path = write_case(tmp_path)
    with pytest.raises(type(error)):
        release(path, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"visits.parquet", "visits.toml"}


def columns(**changes: object) -> pa.Table:
    base = {"person": ["a"], "plan": ["free"], "visits": [1.0], "age": [20]}
    return pa.table({name: pa.array(values) for name, values in (base | changes).items()})


TABLES = {
    "empty": table().slice(0, 0),
    "all NULL": pa.table({name: pa.nulls(5, field.type) for name, field in
                          zip(table().column_names, table().schema, strict=True)}),
    "NaN and infinities": columns(
        person=["a"] * 3, plan=["free"] * 3, visits=[float("nan"), float("inf"), -float("inf")],
        age=[1, 2, 3],
    ),
    "huge whole numbers": columns(age=pa.array([2**63 - 1])),
    "huge unsigned numbers": columns(age=pa.array([2**64 - 1], pa.uint64())),
    "absent keys": columns(plan=["elsewhere"]),
    "NULL entities": columns(person=pa.array([None], pa.string())),
}  # fmt: skip


@pytest.mark.parametrize("data", TABLES.values(), ids=TABLES)
def test_what_refusing_would_tell_releases_as_usual(tmp_path: Path, data: pa.Table) -> None:
    answer = release(write_case(tmp_path, data=data), tmp_path / "out")
    assert len(answer.rows) == 17


def test_a_damaged_file_is_one_fixed_sentence(tmp_path: Path) -> None:
    path = write_case(tmp_path, data=table(4000))
    source = tmp_path / "visits.parquet"
    content = bytearray(source.read_bytes())
    content[200:2200] = bytes(2000)
    source.write_bytes(content)
    with refuses(DataError, "do-not-publish") as caught:
        release(path, tmp_path / "out")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert not (tmp_path / "out").exists()


def run_command(words: list[str]) -> None:
    """As a program of its own does, which looks for a temporary folder."""
    tempfile.tempdir = None
    sys.argv = ["deniable", *words]
    main()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_release_leaves_no_output(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, stop: signal.Signals
) -> None:
    said, path = tmp_path_factory.mktemp("said"), write_case(tmp_path, data=table(100_000))
    spill = tmp_path / "spill"
    spill.mkdir()
    for _ in range(3):  # a busy machine may be done before this process gets its turn
        words = ["release", str(path), "--out", str(tmp_path / "out")]
        with Forked(said, run_command, words, env={"TMPDIR": str(spill)}) as process:
            while not any(spill.glob(f"{PREFIX}*")) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(stop)
            _, errors = process.communicate()
        if process.returncode:
            break
        shutil.rmtree(tmp_path / "out")
    assert process.returncode != 0
    assert "Traceback" not in errors
    seen = {each.name for each in tmp_path.iterdir() if not each.name.startswith(".")}
    assert seen == {"spill", "visits.parquet", "visits.toml"}
    if stop is not signal.SIGKILL:
        assert list(spill.iterdir()) == []
        assert len(seen) == len(list(tmp_path.iterdir()))
