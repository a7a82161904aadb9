"""Lists of members that are wrong, incomplete or made to break a release, and forged statements."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import DataError, DeniableError, InvalidArgument, PlanError
from deniable.pipeline.check import check
from deniable.publish.prepare import plan
from tests.cases.command_line import app
from tests.cases.member_lists import COUNT, TABLE, drawn, members, write
from tests.cases.refusals import refuses

LIST = members()
DATA = drawn(LIST)
SECRET = 87654321
"""A value that no message may hold."""


def with_column(table, name, values):
    return table.set_column(table.schema.get_field_index(name), name, pa.array(values))


def first(table, name, value):
    values = table[name].to_pylist()
    return with_column(table, name, [value, *values[1:]])


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder with a list of members and a release beside it."""
    folder = tmp_path_factory.mktemp("released")
    deniable.release(write(folder), folder / "out")
    return folder


NOT_DRAWN = {
    "somebody who is not on the list": first(DATA, "id", SECRET),
    "another value of a member": first(DATA, "age", SECRET),
    "no value where the list has one": first(DATA, "age", None),
    "a member twice": pa.concat_tables([DATA, DATA.slice(0, 1)]),
    "a member's row and another one": pa.concat_tables([DATA, first(DATA.slice(0, 1), "age", 17)]),
}


@pytest.mark.parametrize(
    ("name", "entity"),
    [(name, True) for name in NOT_DRAWN]
    + [("another value of a member", False), ("a member twice", False)],
)
def test_data_that_are_not_of_the_list_are_refused_and_no_value_is_told(tmp_path, name, entity):
    path = write(tmp_path, TABLE + COUNT, entity=entity, data=NOT_DRAWN[name])
    with pytest.raises(DataError) as error:
        deniable.release(path, tmp_path / "out")
    assert str(SECRET) not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_on_the_command_line_they_are_an_error_of_the_input(tmp_path):
    path = str(write(tmp_path, data=NOT_DRAWN["a member twice"]))
    told = CliRunner().invoke(app, ["release", path, "--out", str(tmp_path / "out")])
    assert told.exit_code == 2


def test_a_row_of_a_member_that_is_left_out_of_the_data_is_missed(tmp_path):
    # What somebody adds must be what the list says: all rows of theirs, or none.
    both = pa.concat_tables([LIST, LIST])
    text = TABLE.replace("bounds = [0, 12]", "bounds = [0, 12]\nmax_contribution = 24", 1)
    text = text.split('[[query]]\nname = "age"')[0]
    path = write(tmp_path, text, list_=both, data=DATA)
    path.write_text(path.read_text("utf-8").replace("[limits]\nrows_per_entity = 1\n", ""), "utf-8")
    with pytest.raises(DataError):
        deniable.release(path, tmp_path / "out")
    pq.write_table(pa.concat_tables([DATA, DATA]), tmp_path / "data.parquet")
    assert deniable.release(path, tmp_path / "out").prepared.population.claim.drawn == 30


def test_rows_without_an_entity_count_nowhere(tmp_path):
    nobody = first(LIST.slice(0, 1), "id", None).cast(LIST.schema)
    known, data = pa.concat_tables([LIST, nobody]), pa.concat_tables([DATA, nobody, nobody])
    claim = deniable.release(
        write(tmp_path, list_=known, data=data), tmp_path / "out"
    ).prepared.population.claim
    assert (claim.members, claim.drawn) == (60, 30)


def test_members_twice_on_the_list_are_two_without_names_and_refused_with(tmp_path):
    twice = pa.concat_tables([LIST, LIST.slice(0, 5)])
    assert (
        plan(write(tmp_path, list_=twice, data=DATA, entity=False)).population.claim.members == 65
    )
    with refuses(InvalidArgument, "rows-per-entity-raise"):
        plan(write(tmp_path, list_=twice, data=DATA))


@pytest.mark.parametrize("data", [LIST, LIST.slice(0, 0)])
def test_all_members_or_none_are_no_sample(tmp_path, data):
    with refuses(InvalidArgument, "some-of-members"):
        plan(write(tmp_path, data=data))


def test_a_list_shorter_than_the_data_is_refused(tmp_path):
    with pytest.raises((InvalidArgument, DataError)):
        deniable.release(write(tmp_path, list_=DATA.slice(0, 10), data=DATA), tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.drop(["age"]), 'column-of-source: "age"'),
        (lambda t: t.drop(["id"]), 'column-of-source: "id"'),
        (lambda t: with_column(t, "age", [str(v) for v in t["age"].to_pylist()]), "kind-integer"),
        (lambda t: with_column(t, "id", [str(v) for v in t["id"].to_pylist()]), "kind-integer"),
        (lambda t: with_column(t, "age", [[v] for v in t["age"].to_pylist()]), "another-type"),
    ],
)
def test_columns_that_are_missing_or_of_another_kind_are_told_by_the_schema(tmp_path, change, told):
    path = write(tmp_path, list_=LIST, data=DATA)
    pq.write_table(change(LIST), tmp_path / "members.parquet")
    with refuses(PlanError, told) as error:
        plan(path)
    assert "[adversary], population" in str(error.value)


@pytest.mark.parametrize(
    "place", ["nowhere.parquet", "*.nothing", "memory", "postgresql://h/d?table=t"]
)
def test_a_list_that_is_no_file_is_refused(tmp_path, place):
    path = write(tmp_path)
    path.write_text(path.read_text("utf-8").replace("members.parquet", place), "utf-8")
    with refuses(PlanError, "names-argument: population"):
        plan(path)


def test_a_list_as_csv_and_with_floats_for_whole_numbers_is_the_same_list(tmp_path):
    path = write(tmp_path, TABLE)
    wanted = plan(path).population.claim
    pc.write_csv(LIST, tmp_path / "members.csv")
    text = path.read_text("utf-8")
    path.write_text(text.replace("members.parquet", "members.csv"), "utf-8")
    assert deniable.release(path, tmp_path / "out").prepared.population.claim == wanted
    path.write_text(text, "utf-8")
    floats = with_column(LIST, "age", np.array(LIST["age"], float))
    pq.write_table(floats, tmp_path / "members.parquet")
    assert deniable.release(path, tmp_path / "again").prepared.population.claim == wanted


def test_extreme_values_of_the_list_are_cut_like_the_datas(tmp_path):
    ages = [1e300, float("inf"), float("nan"), -1e300, None, *([40.0] * 55)]
    wide = with_column(LIST, "age", pa.array(ages, pa.float64()))
    claim = plan(write(tmp_path, TABLE, list_=wide)).population.claim
    assert 0 < claim.bound.upper <= 0.5


@pytest.mark.parametrize(
    "forged",
    [
        {"noise_factor": 1.0},
        {"members": 61},
        {"drawn": 31},
        {"method": "crowd"},
        {"operations": 1.0},
        {"operations": 1e13},
        {"population_epsilon": {"upper": 0.01}},
    ],
)
def test_a_forged_statement_is_caught_by_the_list_or_changes_nothing_that_it_decides(
    released, tmp_path, forged
):
    from deniable.certificate.json_documents import statement_sha256

    place = shutil.copytree(released, tmp_path / "of one") / "out" / "certificate.json"
    told = json.loads(place.read_text("utf-8"))
    block = told["population"]
    for key, value in forged.items():
        block[key] = block[key] | value if isinstance(value, dict) else value
    told["statement_sha256"] = statement_sha256(told)
    place.write_text(json.dumps(told), "utf-8")
    answer = check(place, population=tmp_path / "of one" / "members.parquet")
    assert answer.holds == ("method" in forged)


def test_a_list_beside_an_ordinary_release_is_refused(tmp_path):
    path = write(tmp_path)
    text = path.read_text("utf-8")
    head, rest = text.split("[adversary]")
    path.write_text(head + "[target]" + rest.split("[target]")[1], "utf-8")
    deniable.release(path, tmp_path / "out")
    with refuses(DeniableError, "list-of-members"):
        check(tmp_path / "out", population=tmp_path / "members.parquet")


def test_neighbouring_data_change_nothing_but_noise(tmp_path):
    # One drawn member exchanged for one who was not.
    found = []
    for number, seed in enumerate((1, 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        rng = np.random.default_rng(seed)
        data = LIST.take(pa.array(np.sort(rng.permutation(60)[:30])))
        deniable.release(write(folder, data=data), folder / "out")
        told = json.loads((folder / "out" / "certificate.json").read_text("utf-8"))
        found.append({k: v for k, v in told.items() if k not in ("files", "created")})
    assert found[0] == found[1]


def test_a_stream_is_refused_before_anything_is_read(tmp_path):
    path = write(tmp_path)
    path.write_text(path.read_text("utf-8").replace('source = "data.parquet"', ""), "utf-8")
    deniable.release(path, tmp_path / "out", data=DATA)
    reader = DATA.to_reader()
    with refuses(InvalidArgument, "members-stream"):
        deniable.release(path, tmp_path / "again", data=reader)
    assert reader.read_next_batch().num_rows == 30


def test_the_floor_is_what_an_audit_attacks(tmp_path):
    found = deniable.audit(write(tmp_path), runs=60)
    assert found.as_json()["claimed"] == "pure-dp:4.0"
