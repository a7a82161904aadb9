"""Plans whose noise adds up to zero: which they are, what they publish, and forged certificates."""

import copy
import itertools
import json
import tomllib

import attrs
import numpy as np
import pytest

from deniable.auditing.plans.audit import AttackedCells, log_ratio
from deniable.certificate import TableCertificate
from deniable.certificate.json_documents import BLOCKS, statement_sha256
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, ZeroSumNoise
from deniable.notions import Adjacency
from deniable.pipeline.check import check
from deniable.publish.plan.plan import public_plan
from deniable.publish.plan.published_plan import public_content
from deniable.publish.prepare import calibrate_plan, plan
from deniable.publish.query import Protection
from deniable.publish.query.sensitivity import MOST_ZERO_SUM, partition
from deniable.publish.release import release
from deniable.publish.solve import explain_accuracy
from deniable.publish.statistics import Count, Entities, Histogram, Sum
from second_checker.__main__ import examine
from tests.cases import neighbours
from tests.cases.certified_case import certificate
from tests.oracles.bounded_tables import Row

TEXT = """
[data]
source = "patients.csv"
entity = "person"

[limits]
rows_per_entity = 1

[target]
epsilon = 1.0

[[query]]
name = "wards"
statistic = "count"
group_by = ["ward"]
keys = { ward = ["a", "b", "c", "d"] }
where = [["age", ">=", 18]]

[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 18, 65]
"""
REPLACE = Protection(Adjacency.REPLACE_ONE, rows=1, public_total=True)
SAMPLE = '[sample]\ndesign = "simple-random"\nsize = 100\npopulation = 2000\n'


def prepared(text):
    return calibrate_plan(public_plan(public_content(tomllib.loads(text))))


def noises(text):
    return [query.mechanisms[0] for query in prepared(text).queries]


# Which plans.


def test_counts_and_histograms_of_one_row_each_get_it_by_default():
    assert noises(TEXT) == [ZeroSumNoise(5, 4.0), ZeroSumNoise(3, 4.0)]
    rows = TEXT.replace('entity = "person"\n', "").replace("[limits]\nrows_per_entity = 1\n", "")
    assert noises(rows) == noises(TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows_per_entity = 1", "rows_per_entity = 2"),
        ('entity = "person"', 'entity = "person"\nadjacency = "add-remove"'),
        ("epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-6"),
        ("[target]", f"{SAMPLE}\n[target]"),
        ('statistic = "count"', 'statistic = "entities"'),
    ],
)
def test_where_a_condition_fails_noise_is_independent(old, new):
    first, *_ = noises(TEXT.replace(old, new))
    assert isinstance(first, DiscreteGaussian if "delta" in new else DiscreteLaplace)


def test_a_list_of_members_keeps_independent_noise():
    text = TEXT.replace(
        "[target]\nepsilon = 1.0",
        '[adversary]\nknows = "population"\npopulation = "all.csv"\nvalues_are_public = true\n\n'
        "[floor]\nepsilon = 1.0\n\n[target]\nepsilon = 0.5",
    )
    assert all(isinstance(each, DiscreteLaplace) for each in noises(text))


@pytest.mark.parametrize(
    "protection",
    [
        attrs.evolve(REPLACE, public_total=False),
        attrs.evolve(REPLACE, rows=2),
        attrs.evolve(REPLACE, rows=None, max_contribution=1.0),
    ],
)
def test_no_partition_without_one_row_each_and_a_public_total(protection):
    assert partition(REPLACE, 4) == 5
    assert partition(protection, 4) == 0


def test_one_cell_alone_and_very_many_cells_have_no_partition():
    sizes = (1, 2, MOST_ZERO_SUM - 1, MOST_ZERO_SUM)
    assert [partition(REPLACE, cells) for cells in sizes] == [0, 3, MOST_ZERO_SUM, 0]


@pytest.mark.parametrize("statistic", [Sum("x", (0, 1)), Entities()])
def test_other_statistics_have_no_partition(statistic):
    (part,) = statistic.parts(REPLACE, 4)
    assert part.partition == 0


# What it rests on.


@pytest.mark.parametrize("statistic", [Count(), Histogram("x", (0, 1, 3))])
def test_with_everybody_else_all_neighbours_are_two_apart_and_keep_the_total(statistic, tmp_path):
    """Over every pair of neighbours of two entities, with rows that take no part in any cell."""
    keys = ("a", "b")
    rows = neighbours.alphabet(statistic, keys)
    rows += [Row("e", "a", 1.0, False), Row("e", None, 1.0)]
    tables = [
        [row._replace(entity=name) for name, row in zip(("one", "two"), pair, strict=True)]
        for pair in itertools.product(rows, repeat=2)
    ]
    source = neighbours.stored(tmp_path, tables)
    (counted,) = neighbours.totals(source, len(tables), [(statistic, keys, REPLACE)])
    cells = counted.reshape(len(tables), -1)
    (part,) = statistic.parts(REPLACE, len(keys))
    assert cells.shape[1] == part.coordinates == part.partition - 1
    whole = np.column_stack([cells, 2 - cells.sum(axis=1)])
    assert whole.min() >= 0
    apart = [
        int(np.abs(whole[i] - whole[j]).sum())
        for i, j in itertools.combinations(range(len(tables)), 2)
        if sum(a != b for a, b in zip(tables[i], tables[j], strict=True)) == 1
    ]
    assert max(apart) == part.l1 == 2


# What is published.


def test_a_plan_shows_the_noise_and_its_half_width():
    first, second = prepared(TEXT).queries
    assert first.figures()["mechanism"] == "zero-sum-discrete-laplace"
    assert first.widths == {"count": ZeroSumNoise(5, 4.0).half_width()} == {"count": 9.0}
    assert second.widths == {"histogram": 8.0}
    assert DiscreteLaplace(4.0).half_width(0.95) == 12


def test_a_release_is_checked_with_its_results(tmp_path):
    lines = [f"{i},{'abcde'[i % 5]},{i % 90}" for i in range(300)]
    (tmp_path / "patients.csv").write_text("\n".join(["person,ward,age", *lines]))
    types = '"patients.csv"\ntypes = { person = "integer", age = "integer" }'
    file = tmp_path / "plan.toml"
    file.write_text(TEXT.replace('"patients.csv"', types))
    released = release(file, out=tmp_path / "out")
    assert check(tmp_path / "out").holds
    made = json.loads((tmp_path / "out" / "certificate.json").read_bytes())
    assert [query["partition"] for query in made["queries"]] == [5, 3]
    assert {row.half_width_95 for row in released.rows} == {9.0, 8.0}
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "noise that sums to zero over 5 cells" in report
    assert plan(file).queries[0].mechanisms == (ZeroSumNoise(5, 4.0),)


def test_a_wanted_half_width_counts_on_it():
    answer = explain_accuracy(9, cells=4)
    assert answer.mechanism == "zero-sum-discrete-laplace"
    assert answer.epsilon < explain_accuracy(9, cells=4, adjacency="add-remove").epsilon * 2
    assert answer.half_width_95 == 9


# Certificates.


def sealed(document):
    content = {key: value for key, value in document.items() if key not in BLOCKS}
    return document | {"statement_sha256": statement_sha256(content)}


def remove_a_cell(document):
    for query in (document["queries"][0], document["plan"]["query"][0]):
        holder = query["group_by"][0] if "parts" in query else query["keys"]
        (holder["keys"] if "keys" in holder else holder["ward"]).pop()


def put(*where, value):
    def change(document):
        holder = document
        for key in where[:-1]:
            holder = holder[key]
        holder[where[-1]] = value

    return change


FIRST = ("queries", 0)
FORGED = {
    "everybody else left out": put(*FIRST, "partition", value=4),
    "one cell more": put(*FIRST, "partition", value=6),
    "no partition": lambda document: document["queries"][0].pop("partition"),
    "half the scale": put(*FIRST, "parts", 0, "scale", value=2.0),
    "twice the scale": put(*FIRST, "parts", 0, "scale", value=8.0),
    "a narrower interval": put(*FIRST, "parts", 0, "half_width_95", value=8.0),
    "a smaller sensitivity": put(*FIRST, "parts", 0, "sensitivity", "value", value=1),
    "independent noise": put(*FIRST, "parts", 0, "mechanism", value="discrete-laplace"),
    "a cell missing": remove_a_cell,
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_certificates_are_refused_by_both_checkers(name, tmp_path):
    document = sealed(certificate(TEXT).as_json())
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(document))
    assert check(file).holds
    assert examine(file.read_bytes()).verdict == "verified"
    forged = copy.deepcopy(document)
    FORGED[name](forged)
    file.write_text(json.dumps(sealed(forged)))
    assert not check(file).holds
    assert examine(file.read_bytes()).verdict == "refused"


@pytest.mark.parametrize(
    ("key", "value", "table", "name"),
    [
        ("rows_per_entity", 2, "limits", "two rows each"),
        ("adjacency", "add-remove", "data", "a secret total"),
    ],
)
def test_a_plan_for_which_it_is_not_private_is_refused(key, value, table, name, tmp_path):
    """Both in the plan and in what the certificate says beside it."""
    forged = certificate(TEXT).as_json()
    forged["plan"][table][key] = value
    beside = forged["limits"] if table == "limits" else forged["unit"]
    beside[key] = value
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(sealed(forged)))
    assert not check(file).holds, name
    assert examine(file.read_bytes()).verdict == "refused"


def test_a_certificate_of_independent_noise_holds_as_before(tmp_path):
    """As earlier versions wrote it: no partition, and the scale and half-width of its noise."""
    document = certificate(TEXT).as_json()
    for query in document["queries"]:
        del query["partition"]
        query["parts"][0] |= {"mechanism": "discrete-laplace", "half_width_95": 12.0}
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(sealed(document)))
    assert check(file).holds
    assert examine(file.read_bytes()).verdict == "verified"
    assert TableCertificate.from_json(sealed(document)).queries[0].partition is None


# An audit.


@pytest.mark.parametrize("moved", [[1, -1, 0, 0], [1, 0, 0, 0], [0, 0, -1, 0]])
def test_an_attack_uses_the_cell_that_is_not_published(moved):
    """Its log ratio is that of the whole vectors, of which one cell follows from the others."""
    query = prepared(TEXT).queries[0]
    out = np.array([5, 5, 5, 5])
    within = out + moved
    cells = AttackedCells.of(query, (out,), (within,))
    assert cells.kept == (0, 1, 2, 3)
    noise = np.array([[0, 0, 0, 0], [3, -2, 0, 4], [-1, 1, 2, -7]])
    published = np.zeros((3, 8))
    published[:, ::2] = out + noise

    def size(exact):
        apart = published[:, ::2] - exact
        return np.abs(apart).sum(axis=1) + np.abs(apart.sum(axis=1))

    expected = (size(out) - size(within)) / 4.0
    assert log_ratio(cells, published, (out,), (within,)).tolist() == expected.tolist()
