"""A survival curve under attack: one person moves through every source, and joint forgeries.

A forger who changes one number is found leaf by leaf (`test_forged_certificates.py`). Here several
change together, and everything that follows from them is computed again.
"""

import itertools
import json
import secrets
import shutil

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.certificate import TableCertificate
from deniable.certificate.files import METADATA
from deniable.certificate.json_documents import sha256, statement_sha256
from deniable.certificate.results import csv_bytes, parquet_bytes
from deniable.notions import Adjacency
from deniable.pipeline.check import check, check_certificate
from deniable.publish.kind import KIND
from deniable.publish.query import Grouping, Protection, Query
from deniable.publish.totals.aggregate import exact_totals
from deniable.survival.statistic import Event, Survival
from deniable.survival.table import Layout
from docs.plan import meaning
from tests.cases.audited import SURE
from tests.cases.sources import SOURCES
from tests.unit.survival.conftest import STUDY, Plans

GRID = (2.0, 4.0)
RECORDS = [
    (1.0, True), (2.0, False), (2.5, True), (4.0, False), (9.0, True), (None, True), (-1.0, True),
    (3.0, None),
]  # fmt: skip
"""In every kind of cell, and in `other` for three reasons."""
KEPT = [[(1.5, True)] * 2, [(3.5, False)]]
"""Two people who stay: one has the same row twice."""
ARRIVALS = [[each] for each in RECORDS] + [[RECORDS[0], RECORDS[3]], RECORDS[:5]]
"""The records of a third person in each table: one row or several, in several cells."""


def tables():
    """Tables that differ in the records of one person, one below the other; told apart by `t`."""
    lines = []
    for t, records in enumerate(ARRIVALS):
        people = [*KEPT, records]
        lines += [(t, f"{t}.{p}", *row) for p, rows in enumerate(people) for row in rows]
    names = ("t", "person", "days", "died")
    return pa.table(
        dict(zip(names, zip(*lines, strict=True), strict=True)),
        pa.schema([("t", pa.int64()), ("person", pa.string()), ("days", pa.float64()),
                   ("died", pa.bool_())]),
    )  # fmt: skip


def cells_of(records):
    """Where somebody may be by the page: in the cell of one of the rows, whichever is kept."""
    places = set()
    for days, died in records:
        if days is None or days < 0 or died is None:
            places.add(None)
            continue
        place = sum(days > end for end in GRID)
        places.add(2 if place == 2 else place if died else 4 - place)
    return places


@pytest.mark.parametrize("place", SOURCES)
def test_one_entity_moves_one_person_from_a_cell_to_another(place, tmp_path, request, monkeypatch):
    """Whatever rows it has, from every source; so the total is public, and L1 is 2.

    The same whole numbers come from every source, servers among them.
    """
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)
    source = SOURCES[place](tables(), tmp_path, request.getfixturevalue)
    number = len(ARRIVALS)
    layout = Layout(number, len(GRID))
    statistic = Survival(
        "days", Event("died"), GRID, number, "cells", Adjacency.REPLACE_ONE, gaussian=False
    )
    query = Query("q", statistic, Grouping(("t",), (tuple(range(number)),)))
    (found,) = exact_totals(source, "person", [(query, Protection(Adjacency.REPLACE_ONE, 1))])
    totals = found.reshape(-1)
    assert totals.sum() == 3 * number
    moved = totals[1:].reshape(number, layout.width)
    stay = np.zeros(layout.width, int)
    for records in KEPT:
        (cell,) = cells_of(records)
        stay[cell] += 1
    for records, people in zip(ARRIVALS, moved - stay, strict=True):
        assert people.min() >= 0
        cell = int(people.argmax()) if people.any() else None
        assert people.sum() == (cell is not None)
        assert cell in cells_of(records)
    assert totals[0] == 3 * number - moved.sum()
    apart = [
        np.abs(one - other).sum() + abs(int(one.sum() - other.sum()))
        for one, other in itertools.combinations(moved, 2)
    ]
    assert max(apart) == 2


# Joint forgeries.

TARGETS = {"zero-sum": "epsilon = 1.0", "circle": "epsilon = 1.0\ndelta = 1e-6"}
GROUPS = 'group_by = ["arm"]\nkeys = { arm = [1, 2] }\nlogrank = true\n'


@pytest.fixture(scope="module", params=TARGETS)
def released(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("curves")
    pq.write_table(STUDY, folder / "study.parquet")
    deniable.release(Plans(folder).write(GROUPS, target=TARGETS[request.param]), folder / "out")
    return folder / "out"


@pytest.fixture
def out(released, tmp_path):
    return shutil.copytree(released, tmp_path / "out")


def failing(folder):
    return {each.name for each in check(folder).checks if not each.holds}


def certified(folder):
    """The certificate, and the plan that is settled again from it."""
    document = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    prepared = check_certificate(KIND, document)[1].prepared
    return document, TableCertificate.from_json(document), prepared


def forge(folder, rows, *, digests):
    """Write these rows in both forms, with the report that goes with them if they follow."""
    document, certificate, prepared = certified(folder)
    about = pq.read_metadata(folder / "results.parquet").metadata[METADATA]
    results = KIND.results(rows)
    (folder / "results.parquet").write_bytes(parquet_bytes(results, {METADATA: about}))
    (folder / "results.csv").write_bytes(csv_bytes(results))
    page = KIND.report(certificate, prepared, rows)
    (folder / "report.html").write_text(page, encoding="utf-8")
    if digests:
        for name in document["files"]:
            document["files"][name] = sha256((folder / name).read_bytes())
        document["statement_sha256"] = statement_sha256(document)
        (folder / "certificate.json").write_text(json.dumps(document), encoding="utf-8")


def follow(folder, people):
    """All rows that follow if these people were measured without noise: the forger's release."""
    _, certificate, prepared = certified(folder)
    statistic = prepared.queries[0].query.statistic
    vector = statistic.measuring.exact(np.array(people, np.int64))[-1]
    published = pq.read_table(folder / "results.parquet").to_pylist()
    noisy = [row for row in published if row["measured"] is not None]
    for row, place in zip(noisy[-len(people) :], statistic.layout.rows, strict=True):
        row["measured"] = int(vector[place])
    return list(KIND.rebuilt(certificate, prepared, published))


# Of each arm events of four bins, beyond, and censored from the last bin to the first.
PEOPLE = [0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1]
OTHERS = [0, 2, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 2, 0, 0, 0, 1]


def test_numbers_changed_together_with_all_that_follows_are_found_by_digests_alone(out):
    """You see it if you have the certificate, its digest or a signature; the folder cannot say.

    Such a release is one whose noise was another, and no check looks at the data.
    """
    before, *_ = certified(out)
    rows = follow(out, PEOPLE)
    forge(out, rows, digests=False)
    assert failing(out) == {"results.parquet", "results.csv", "report.html"}
    forge(out, rows, digests=True)
    checked = check(out)
    assert checked.holds
    assert {"certificate.json", "values"} <= {each.what for each in checked.on_trust}
    after, *_ = certified(out)
    assert before["files"]["results.parquet"] != after["files"]["results.parquet"]


DERIVED = ("survival", "still observed", "median", "rmst", "cumulative hazard", "log-rank")


def test_what_follows_is_changed_together_with_the_numbers_or_found(out):
    """Everything is made again but the rows of one kind, which stay as they were."""
    old, new = follow(out, PEOPLE), follow(out, OTHERS)
    assert sum(PEOPLE) == sum(OTHERS) == 10
    for statistic in DERIVED:
        mixed = [
            before if before.statistic == statistic else after
            for before, after in zip(old, new, strict=True)
        ]
        assert mixed != new, statistic
        forge(out, mixed, digests=True)
        assert "results" in failing(out), statistic
    forge(out, new, digests=True)
    assert failing(out) == set()


def test_a_table_of_people_that_does_not_follow_is_found_with_its_whole_curve(out):
    """The forger changes a whole number, and every curve is right for it."""
    rows = follow(out, PEOPLE)
    places = [place for place, row in enumerate(rows) if row.statistic == "events"]
    for place, by in zip(places[:2], (1, -1), strict=True):
        rows[place] = attrs.evolve(rows[place], whole_number=rows[place].whole_number + by)
    forge(out, rows, digests=True)
    assert "results" in failing(out)


def test_less_noise_is_not_claimed_by_a_scale_a_share_and_a_half_width_together(out):
    path = out / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for part in document["queries"][0]["parts"]:
        for key in ("scale", "half_width_95"):
            if part.get(key):
                part[key] /= 2
    document["statement_sha256"] = statement_sha256(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    assert failing(out) & {"query alive"}


CODES = [2**63 - 1, -(2**63), 127, -128, 255, 0, 1, -1, 1e308, 2.0**53, 0.0, True, False, "x", ""]


@pytest.mark.parametrize("code", CODES)
def test_an_audit_has_somebody_with_the_event_and_somebody_without(code):
    """Whatever the code is: the number above the largest one belongs to no column."""
    statistic = Survival(
        "days", Event("status", code), GRID, 1, "cells", Adjacency.REPLACE_ONE, gaussian=False
    )
    codes = {(type(each["status"]), each["status"]) for each in statistic.corners()}
    (other,) = {value for _, value in codes} - {code}
    assert other != code
    if not isinstance(code, str | bool):
        assert other in (0, 1)


def test_the_largest_code_is_audited(tmp_path):
    status = pa.array([2**63 - 1, 1] * 5, pa.int64())
    pq.write_table(
        STUDY.drop(["status"]).append_column("status", status), tmp_path / "study.parquet"
    )
    plan = Plans(tmp_path).write(event=f'{{ column = "status", is = {2**63 - 1} }}')
    assert deniable.audit(plan, runs=40, confidence=SURE).verdict != "violated"


def test_people_with_a_time_of_0_are_observed_at_0_wherever_it_is_said(tmp_path):
    """They are in the first bin: at 0 everybody counts, also in the files for R and lifelines."""
    times, events = [0.0] * 10 + [1.0] * 5 + [3.0] * 20 + [7.0] * 15, [False, True] * 25
    plan = """
        [data]
        adjacency = "replace-one"
        [target]
        epsilon = 80
        [[query]]
        name = "q"
        statistic = "survival"
        time = "t"
        event = "e"
        grid = { step = 2, horizon = 6 }
    """
    done = deniable.release(plan, tmp_path / "out", data=pa.table({"t": times, "e": events}))
    observed = {row.bin_high: row.value for row in done.rows if row.statistic == "still observed"}
    assert observed == {0: 50, 2: 35, 4: 15, 6: 15}
    lines = deniable.export(tmp_path / "out", to="lifelines").frame().to_dict("records")
    first, *others = [(line["event_at"], line["at_risk (> t)"]) for line in lines]
    assert [first, *others] == [*observed.items()]
    lines = deniable.export(tmp_path / "out", to="survfit").frame().to_dict("records")
    assert [line["n.risk (>= t)"] for line in lines] == [50, 35, 15]
    assert "At time 0, everybody is still observed." in " ".join(
        (tmp_path / "out" / "report.html").read_text("utf-8").split()
    )
    (key,) = (each for each in Survival.KEYS if each.name == "at_risk")
    assert "At time 0 all people count" in meaning(key)
