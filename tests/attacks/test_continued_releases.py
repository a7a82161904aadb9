"""A series of running counts: one person moves all of it by no more than was charged once.

And what an owner or a forger might try: a week measured twice, another plan, numbers of earlier
weeks made up, a past that changes.
"""

import csv
import datetime
import itertools
import json
import shutil
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.certificate.json_documents import sha256
from deniable.certificate.results import csv_bytes, parquet_bytes
from deniable.errors import BudgetExceeded, DeniableError, InvalidArgument, PlanError
from deniable.mechanisms import DiscreteGaussian
from deniable.mechanisms.continual_counts import STEPS, measure, squared_sensitivity
from deniable.more_statistics.running_count import RunningCount
from deniable.notions import Adjacency
from deniable.pipeline.charging import Account
from deniable.publish.plan.continued import FREE, _compared
from deniable.publish.plan.known_keys import CSV, DATA, TABLES, TOP
from deniable.publish.plan.published_plan import WITHHELD, public_content
from deniable.publish.query import Protection
from tests.cases.refusals import refuses

FIRST = datetime.date(2024, 1, 1)
WARDS = ("A", "B")

PLAN = """
{head}
[data]
source = "deaths.csv"
adjacency = "{adjacency}"
types = {{ day = "date" }}
[columns]
week = {{ of = "day", part = "week" }}
[keys]
week = "2024-W01..2024-W{last:02}"
ward = ["A", "B"]
[target]
epsilon = 1.0
delta = 1e-6
{ledger}
[[query]]
name = "so far"
statistic = "running_count"
group_by = ["week", "ward"]
"""


def day(week):
    return FIRST + datetime.timedelta(7 * week)


def write_table(folder, rows):
    lines = ["day,ward", *(f"{day(week)},{ward}" for week, ward in rows)]
    (folder / "deaths.csv").write_text("\n".join(lines) + "\n")


def plan(folder, last, before=None, *, adjacency="add-remove", ledger="", extra=""):
    head = "" if before is None else f'continue = "{before}"'
    path = folder / f"plan {last} {before}.toml"
    text = PLAN.format(head=head, adjacency=adjacency, last=last, ledger=ledger) + extra
    path.write_text(text)
    return path


@pytest.fixture
def folder(tmp_path):
    write_table(tmp_path, [(week, ward) for week in range(6) for ward in "AABC"])
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("series")
    write_table(folder, [(week, ward) for week in range(6) for ward in "AABC"])
    deniable.release(plan(folder, 3), folder / "3")
    deniable.release(plan(folder, 4, "3"), folder / "4")
    deniable.release(plan(folder, 6, "4"), folder / "6")
    return folder


@pytest.fixture
def three(made, folder):
    """A release of three weeks alone."""
    shutil.copytree(made / "3", folder / "3")
    return folder


@pytest.fixture
def series(made, tmp_path):
    """Releases of three, four and six weeks, each going on with the one before."""
    return shutil.copytree(made, tmp_path / "series")


def results(folder):
    with (folder / "results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_series_is_checked_and_keeps_every_number_of_before(series):
    of = {name: results(series / name) for name in "346"}
    assert of["4"][: len(of["3"])] == of["3"]
    assert of["6"][: len(of["4"])] == of["4"]
    assert len(of["6"]) == 2 * 6 * len(WARDS)
    for name in "346":
        assert deniable.check(series / name).holds
        certificate = json.loads((series / name / "certificate.json").read_text())
        assert certificate["guarantee"]["rho"] == pytest.approx(0.024356, abs=1e-6)
        assert any("all that it continues" in each for each in certificate["assumptions"])


def test_with_hardly_any_noise_the_numbers_are_those_of_the_table(folder):
    """Through the engine, the folders and back: nothing is shifted by a week or a ward."""
    rows = [(0, "A")] * 7 + [(1, "B")] * 5 + [(2, "A"), (2, "C"), (3, "B"), (3, "B")]
    write_table(folder, rows)
    for last, before in ((2, None), (3, "2"), (4, "3")):
        path = plan(folder, last, before)
        path.write_text(path.read_text().replace("epsilon = 1.0", "epsilon = 1e6"))
        deniable.release(path, folder / str(last))
    found = [round(float(row["value"])) for row in results(folder / "4")]
    expected = []
    for week in range(4):
        for ward in WARDS:
            counts = [sum(row == (w, ward) for row in rows) for w in range(week + 1)]
            expected += [sum(counts), counts[-1]]
    assert found == expected


# One person.


def exact(rows):
    """What three releases measure of a table, exactly, one after the other."""
    vector = []
    for before, periods in ((0, 2), (2, 3), (3, 5)):
        counts = np.zeros((periods, len(WARDS)), dtype=np.int64)
        for week, ward in rows:
            if week < periods and ward in WARDS:
                counts[week, WARDS.index(ward)] += 1
        vector += RunningCount(periods, before).exact(counts, None)[0].tolist()
    return vector


OTHERS = [(0, "A"), (1, "A"), (1, "B"), (4, "B")]
PEOPLE = [(week, ward) for week in range(6) for ward in (*WARDS, "C")]


def divergence(first, second, scale):
    """The exact Rényi bound of all three releases together, as a multiple of order: ρ."""
    moved = sum((x - y) ** 2 for x, y in zip(first, second, strict=True))
    return Fraction(moved) / (2 * Fraction(scale) ** 2)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_nobody_moves_a_series_by_more_than_its_first_release_is_charged(adjacency):
    rho = Fraction(0.02)
    part = RunningCount(2).parts(Protection(adjacency, 1), 4)[0]
    scale = part.l2 / float(2 * rho) ** 0.5
    if adjacency is Adjacency.ADD_REMOVE:
        pairs = [(OTHERS, [*OTHERS, person]) for person in PEOPLE]
    else:
        pairs = [
            ([*OTHERS, one], [*OTHERS, other]) for one, other in itertools.combinations(PEOPLE, 2)
        ]
    worst = max(divergence(exact(a), exact(b), scale) for a, b in pairs)
    assert rho / 2 < worst <= rho * (1 + Fraction(1, 10**12))


def test_the_exact_privacy_loss_of_a_short_series_keeps_to_the_divergence():
    """By the law itself, at orders 2 and 8: the moments of each coordinate, multiplied."""
    scale = 1.5 * STEPS
    noise = DiscreteGaussian(scale)
    moved = np.array(exact([*OTHERS, (0, "A")])) - np.array(exact(OTHERS))
    bound = float(squared_sensitivity(Adjacency.ADD_REMOVE).mid()) / (2 * scale**2)
    step = 2**12  # the law on every 4096th point: smooth at this scale, so sums scale
    points = np.arange(-16 * STEPS, 16 * STEPS, step, dtype=np.float64)
    for order in (2, 8):
        total = 0.0
        for shift in moved[moved != 0]:
            logs = order * noise.log_pmf(points - shift) + (1 - order) * noise.log_pmf(points)
            total += np.log(np.exp(logs).sum() * step) / (order - 1)
        assert 0.5 * order * bound < total <= order * bound * (1 + 1e-9)


def test_a_past_that_changes_loses_more_which_is_why_it_is_assumed_not_to():
    """A row that says of every week that it is in this one: the assumption is needed."""
    moved = 0
    for periods in range(1, 9):
        counts = np.zeros((periods, 1), dtype=np.int64)
        counts[-1] = 1
        moved += int(measure(counts, periods - 1)[0, 0]) ** 2
    assert squared_sensitivity(Adjacency.ADD_REMOVE) < moved


# What else an owner might ask for.


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda text: text.replace("epsilon = 1.0", "epsilon = 2.0"), "target-as-in-release"),
        (lambda text: text.replace("delta = 1e-6", "delta = 1e-5"), "target-as-in-release"),
        (lambda text: text.replace("add-remove", "replace-one"), "data-as-in-release"),
        (lambda text: text.replace('["A", "B"]', '["A"]'), "so-far-query"),
        (lambda text: text.replace('["A", "B"]', '["B", "A"]'), "so-far-query"),
        (lambda text: text.replace("W01..", "W02.."), "so-far-query"),
        (lambda text: text.replace('part = "week"', 'part = "week"\n}').replace("\n} }", " }")
         + '\nwhere = [["ward", "==", "A"]]', "so-far-query"),
        (lambda text: text + "\nweight = 2", "so-far-query"),
        (lambda text: text.replace('name = "so far"', 'name = "others"'), "before-new-name"),
        (lambda text: text.replace("W04", "W03"), "more-periods-of-release-before: 3"),
        (lambda text: text.replace('"running_count"', '"count"'),
         "alone-beside-continue: running_count"),
        (lambda text: text + '\n[[query]]\nname = "b"\nstatistic = "running_count"\n'
         'group_by = ["week"]', "before-new-name"),
        (lambda text: text.replace('"3"', '"nowhere"'), "release-before"),
        (lambda text: text.replace('"3"', "3"), "text-continue-write"),
        (lambda text: text.replace('[columns]', '[data.recode]\nward = { C = "A" }\n[columns]'),
         "data-as-in-release"),
        (lambda text: text.replace('[columns]', '[data.csv]\ndate_format = "%Y-%d-%m"\n[columns]'),
         "data-as-in-release"),
    ],
)  # fmt: skip
def test_another_plan_does_not_go_on(three, change, expected):
    path = three / "changed.toml"
    path.write_text(change(plan(three, 4, "3").read_text()))
    with refuses((PlanError, InvalidArgument), expected):
        deniable.plan(path)
    assert not (three / "4").exists()


OTHERWISE = {
    "data.entity": 'entity = "day"',
    "data.household": 'household = "day"',
    "data.unit": 'unit = "death"',
    "data.adjacency": 'adjacency = "replace-one"',
    "data.types": 'types = { day = "timestamp" }',
    "data.nulls": 'nulls = ["C"]',
    "data.trim": 'trim = ["ward"]',
    "data.fold": 'fold = ["ward"]',
    "data.recode": 'recode = { ward = { C = "A" } }',
    "csv.delimiter": 'csv.delimiter = ";"',
    "csv.quote": 'csv.quote = "\'"',
    "csv.escape": "csv.escape = '\\'",
    "csv.encoding": 'csv.encoding = "latin-1"',
    "csv.header": 'csv.header = false\ncsv.columns = ["day", "ward"]',
    "csv.columns": 'csv.header = false\ncsv.columns = ["ward", "day"]',
    "csv.decimal": 'csv.decimal = ","\ncsv.delimiter = ";"',
    "csv.thousands": "csv.thousands = \"'\"\ncsv.quote = '\"'",
    "csv.date_format": 'csv.date_format = "%Y-%d-%m"',
    "csv.timestamp_format": 'csv.timestamp_format = "%Y-%d-%m %H"',
}
"""How each key of [data] and [data.csv] that is not free can differ, in lines of [data]."""


def test_each_key_has_to_stay_or_is_free_for_a_reason():
    """A new key is compared until a reason is entered; what is compared is published."""
    known = {f"data.{key.name}" for key in DATA if key.name not in ("source", "csv")}
    known |= {f"csv.{key.name}" for key in CSV}
    assert known == OTHERWISE.keys()
    everything = [(name, key.name) for name, keys in TABLES.items() for key in keys]
    places = {*TABLES, *(key.name for key in TOP), *(f"{name}.{key}" for name, key in everything)}
    assert places >= FREE.keys()
    for name, key in everything:
        given = {name: {key: "one"}}, {name: {key: "two"}}
        if name == "query" or name in FREE:
            continue
        one, two = (_compared(public_content(each)) for each in given)
        is_withheld = public_content(given[0])[name][key] == WITHHELD
        assert (one != two) == (f"{name}.{key}" not in FREE and not is_withheld), (name, key)
        # A list of members is beside no running counts.
        assert not is_withheld or f"{name}.{key}" in FREE or key == "population"
    for key in CSV:
        one, two = ({"data": {"csv": {key.name: each}}} for each in ("one", "two"))
        assert _compared(public_content(one)) != _compared(public_content(two))


@pytest.mark.parametrize("key", OTHERWISE)
def test_a_series_does_not_go_on_where_a_row_may_be_read_otherwise(three, key):
    text, line = plan(three, 4, "3").read_text(), OTHERWISE[key]
    name = line.partition(" ")[0]
    before = [each for each in text.splitlines() if each.startswith(f"{name} ")]
    text = text.replace(before[0], line) if before else text.replace("[data]", f"[data]\n{line}")
    (three / "changed.toml").write_text(text)
    with pytest.raises(DeniableError) as refused:
        deniable.release(three / "changed.toml", three / "4")
    assert "[data]" in str(refused.value) or "columns" in str(refused.value)
    assert not (three / "4").exists()


def test_a_series_goes_on_from_another_place(three):
    (three / "elsewhere").mkdir()
    (three / "deaths.csv").rename(three / "elsewhere" / "all.csv")
    text = plan(three, 4, "3").read_text().replace("deaths.csv", "elsewhere/all.csv")
    (three / "moved.toml").write_text(text + '[report]\ntitle = "Deaths"\n')
    deniable.release(three / "moved.toml", three / "4")
    assert deniable.check(three / "4").holds


def test_only_a_release_that_holds_goes_on(series):
    """Numbers of earlier weeks that somebody changed are refused, however they are written."""
    results = series / "4" / "results.parquet"
    results.write_bytes(results.read_bytes()[:-1] + b"x")
    with refuses(PlanError, "passes-its-check"):
        deniable.plan(plan(series, 6, "4"))


def test_a_release_of_something_else_does_not_go_on(folder):
    text = plan(folder, 3).read_text().replace("running_count", "count")
    (folder / "other.toml").write_text(text)
    deniable.release(folder / "other.toml", folder / "other")
    with refuses(PlanError, "continue-to-name: running_count alone"):
        deniable.plan(plan(folder, 4, "other"))


def test_every_number_that_follows_is_recomputed(series):
    """Both files of results changed alike, and all digests repaired."""
    certificate = json.loads((series / "6" / "certificate.json").read_text())
    table = pq.read_table(series / "6" / "results.parquet")
    for place, column in ((0, "value"), (1, "value"), (0, "half_width_95"), (8, "measured")):
        values = table[column].to_pylist()
        values[place] += 1
        position = table.column_names.index(column)
        kind = table.schema.field(column)
        altered = table.set_column(position, kind, pa.array(values, kind.type))
        files = {
            "results.csv": csv_bytes(altered),
            "results.parquet": parquet_bytes(altered, table.schema.metadata),
        }
        forged = shutil.copytree(series / "6", series / f"forged {place} {column}")
        for name, content in files.items():
            (forged / name).write_bytes(content)
            certificate["files"][name] = sha256(content)
        (forged / "certificate.json").write_text(json.dumps(certificate))
        assert not deniable.check(forged).holds


# Ledgers.


LEDGER = '[ledger]\nfile = "book.ledger"\ndataset = "deaths"'


@pytest.fixture(scope="module")
def paid(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paid")
    write_table(folder, [(week, ward) for week in range(6) for ward in "AABC"])
    deniable.ledger.new(
        folder / "book.ledger",
        dataset="deaths",
        adjacency="add-remove",
        epsilon=1.2,
        delta=1e-6,
        each_row=True,
    )
    deniable.release(plan(folder, 3, ledger=LEDGER), folder / "3")
    return folder


@pytest.fixture
def charged(paid, tmp_path):
    """A folder with a release of three weeks, and the ledger that it was charged to."""
    folder = shutil.copytree(paid, tmp_path / "paid")
    return folder, deniable.Ledger(folder / "book.ledger")


def test_a_series_is_charged_once_and_fresh_releases_each_time(charged):
    folder, book = charged
    once = book.spent("deaths")
    deniable.release(plan(folder, 4, "3", ledger=LEDGER), folder / "4")
    deniable.release(plan(folder, 6, "4", ledger=LEDGER), folder / "6")
    assert book.spent("deaths") == once + 2
    assert deniable.ledger.cost(book, plan(folder, 5, "3", ledger=LEDGER)).units == 1
    assert deniable.ledger.cost(book, plan(folder, 5, ledger=LEDGER)).units > 10**9
    assert deniable.check(folder / "6").holds
    with pytest.raises(BudgetExceeded):
        deniable.release(plan(folder, 6, ledger=LEDGER), folder / "anew")


def test_a_share_of_a_budget_is_taken_once(charged):
    folder, book = charged
    spent = book.spent("deaths")
    for last, before in ((3, None), (4, "first")):
        path = plan(folder, last, before, ledger=LEDGER + '\nshare = "1/5"')
        path.write_text(path.read_text().replace("epsilon = 1.0\n", ""))
        deniable.release(path, folder / ("first" if before is None else "second"))
    fifth = book.dataset("deaths").budget // 5
    assert fifth - 2 <= book.spent("deaths") - spent <= fifth + 1
    assert deniable.check(folder / "second").holds


def test_no_week_is_measured_twice(charged):
    folder, book = charged
    deniable.release(plan(folder, 4, "3", ledger=LEDGER), folder / "4")
    spent = book.spent("deaths")
    with refuses(InvalidArgument, "measured-twice-continue-later-release"):
        deniable.release(plan(folder, 5, "3", ledger=LEDGER), folder / "twice")
    assert book.spent("deaths") == spent
    assert not (folder / "twice").exists()


def test_no_title_passes_for_a_continuation(charged):
    """Anybody who may charge the dataset could end a series with one."""
    folder, _ = charged
    statement = json.loads((folder / "3" / "certificate.json").read_text())["statement_sha256"]
    for title in (f"continues {statement}", f" continues {statement}"):
        text = plan(folder, 3, ledger=LEDGER).read_text().replace("epsilon = 1.0", "epsilon = 0.01")
        text = text.partition("[[query]]")[0] + f'[report]\ntitle = "{title}"\n'
        (folder / "other.toml").write_text(text + '[[query]]\nname = "n"\nstatistic = "count"\n')
        deniable.release(folder / "other.toml", folder / f"other {len(title)}")
    deniable.release(plan(folder, 4, "3", ledger=LEDGER), folder / "4")
    assert deniable.check(folder / "4").holds


def test_of_two_continuations_at_the_same_moment_at_most_one_goes_on(charged, monkeypatch):
    """Both looked before either was charged: whoever is charged second finds the other."""
    folder, book = charged
    looked = Account.others
    monkeypatch.setattr(
        Account, "others", lambda self, charge=None: charge is not None and looked(self, charge)
    )
    deniable.release(plan(folder, 4, "3", ledger=LEDGER), folder / "4")
    spent = book.spent("deaths")
    with refuses(InvalidArgument, "periods-would-measured-twice"):
        deniable.release(plan(folder, 5, "3", ledger=LEDGER), folder / "twice")
    assert book.spent("deaths") == spent
    assert not (folder / "twice").exists()


def test_a_continuation_that_failed_is_tried_again_once_its_charge_is_void(charged, monkeypatch):
    """Noise may have been drawn: what the ledger does not know to be void counts."""
    folder, book = charged
    path = plan(folder, 4, "3", ledger=LEDGER)
    with monkeypatch.context() as broken:
        broken.setattr("deniable.pipeline.noise.sampler.release", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            deniable.release(path, folder / "4")
    with refuses(InvalidArgument, "measured-twice-continue-later-release"):
        deniable.release(path, folder / "4")
    book.void(book.entries("deaths")[-1].id, "the program failed")
    deniable.release(path, folder / "4")
    assert deniable.check(folder / "4").holds


def test_what_another_ledger_was_charged_is_not_continued_here(charged):
    folder, _ = charged
    deniable.ledger.new(
        folder / "other.ledger",
        dataset="deaths",
        adjacency="add-remove",
        epsilon=1.2,
        delta=1e-6,
        each_row=True,
    )
    path = plan(folder, 4, "3", ledger=LEDGER.replace("book", "other"))
    with refuses(InvalidArgument, "ledger-has-entered"):
        deniable.release(path, folder / "4")
    with refuses(PlanError, "ledger-as-in-release"):
        deniable.release(plan(folder, 4, "3"), folder / "4")


def test_errors_name_no_value_of_a_person(folder):
    write_table(folder, [(0, "SECRET")])
    with pytest.raises(DeniableError) as error:
        deniable.release(plan(folder, 4, "3"), folder / "4")
    assert "SECRET" not in str(error.value)
