"""What an owner might forge, hide or move about people who belong together."""

import csv
import json
import random

import pyarrow as pa
import pytest

import deniable
from deniable.certificate.json_documents import statement_sha256
from deniable.errors import InvalidArgument
from deniable.pipeline.check import check_certificate
from deniable.pipeline.kind import kind_of
from second_checker.__main__ import examine
from tests.cases.certified_case import PLANS, certificate
from tests.cases.refusals import refuses

TIED = [name for name in PLANS if name.startswith(("household", "members"))]
COUNTED = "counted households"


def document(name):
    return json.loads(json.dumps(certificate(PLANS[name]).as_json()))


def holds(forged):
    forged = forged | {"statement_sha256": statement_sha256(forged)}
    return check_certificate(kind_of(forged), forged, files_beside=True)[0].holds


def without(mapping, key):
    return {name: value for name, value in mapping.items() if name != key}


@pytest.mark.parametrize("name", [*TIED, COUNTED])
def test_what_ties_people_can_be_neither_hidden_nor_claimed(name):
    made = document(name)
    assert holds(made)
    plan, guarantee = made["plan"], made["guarantee"]
    forgeries = [{"unit": made["unit"] | {"members": True}}]
    if "members" in made["unit"]:
        forgeries = [
            {"unit": without(made["unit"], "members")},
            {"plan": plan | {"data": {**without(plan["data"], "household"), "entity": "address"}}},
        ]
    if "household" in guarantee:
        loss = guarantee["household"]
        forgeries += [
            {"guarantee": without(guarantee, "household")},
            {"guarantee": guarantee | {"household": loss | {"loss": 0.9 * loss["loss"]}}},
            {"guarantee": guarantee | {"household": loss | {"loss_without_model": 0.1}}},
            {"guarantee": guarantee | {"household": loss | {"size": 3}}},
            {"guarantee": guarantee | {"household": loss | {"icc": 0.01}}},
            {"guarantee": guarantee | {"gamma": 1.1}},
        ]
    if "household_size" in plan["adversary"]:
        for change in ({"household_size": 2}, {"correlation": {"icc": 0.01}}):
            forgeries.append({"plan": plan | {"adversary": plan["adversary"] | change}})
        left = without(without(plan["adversary"], "household_size"), "correlation")
        forgeries.append({"plan": plan | {"adversary": left}})
    for change in forgeries:
        assert not holds(made | change), change


@pytest.mark.parametrize("name", [*TIED, COUNTED])
def test_the_second_checker_says_that_it_cannot_tell(name):
    assert examine(json.dumps(document(name)).encode()).verdict == "cannot tell"


@pytest.mark.parametrize("name", TIED)
def test_no_page_computes_a_budget_without_the_households(name):
    with refuses(InvalidArgument, "who-belong-together-whose-budget"):
        deniable.explore(PLANS[name].replace("wages.csv", "memory"), data=table(1))


def table(seed, moved=False):
    """A hundred people at forty addresses; one of them is there, or has moved in elsewhere."""
    draw = random.Random(seed)
    address = [f"a{draw.randrange(40)}" for _ in range(100)]
    if moved:
        address[7] = "a41"
    jobs = [draw.choice(["clerk", "nurse"]) for _ in range(100)]
    return pa.table({"person": [f"p{i}" for i in range(100)], "address": address, "job": jobs})


@pytest.mark.parametrize("name", ["household", "members", COUNTED])
def test_neighbours_give_certificates_that_differ_in_digests_alone(name, tmp_path):
    plan = PLANS[name].replace("wages.csv", "memory")
    documents = []
    for moved in (False, True):
        folder = tmp_path / str(moved)
        deniable.release(plan, folder, data=table(3, moved))
        documents.append(json.loads((folder / "certificate.json").read_bytes()))
    one, other = (without(each, "files") for each in documents)
    assert one == other


def test_rows_without_a_household_are_left_out(tmp_path):
    plan = PLANS["household"].replace("wages.csv", "memory")
    plan = plan.replace("max_posterior = 0.5", "epsilon = 400")  # next to no noise
    rows = {"address": ["a", "a", None, None, "b"], "job": ["clerk"] * 5}
    deniable.release(plan, tmp_path / "out", data=pa.table(rows))
    with (tmp_path / "out" / "results.csv").open(encoding="utf-8") as file:
        values = {row["group:job"]: float(row["value"]) for row in csv.DictReader(file)}
    assert values == {"clerk": 3, "nurse": 0}
