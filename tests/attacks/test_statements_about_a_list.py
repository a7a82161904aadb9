"""Who is on a list, to the last digit, and what a check may say that it has compared with one."""

import copy
import decimal
import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.certificate.json_documents import statement_sha256
from deniable.certificate.population import PopulationClaim, PopulationStatement
from deniable.errors import DataError, DeniableError, InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.pipeline.check import check
from deniable.population.api.integer_vectors import IntegerVectors, bound_vectors
from deniable.population.plans import share_of
from deniable.theorems.analysis.target import EpsilonTarget
from tests.cases.effort import one_in
from tests.cases.member_lists import COUNT, write

MANY, DRAWN = 24, 12
BEYOND = 2**53
"""Whole numbers from here on share a float64."""
WHOLE = {
    "decimals": (pa.decimal128(30, 0), [decimal.Decimal(BEYOND + i) for i in range(MANY)]),
    "decimals with a fraction": (
        pa.decimal128(38, 18),
        [decimal.Decimal(1) + decimal.Decimal(i).scaleb(-18) for i in range(MANY)],
    ),
    "64 bits without a sign": (pa.uint64(), [2**63 + i for i in range(MANY)]),
}


def people(kind, names):
    """Alike in everything but their names, so that only these tell them apart."""
    ages = np.where(np.arange(len(names)) % 2, 70, 30)
    return pa.table({"id": pa.array(names, kind), "age": pa.array(ages)})


def alike(table):
    return table.set_column(1, "age", pa.array([70] * len(table)))


@pytest.mark.parametrize("kind", ["decimals", "64 bits without a sign"])
def test_members_whose_names_share_a_float_are_counted_each(tmp_path, kind):
    known = people(*WHOLE[kind])
    path = write(tmp_path, list_=known, data=known.slice(0, DRAWN))
    for answer in (deniable.plan(path), deniable.release(path, tmp_path / "out").prepared):
        claim = answer.population.claim
        assert (claim.members, claim.drawn) == (MANY, DRAWN)


@pytest.mark.parametrize(
    ("kind", "used"),
    [("decimals", False), ("decimals with a fraction", False), ("decimals with a fraction", True)],
)
def test_somebody_whose_name_shares_a_float_with_a_members_is_not_on_the_list(tmp_path, kind, used):
    known = people(*WHOLE[kind])
    text = COUNT + '\n[[query]]\nname = "early"\nstatistic = "count"\nwhere = [["id", ">", 2]]\n'
    listed, data = alike(known.take(pa.array(range(0, MANY, 2)))), alike(known.slice(3, 1))
    path = write(tmp_path, text if used else COUNT, list_=listed, data=data)
    with pytest.raises(DataError):
        deniable.release(path, tmp_path / "out")


TYPES = {
    "int64": pa.int64(),
    "double": pa.float64(),
    "decimal(20, 2)": pa.decimal128(20, 2),
    "decimal(30, 0)": pa.decimal128(30, 0),
}


@pytest.mark.parametrize(
    ("one", "other"),
    [("int64", "decimal(20, 2)"), ("decimal(30, 0)", "decimal(20, 2)"), ("double", "int64")],
)
def test_one_number_is_one_name_whatever_type_holds_it(tmp_path, one, other):
    numbers = [decimal.Decimal(i) for i in range(MANY)]
    listed = people(pa.decimal128(20, 2), numbers)
    column = listed["id"]
    known = listed.set_column(0, "id", column.cast(TYPES[one]))
    data = listed.set_column(0, "id", column.cast(TYPES[other])).slice(2, DRAWN)
    claim = deniable.release(
        write(tmp_path, list_=known, data=data), tmp_path / "out"
    ).prepared.population.claim
    assert (claim.members, claim.drawn) == (MANY, DRAWN)


def test_two_spellings_of_a_number_in_one_file_are_no_members(tmp_path):
    # As numbers they are one, as entities two: how many were drawn would depend on who asks.
    path = write(tmp_path)
    head = path.read_text("utf-8").replace(".parquet", ".csv")
    path.write_text(head.replace("[adversary]", 'types = { id = "number" }\n[adversary]'), "utf-8")
    rows = ["id,age", *(f"{i},70" for i in range(MANY)), "1.0,70"]
    (tmp_path / "members.csv").write_text("\n".join(rows), "utf-8")
    (tmp_path / "data.csv").write_text("\n".join([rows[0], "1,70", "1.0,70", "3,70"]), "utf-8")
    with pytest.raises((DataError, InvalidArgument)):
        deniable.release(path, tmp_path / "out")


def _leaves(value, at=()):
    match value:
        case dict():
            for key, each in value.items():
                yield from _leaves(each, (*at, key))
        case list():
            for index, each in enumerate(value):
                yield from _leaves(each, (*at, index))
        case _:
            yield at, value


def _others(value):
    match value:
        case str():
            return ["", "crowd", "exact", "confidence", f"{value} ", "<b>certified</b>", "a\nb"]
        case None:
            return [0, 0.5]
        case _:
            return [value / 2, value * 1.5 + 0.01, 0.0, 1, 10**19, 1e308]


def _with(document, at, value):
    found = copy.deepcopy(document)
    inner = found["population"]
    for step in at[:-1]:
        inner = inner[step]
    inner[at[-1]] = value
    return found | {"statement_sha256": statement_sha256(found)}


def test_with_the_list_each_value_is_compared_or_stays_on_trust(tmp_path):
    deniable.release(write(tmp_path), tmp_path / "out")
    place = tmp_path / "out" / "certificate.json"
    told = json.loads(place.read_text("utf-8"))
    missed = []
    for turn, (at, value) in enumerate(_leaves(told["population"])):
        where = "/".join(("/population", *map(str, at)))
        for other in one_in(2, _others(value), turn):
            if (type(other), other) == (type(value), value):
                continue
            place.write_text(json.dumps(_with(told, at, other)), "utf-8")
            try:
                answer = check(place, population=tmp_path / "members.parquet")
            except DeniableError:
                continue
            if answer.holds and where not in {each.what for each in answer.on_trust}:
                missed.append((where, other))
    assert not missed


def test_a_chance_that_draws_mislead_is_within_delta_and_a_method_is_a_word(tmp_path):
    deniable.release(write(tmp_path), tmp_path / "out")
    place = tmp_path / "out" / "certificate.json"
    told = json.loads(place.read_text("utf-8"))
    found = told["population"]["population_epsilon"]
    for key, value in (
        ("error", 1.0),
        ("method", "seen by nobody"),
        ("method", "<script>"),
        ("population_epsilon", found | {"evidence": "confidence", "confidence": 0.5, "draws": 10}),
    ):
        place.write_text(json.dumps(_with(told, (key,), value)), "utf-8")
        assert not check(place).holds, key


def test_a_chance_of_error_is_shared_by_every_bound_that_draws_may_give_to_a_search():
    # Six looks; at each of few types among few members two bounds are drawn.
    few = IntegerVectors([[0, 0], [90, 10], [20, 70], [50, 50]], [6, 6, 6, 6], 10)
    found = bound_vectors(few, np.array([60.0, 60.0]), DiscreteGaussian, 1e-2, 5.0, Effort())
    assert found.bound.evidence is Evidence.CONFIDENCE
    assert 6 * 2 * (1 - found.bound.confidence) <= found.error * (1 + 1e-9)


@pytest.mark.parametrize(("drawn", "many"), [(1, 3), (2, 3), (7, 10), (49, 50), (1, 10**6)])
def test_what_is_said_of_a_share_holds_for_the_share_itself(drawn, many):
    # At no loss nobody does better than by guessing the likelier one, and no belief moves.
    claim = PopulationClaim(many, drawn, 1.0, Bound.exact(0.0), 0.0, "constant")
    share = Fraction(drawn, many)
    told = PopulationStatement(
        EpsilonTarget(1.0), 1.0, 0.0, claim, 1.0, share_of(drawn, many)[1]
    ).as_json()
    assert Fraction(told["bayes_success"]) >= max(share, 1 - share)
    assert Fraction(told["posterior"]["lower"]) <= share <= Fraction(told["posterior"]["upper"])
