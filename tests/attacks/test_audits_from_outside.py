"""What somebody who did not write the audits broke in them."""

import asyncio
import json
import math
import re
import subprocess
import sys

import attrs
import numpy as np
import pyarrow as pa
import pytest

from deniable import Effort, audit
from deniable.auditing.page import audit_page, headline, numbers, verdict_sentence
from deniable.auditing.plans import audit_plan
from deniable.errors import InvalidArgument, NotApplicable
from deniable.publish.plan import read_plan
from deniable.publish.prepare import calibrate_plan
from deniable.publish.totals import exact_totals
from tests.cases.audited import SURE
from tests.cases.refusals import refuses

CURVE = """
[data]
source = "memory"
entity = "person"
adjacency = "replace-one"
types = { days = "number", status = "integer", arm = "integer", ward = "integer" }
[target]
epsilon = 1.0
{delta}
[limits]
rows_per_entity = 1
[[query]]
name = "s"
statistic = "survival"
time = "days"
event = {{ column = "status", is = 2 }}
group_by = ["arm"]
keys = {{ arm = [1, 2] }}
where = [["ward", "==", 1]]
grid = {{ step = 120, horizon = 720 }}
"""
WITH_DELTA = CURVE.replace("types = {", "types = {{").replace('"integer" }', '"integer" }}')


@pytest.mark.parametrize("delta", ["delta = 1e-6", ""])
def test_a_curve_with_a_public_total_is_not_accused(delta):
    """Exchanged people have a row each: one without a row is in no table, and no neighbour."""
    answer = audit_plan(WITH_DELTA.format(delta=delta), runs=40, releases=1, confidence=SURE)
    assert answer.verdict != "violated"
    assert not any(each.breaks for each in answer.findings)


@pytest.mark.parametrize(
    "row",
    [
        {"days": None, "status": 2, "arm": 1, "ward": 1},
        {"days": float("nan"), "status": 2, "arm": 1, "ward": 1},
        {"days": 3.0, "status": None, "arm": 1, "ward": 1},
        {"days": -3.0, "status": 2, "arm": 1, "ward": 1},
        {"days": 3.0, "status": 2, "arm": 3, "ward": 1},
        {"days": 3.0, "status": 2, "arm": 1, "ward": 2},
        {"days": 3.0, "status": 2, "arm": 1, "ward": None},
    ],
)
def test_the_public_total_counts_people_whose_rows_take_no_part(row):
    usual = {"person": "a", "days": 30.0, "status": 2, "arm": 1, "ward": 1}
    kinds = {"person": "string", "days": "float64", "status": "int64", "arm": "int64"}
    types = pa.schema([*kinds.items(), ("ward", "int64")])
    totals = []
    for rows in ([usual, usual | {"person": "b"}], [usual, {"person": "b", **row}]):
        plan = calibrate_plan(
            read_plan(WITH_DELTA.format(delta="delta = 1e-6"), pa.Table.from_pylist(rows, types))
        )
        (query,) = plan.queries
        work = [(query.query, query.protection)]
        (exact,) = exact_totals(plan.plan.source, plan.plan.entity, work)
        totals.append(query.query.statistic.exact(exact, query.protection)[0].tolist())
    assert totals == [[2], [2]]


def noise(rng):
    return int(rng.geometric(0.5) - rng.geometric(0.5))


def remembers(features, labels):
    del labels
    return set(features[:, 0])


def same_losses(model, features, labels):
    del model, labels
    return np.zeros(len(features))


PEOPLE = (np.arange(30.0)[:, None], np.zeros(30))


def test_losses_that_never_move_say_how_many_runs_would_decide():
    few = audit(remembers, PEOPLE, losses=same_losses, claimed="pure-dp:1@add-remove", runs=160)
    assert [each.name for each in few.findings] == ["same-losses"]
    assert few.verdict == "inconclusive"
    assert few.decides == 268
    enough = audit(
        remembers, PEOPLE, losses=same_losses, claimed="pure-dp:1@add-remove", runs=few.decides
    )
    assert enough.verdict == "consistent"


def test_one_training_says_how_many_would_decide():
    once = audit(remembers, PEOPLE, losses=same_losses, claimed="pure-dp:2@add-remove", runs=1)
    assert once.verdict == "inconclusive"
    assert f"about {once.decides:,} would" in verdict_sentence(once)


def grows(data, rng):
    return sum(data) + noise(rng)


def test_data_that_can_be_read_once_are_refused(tmp_path):
    """The first run would read them, and all others see nothing."""
    (tmp_path / "one").write_text("1\n", encoding="utf-8")
    (tmp_path / "other").write_text("1\n2\n", encoding="utf-8")
    with refuses(InvalidArgument, "compared-before-and-after"):
        audit(grows, neighbours=(iter([0]), iter([0, 1000])), claimed="pure-dp:5", runs=400)
    with refuses(InvalidArgument, "compared-before-and-after"):
        audit(grows, neighbours=((i for i in [0]), (i for i in [0, 1000])), runs=400)
    with (
        (tmp_path / "one").open(encoding="utf-8") as one,
        (tmp_path / "other").open(encoding="utf-8") as other,
        refuses(InvalidArgument, "compared-before-and-after"),
    ):
        audit(lambda file: len(file.read()), neighbours=(one, other), runs=400)


class Account:
    """Something that no library can compare."""

    def __init__(self):
        self.calls, self.rule = 0, lambda: 0


def test_data_that_cannot_be_compared_are_refused():
    def counts(account):
        account.calls += 1
        return account.calls

    with refuses(InvalidArgument, "compared-before-and-after"):
        audit(counts, neighbours=(Account(), Account()), runs=400)
    with refuses(InvalidArgument, "compared-before-and-after"):
        audit(counts, neighbours=([1], {"a": (i for i in [1])}), runs=400)


@pytest.mark.parametrize("data", [{1, 2, 3}, frozenset({1}), {"a": 1, "b": 2}])
@pytest.mark.parametrize("more", [{}, {"other": 7}, {"size": 1}])
def test_data_without_an_order_of_records_are_refused(data, more):
    with refuses(InvalidArgument, "records-in-a-row"):
        audit(lambda data, rng: len(data) + noise(rng), data, runs=400, **more)


@pytest.mark.parametrize(("rare", "several"), [(0.002, False), (0.002, True), (0.5, True)])
@pytest.mark.parametrize("claimed", ["pure-dp:2", None])
def test_texts_in_some_blocks_only(rare, several, claimed):
    def sometimes(data, rng):
        value = "none" if rng.random() < rare else data + noise(rng)
        return [value, 1] if several else value

    answer = audit(sometimes, neighbours=(0, 1), claimed=claimed, runs=2_000, effort=Effort(seed=3))
    assert answer.runs == 2_000


class Odd(BaseException):
    """Something that derives from no Exception, as a panic of a library in Rust."""


SECRET = "person 17 has HIV"


@pytest.mark.parametrize(
    "error",
    [
        asyncio.CancelledError,
        GeneratorExit,
        Odd,
        SystemExit,
        StopIteration,
        MemoryError,
        InvalidArgument,
        NotApplicable,
    ],
)
def test_whatever_a_target_raises_its_message_is_hidden(error):
    def fails(*_):
        raise error(SECRET)

    def remembers_or_fails(model, features, labels):
        del model, features, labels
        raise error(SECRET)

    for asked in (
        {"target": fails, "neighbours": (0, 1)},
        {"target": fails, "data": [1, 2, 3], "size": 1},
        {"target": lambda X, y: fails(X, y), "data": PEOPLE},  # noqa: N803 - a model
        {"target": remembers, "data": PEOPLE, "losses": remembers_or_fails},
        {"target": remembers, "data": PEOPLE, "losses": remembers_or_fails, "runs": 1},
    ):
        with refuses(InvalidArgument, "not-shown") as caught:
            audit(**{"runs": 40, **asked})
        assert error.__name__ in str(caught.value)
        assert SECRET not in str(caught.value)


def test_who_interrupts_a_target_interrupts_the_audit():
    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(interrupted, neighbours=(0, 1), runs=40)


@pytest.mark.parametrize(
    ("lower", "claimed", "delta"),
    [
        (math.nextafter(3.0, 4.0), 3.0, 0.005),
        (3.00004, 3.0, 0.0),
        (1.0004, 1.00001, 0.02),
        (1.000011, 1.00001, 0.0),
    ],
)
def test_a_limit_above_the_claim_is_printed_above_it(lower, claimed, delta):
    answer = audit(lambda data: data, neighbours=(0, 1), claimed="pure-dp:1", runs=20)
    answer = attrs.evolve(
        answer,
        verdict="violated",
        findings=(),
        claimed=f"approx-dp:{claimed},{delta}",
        claimed_epsilon=claimed,
        delta=delta,
        found=attrs.evolve(answer.found, lower=lower),
    )
    most, least = re.findall(r"ε = ([\d.]*\d).*at least ([\d.]*\d)", verdict_sentence(answer))[0]
    assert claimed <= float(most) < float(least) <= lower
    (_, most, _), _, (_, least, _) = numbers(answer)
    assert claimed <= float(most) < float(least) <= lower
    bets = [float(each) for each in re.findall(r"(?:most|least) ([\d.]+) %", headline(answer))]
    assert len(bets) == 1 or bets[0] < bets[1]


def test_a_frame_that_is_only_read_has_not_changed():
    pandas = pytest.importorskip("pandas")
    times = pandas.date_range("2020-01-01", periods=4)

    def reads(table, rng):
        table.loc[table.index[0]], table.index[0], table.t.max(), table.index.is_unique
        return len(table) + noise(rng)

    def writes(table, rng):
        table.iloc[0, 0] += 1
        return len(table) + noise(rng)

    for index in (range(4), times, [*"abcd"]):
        table = pandas.DataFrame({"x": [1.0, 2, 3, 4], "t": times}, index=index)
        assert audit(reads, table, runs=400).runs == 400
        with refuses(InvalidArgument, "leaves-its-data-as-they"):
            audit(writes, table, runs=400)


@pytest.mark.parametrize(
    ("asked", "adjacency", "other"),
    [
        ({"neighbours": ([1, 2], [1, 3])}, "add-remove", "replace-one"),
        ({"neighbours": ([1], [1, 3])}, "replace-one", "add-remove"),
        ({"neighbours": ([1], [1, 3])}, "parent-set", "add-remove"),
        ({"data": [1, 2, 3], "size": 2}, "replace-one", "parent-set"),
        ({"target": remembers, "data": PEOPLE, "losses": same_losses}, "replace-one", "add-remove"),
        ({"target": remembers, "data": PEOPLE, "losses": same_losses}, "parent-set", "add-remove"),
    ],
)
def test_neighbours_that_are_others_than_asked_for_are_refused(asked, adjacency, other):
    with refuses(InvalidArgument, f"neighbours-are-by: {adjacency} | {other}"):
        audit(**{"target": grows, "runs": 40, "adjacency": adjacency, **asked})


def test_a_header_without_rows_is_no_record(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,ill\n", encoding="utf-8")
    with refuses(InvalidArgument, "at-least-2-records"):
        audit(remembers, file, label="ill", runs=40)


PRINTS = """
import os, sys
print("on import")
def prints(data, rng):
    print("a value"); os.write(1, b"a value"); sys.__stdout__.write("a value")
    return data + int(rng.geometric(.5) - rng.geometric(.5))
prints.neighbours = (0, 1)
"""


@pytest.mark.parametrize("more", [[], ["--workers", "2"]])
def test_what_a_target_prints_is_not_in_the_answer(tmp_path, more):
    (tmp_path / "printing.py").write_text(PRINTS, encoding="utf-8")
    command = [sys.executable, "-m", "deniable", "audit", "printing:prints", "--runs", "40"]
    done = subprocess.run(
        [*command, "--json", *more],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["runs"] == 40
    assert "a value" in done.stderr


def test_a_page_says_why_there_is_no_curve():
    ended = audit(lambda data: data, neighbours=(0, 1), claimed="pure-dp:1", runs=2_000)
    assert (ended.verdict, ended.curve) == ("violated", ())
    once = audit(remembers, PEOPLE, losses=same_losses, runs=1)
    for answer, words in ((ended, "refuted the claim early"), (once, "run gives no curve")):
        page = audit_page(answer, "f")
        assert words in page
        assert "too few runs" not in page


def takes_nothing():
    return 1.0


def takes_rng(rng):
    return rng.normal()


def takes_more(data, rng, more):
    return sum(data) + rng.normal() + more


def takes_rng_first(rng, data):
    return sum(data) + rng.normal()


def takes_names(*, data, rng):
    return sum(data) + rng.normal()


def takes_epsilon(data, *, epsilon):
    return sum(data) + epsilon


def yields(data, rng):
    yield sum(data) + rng.normal()


async def awaits(data, rng):
    return sum(data) + rng.normal()


async def yields_later(data, rng):
    yield sum(data) + rng.normal()


class Query:
    def __init__(self, data):
        self.total = sum(data)

    def answer(self, data, rng):
        return sum(data) + rng.normal()


MECHANISM = "f(data, rng), or f(data) without randomness"


@pytest.mark.parametrize(
    ("function", "got"),
    [
        (takes_nothing, "takes_nothing()"),
        (takes_rng, "takes_rng(rng)"),
        (takes_more, "takes_more(data, rng, more)"),
        (takes_rng_first, "takes_rng_first(rng, data)"),
        (takes_names, "takes_names(*, data, rng)"),
        (takes_epsilon, "takes_epsilon(data, *, epsilon)"),
        (Query.answer, "Query.answer(self, data, rng)"),
        (lambda: 1.0, "test_audits_from_outside.<lambda>()"),
        (yields, "yields, which is async or yields"),
        (awaits, "awaits, which is async or yields"),
        (yields_later, "yields_later, which is async or yields"),
    ],
)
def test_a_function_that_is_called_otherwise_hears_how(function, got):
    """A TypeError at a line of ours, where it is called, helps nobody."""
    got = got.removeprefix("test_audits_from_outside.")
    with refuses(InvalidArgument, f"takes-something-else: {MECHANISM} | {got}"):
        audit(function, neighbours=([1, 2], [1]), runs=20)


def test_a_class_is_no_mechanism():
    with refuses(InvalidArgument, "takes-something-else: a function | the class Query"):
        audit(Query, neighbours=([1, 2], [1]), runs=20)
    answer = audit(Query([1]).answer, neighbours=([1, 2], [1]), runs=20)
    assert answer.runs == 20


def test_defaults_of_a_function_are_not_shown():
    def remembers_people(data, rng, more, people=(987_654,)):
        return sum(data) + rng.normal() + more + len(people)

    with refuses(InvalidArgument, f"takes-something-else: {MECHANISM}") as error:
        audit(remembers_people, neighbours=([1, 2], [1]), runs=20)
    assert "987" not in str(error.value)


@pytest.mark.parametrize("function", [math.sqrt, sorted.__call__, float])
def test_a_call_that_fails_is_at_no_line_of_ours(function):
    """Functions written in C may not say what they take."""
    with pytest.raises(InvalidArgument) as error:
        audit(function, neighbours=([1, "a"], [1]), runs=20)
    assert "mechanism.py" not in str(error.value)


def test_two_data_sets_are_no_numbers():
    with refuses(InvalidArgument, "neighbours-two-data-sets: 3"):
        audit(grows, neighbours=(1, 2, 3), runs=20)


class Misread:
    """A model whose methods take what they are not given."""

    classes_ = (0.0,)

    def __init__(self, features, labels):
        del features, labels

    def predict_proba(self):
        return None


class OfFeatures(Misread):
    def losses(self, features):
        return features[:, 0]


def of_model(model, features):
    del model
    return features[:, 0]


async def fits_later(features, labels):
    return OfFeatures(features, labels)


async def later(model, features, labels):
    return same_losses(model, features, labels)


@pytest.mark.parametrize(
    ("fit", "losses", "message"),
    [
        (
            remembers,
            of_model,
            "takes-something-else: losses(model, X, y) | of_model(model, features)",
        ),
        (
            remembers,
            later,
            "takes-something-else: losses(model, X, y) | later, which is async or yields",
        ),
        (
            OfFeatures,
            None,
            "takes-something-else: losses(X, y) of a model | OfFeatures.losses(features)",
        ),
        (
            fits_later,
            None,
            "takes-something-else: _ | fits_later, which is async or yields",
        ),
        (Misread, None, "where-it-is-called: TypeError"),
    ],
)
def test_what_a_model_takes_is_said_of_the_model(fit, losses, message):
    with refuses(InvalidArgument, message):
        audit(fit, PEOPLE, losses=losses, runs=20)
