"""What a ledger says of people who belong together, in every store: read once, never added."""

import contextlib
import itertools
import math
import re
import shlex
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import deniable
from deniable import Ledger, explain_households
from deniable.errors import InvalidArgument, LedgerError, NotApplicable
from deniable.ledger import charge_guarantee, check, export, new, show, sqlite
from deniable.ledger.beliefs import after, beliefs_in_the_end
from deniable.ledger.dataset import People, check_people
from deniable.ledger.page import ledger_page
from deniable.ledger.sentences import group_rows, household
from deniable.ledger.units import Spending, amount
from deniable.notions import Adjacency
from deniable.pipeline.risk import budget_of
from deniable.priors import Households
from deniable.theorems.analysis.together import SIZES
from deniable.theorems.households import of_group
from tests.cases.books import dataset
from tests.cases.command_line import app
from tests.cases.refusals import refuses

PEOPLE = {"entity": "person", "adjacency": "add-remove"}
LIMIT = {"max_posterior": 0.5, "prior": (0.01, 0.1)}
HOMES = {"entity": "address", "adjacency": "add-remove", "household": 4, "by_household": True}
MODELS = [{}, {"odds_ratio": 2.0}, {"icc": 0.2}, {"difference": 0.1}]


# --- A budget that keeps a household to its target, and what is read off the sum.


@pytest.mark.parametrize("model", MODELS)
def test_the_budget_is_each_persons_and_the_household_ends_at_the_target(tmp_path, model):
    """z'(B) = 9, the odds from 10 % to 50 %: B as in the table of the reference for k = 4."""
    answer = new(tmp_path / "a.ledger", "wages", **PEOPLE, **LIMIT, household=4, **model)
    expected = {"odds_ratio": 0.9715, "icc": 1.0704, "difference": 0.7324, None: 0.5493}
    budget = float(amount(answer.dataset.budget))
    assert budget == pytest.approx(expected[next(iter(model), None)], abs=1e-4)
    household = answer.household.everything
    assert answer.belief(household) == pytest.approx(0.5, abs=1e-9)
    assert answer.belief(household) <= 0.5
    assert household.loss == explain_households(budget, 4, **model).loss
    told = answer.as_json()["household"]
    assert (told["size"], told["value"]) == (4, next(iter(model.values()), None))


@pytest.mark.parametrize(("model", "loss"), [({}, 0.0), ({"odds_ratio": 1.2}, 3 * math.log(1.2))])
def test_with_delta_the_household_ends_at_the_target_too(tmp_path, model, loss):
    given = {**PEOPLE, **LIMIT, "delta": 1e-6}
    answer = new(tmp_path / "a.ledger", "wages", **given, household=4, **model)
    alone = new(tmp_path / "a.ledger", "alone", **given)
    assert 0.49 < answer.belief(answer.household.everything) <= 0.5
    ratio = alone.dataset.budget / answer.dataset.budget
    assert ratio == pytest.approx(16, rel=1e-6) if not model else 1 < ratio < 16
    assert answer.household.everything.loss == pytest.approx(math.log(9), abs=1e-6)
    if model:
        assert answer.everything.beliefs.loss == pytest.approx(math.log(9) - loss, abs=1e-6)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_a_person_alone_is_the_first_row_and_all_rows_grow(measure):
    of = dataset(2**39, 1e-6 if measure == "rho" else 0.0, adjacency="add-remove")
    spent = Spending(2**37)
    assert after(of, spent, 1) == after(of, spent)
    for read in (lambda k: after(of, spent, k), lambda k: beliefs_in_the_end(of, k)):
        losses = [read(k).loss for k in SIZES]
        assert losses == sorted(losses)
        if measure == "epsilon":
            assert losses == [k * losses[0] for k in SIZES]


def test_a_group_under_rho_has_the_loss_of_its_squared_rho():
    """k people under a sum are one person under k² times the sum, rung by rung."""
    one, four = (dataset(n * 2**38, 1e-6, adjacency="add-remove") for n in (1, 16))
    for spent in (1, 2**30, 2**36, 2**38, 2**39):
        assert after(one, Spending(spent), 4).loss == after(four, Spending(16 * spent)).loss


# --- The counterexample: a household's own numbers do not add.


def test_adding_a_households_numbers_would_be_wrong_and_the_ledger_does_not(tmp_path):
    """3, 10 > 9, 36 > 27: the spouse comes with chance ½ if the person does, else never."""
    z, come = Fraction(2), Fraction(1, 2)
    place = tmp_path / "a.ledger"
    new(place, "couple", **PEOPLE, epsilon=4 * math.log(2))
    naive = None
    for releases in (1, 2, 3):
        # The worst outputs: each noisy count lets a member multiply the likelihood by z.
        exact = sum(
            chance * z ** (releases * (1 + spouse)) for spouse, chance in ((0, 1 - come), (1, come))
        )
        assert exact == (3, 10, 36)[releases - 1]
        naive = exact if naive is None else naive
        charge_guarantee(place, f"pure-dp:{math.log(2)!r}@add-remove", what=f"{releases}")
        answer = show(place, household=2, difference=0.5)
        assert math.exp(answer.household.so_far.loss) == pytest.approx(float(exact), rel=1e-9)
        assert math.exp(answer.household.so_far.loss) >= exact * (1 - Fraction(1, 10**11))
        if releases > 1:
            assert exact > naive**releases


def test_two_columns_of_households_reveal_more_than_a_ledger_would_say():
    """A family of three at one address, later at two: 8, where ε of each household says 4."""
    z, family = Fraction(2), ("a", "b", "c")
    columns = {"before": {"a": 1, "b": 1, "c": 1}, "after": {"a": 1, "b": 1, "c": 2}}

    def most(outputs_of):
        """The largest ratio of likelihoods, all in against all out, of noisy counts."""
        worst = Fraction(1)
        for seen in itertools.product(range(-2, 5), repeat=len(outputs_of)):
            ratio = Fraction(1)
            for count, y in zip(outputs_of, seen, strict=True):
                ratio *= z ** (abs(y) - abs(y - count))  # geometric noise around 0, or the count
            worst = max(worst, ratio)
        return worst

    counts = [len({column[person] for person in family}) for column in columns.values()]
    assert counts == [1, 2]
    assert most(counts) == 8
    assert most([1, 1]) == 4  # what two releases by one column of fixed membership reveal
    homes = dataset(2**40, entity="address", adjacency="add-remove", **_homes(3))
    check_people(homes, People("address", None, Adjacency.ADD_REMOVE))
    check_people(homes, People("address", "household", Adjacency.ADD_REMOVE))
    with refuses(InvalidArgument, "keeps-one-column-of-households"):
        check_people(homes, People("later_address", None, Adjacency.ADD_REMOVE))


def _homes(size):
    return {"households": Households(size), "by_household": True, "unit": "household"}


# --- A ledger by households.


def test_a_person_enters_a_ledger_of_households_k_times(tmp_path):
    """Four persons come or go at once, which a noisy count of persons shows to its ends."""
    z = Fraction(2)
    assert max(z ** (abs(y) - abs(y - 4)) for y in range(-3, 8)) == z**4
    place = tmp_path / "a.ledger"
    new(place, "homes", **HOMES, epsilon=4.0)
    assert charge_guarantee(place, "pure-dp:0.25@add-remove", what="x", of="person").units == 2**40
    assert charge_guarantee(place, "pure-dp:0.25@add-remove", what="x").units == 2**38
    new(place, "rho", **HOMES, epsilon=4.0, delta=1e-6)
    for spec, units in (
        ("zcdp:0.001@add-remove", 16 * 0.001),
        ("gaussian-dp:0.02@add-remove", (4 * 0.02) ** 2 / 2),
        ("pure-dp:0.02@add-remove", (4 * 0.02) ** 2 / 2),
    ):
        entry = charge_guarantee(place, spec, what="x", dataset="rho", of="person")
        assert float(amount(entry.units)) == pytest.approx(units, rel=1e-9)
        assert amount(entry.units) >= Fraction(units) * (1 - Fraction(1, 10**14))


def test_a_household_enters_a_ledger_of_persons_twice(tmp_path):
    """One household goes and another comes: 2ε, and 4ρ, attained by a histogram."""
    place = tmp_path / "a.ledger"
    new(place, "people", **PEOPLE, epsilon=4.0)
    entry = charge_guarantee(place, "pure-dp:0.25@add-remove", what="x", of="household")
    assert entry.units == 2**39
    new(place, "rho", **PEOPLE, epsilon=4.0, delta=1e-6)
    entry = charge_guarantee(
        place, "zcdp:0.001@add-remove", what="x", dataset="rho", of="household"
    )
    assert float(amount(entry.units)) == pytest.approx(0.004, rel=1e-9)
    # Two people with values 0 and 1 in one household, of which one row is kept, in a histogram with
    # noise of z = 2 a household: without the first the household's row moves from one bin to the
    # other. The exact ratio of the two outputs' likelihoods, over a grid of outputs:
    z = Fraction(2)
    with_both, without = (1, 0), (0, 1)
    ratios = (
        math.prod(
            z ** (abs(y - b) - abs(y - a)) for y, a, b in zip(seen, with_both, without, strict=True)
        )
        for seen in itertools.product(range(-2, 4), repeat=2)
    )
    assert max(ratios) == z**2


def test_whom_a_guarantee_is_about_is_refused_where_it_does_not_add_up(tmp_path):
    place = tmp_path / "a.ledger"
    new(place, "exact", entity="person", epsilon=1.0, exposure=1e-6, delta=1e-3)
    for spec, error in (
        ("pure-dp:0.1", NotApplicable),
        ("approx-dp:0.1,1e-9", NotApplicable),
    ):
        with pytest.raises(error):
            charge_guarantee(place, spec, what="x", dataset="exact", of="household")
    with refuses(InvalidArgument, "not-one-of"):
        charge_guarantee(place, "pure-dp:0.1", what="x", dataset="exact", of="family")
    assert show(place, "exact").spent == 0


def test_one_member_of_a_household_is_read_at_twice_its_epsilon(tmp_path):
    answer = new(tmp_path / "a.ledger", "homes", **HOMES, **LIMIT)
    assert answer.belief(answer.everything.beliefs) == pytest.approx(0.5, abs=1e-9)
    assert answer.member.everything.loss == 2 * answer.everything.beliefs.loss
    assert answer.together == ()
    assert answer.household is None
    assert "one member" in household(answer)
    with refuses(InvalidArgument, "whose-entity-household"):
        show(tmp_path / "a.ledger", household=2)


@pytest.mark.parametrize("more", [{}, {"delta": 1e-3}, {"delta": 1e-3, "exposure": 1e-6}])
def test_the_risk_of_a_persons_secret_is_read_for_one_member(tmp_path, more):
    """As a certificate's: two households differ where one of its members has another record."""
    place = tmp_path / "a.ledger"
    homes = new(place, "homes", **HOMES, epsilon=0.5, **more).dataset
    persons = new(place, "persons", **PEOPLE, epsilon=0.5, **more).dataset
    assert homes.budget == persons.budget
    (member,), (person,) = (
        deniable.risk(place, [0.1], dataset=each.name).risks for each in (homes, persons)
    )
    if not more:
        e = math.exp(2 * float(amount(homes.budget)))
        assert member.success == pytest.approx(0.1 * e)
    else:
        one = budget_of(persons)
        assert (
            member.success
            == deniable.risk([of_group(each, 2) for each in one], [0.1]).risks[0].success
        )
    assert member.success > person.success


# --- Stores, old and new.


def test_what_was_stated_is_kept_and_enters_the_chain(place):
    for model in MODELS:
        new(place, f"wages {model}", **PEOPLE, **LIMIT, household=4, **model)
    new(place, "homes", **HOMES, epsilon=1.0)
    new(place, "alone", **PEOPLE, epsilon=1.0)
    ledger = Ledger(place)
    for each in ledger.datasets():
        model = (each.households.model or (None, None)) if each.households else None
        assert each.name == (
            f"wages {dict([model]) if model[0] else {}}" if model else "alone"
        ) or (each.by_household)
        ledger.charge(each, 1, what="June")
    assert check(ledger).holds
    stated = export(ledger, "homes").as_json()["dataset"]["household"]
    assert stated == {"size": 4, "model": None, "value": None, "is_entity": True}
    assert "household" not in export(ledger, "alone").as_json()["dataset"]


def test_a_changed_tie_is_seen(place, by_hand, without_guard):
    new(place, "wages", **PEOPLE, **LIMIT, household=4, icc=0.2)
    ledger = Ledger(place)
    ledger.charge("wages", 1, what="June")
    with without_guard("dataset"):
        by_hand("UPDATE dataset SET tie_value = 0.1")
    with refuses(LedgerError, "one-that-was-changed"):
        ledger.charge("wages", 1, what="July")
    with without_guard("dataset"):
        by_hand("UPDATE dataset SET tie = NULL")
    with refuses(LedgerError, "rows-that-deniable-wrote"):
        ledger.dataset("wages")


@pytest.fixture
def second(place, by_hand, without_guard):
    """A ledger as it was made before a dataset could say who belongs together."""
    if not place.startswith("postgresql"):
        with contextlib.closing(sqlite3.connect(place, isolation_level=None)) as file:
            for statement in sqlite.TABLES[2]:
                file.execute(statement)
            file.execute("INSERT INTO book VALUES (2)")
    new(place, "visits", **PEOPLE, epsilon=1.0, delta=1e-6, exposure=1e-9)
    if place.startswith("postgresql"):
        with without_guard("book"):
            by_hand("UPDATE book SET version = 2")
        for column in ("household_size", "tie", "tie_value"):
            by_hand(f"ALTER TABLE dataset DROP COLUMN {column}")
    return Ledger(place)


def test_a_ledger_of_the_second_version_is_gone_on_with_and_has_no_place_for_households(second):
    second.charge("visits", 1, what="June", exposure=1)
    new(second, "others", **PEOPLE, epsilon=1.0)
    charge_guarantee(second, "pure-dp:0.25@add-remove", what="x", dataset="others")
    assert show(second, "others", household=2).household.so_far.loss == 0.5
    before = second.datasets()
    with refuses(LedgerError, "version-for-people-who-belong: 3"):
        new(second, "wages", **PEOPLE, **LIMIT, household=4)
    assert second.datasets() == before
    assert check(second).holds


# --- What is refused, and what is shown.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"adjacency": "replace-one"}, "many-exchanges-apart"),
        ({"exposure": 1e-9, "delta": 1e-6}, "whole-household-at-once"),
        ({"delta": 1e-6, "icc": 0.2}, "without-delta: max_posterior | icc"),
        ({"household": None, "icc": 0.2}, "how-many-people-belong-together"),
        ({"icc": 0.2, "odds_ratio": 2.0}, "one-model"),
        ({"household": 0}, "below-least: household_size"),
        ({"by_household": True, "icc": 0.2}, "no-model-of-tie"),
        ({"by_household": True, "household": None}, "most-people-of-one-household"),
        (
            {"max_posterior": None, "identifiability": 0.5, "worlds": 4, "prior": (0.25, 0.25)},
            "person-with-households-identifiability",
        ),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_written(tmp_path, changes, words):
    place = tmp_path / "a.ledger"
    with refuses(InvalidArgument, words):
        new(place, "wages", **{**PEOPLE, **LIMIT, "household": 4, **changes})
    assert not place.exists()


def test_a_name_is_not_burnt_by_a_dataset_of_nobody_in_particular(tmp_path):
    place = tmp_path / "a.ledger"
    with refuses(InvalidArgument, "give-entity-column-unit"):
        new(place, "visits", epsilon=1.0)
    with refuses(InvalidArgument, "dataset-of-new-none"):
        new(place)
    assert not place.exists()
    new(place, "visits", entity="patient", epsilon=1.0)


@pytest.mark.parametrize("people", [{"entity": "p"}, {**PEOPLE, "exposure": 1e-9, "delta": 1e-3}])
def test_a_dataset_whose_groups_nothing_bounds_has_no_table(tmp_path, people):
    answer = new(tmp_path / "a.ledger", "visits", **people, epsilon=1.0)
    assert answer.together == ()
    assert "together" not in answer.as_json()
    assert "belong together" not in ledger_page(answer)
    with refuses(InvalidArgument, "add-remove-and-of-listed-keys"):
        show(tmp_path / "a.ledger", household=2)


def test_the_table_is_in_the_json_and_on_the_page(tmp_path):
    place = tmp_path / "a.ledger"
    new(place, "visits", **PEOPLE, epsilon=1.0, prior=(0.01, 0.1))
    charge_guarantee(place, "pure-dp:0.5@add-remove", what="June")
    answer = show(place)
    rows = answer.as_json()["together"]
    assert [round(row["so_far"], 3) for row in rows] == [0.155, 0.232, 0.332, 0.575, 0.943]
    assert [row["people"] for row in rows] == [1, 2, 3, 5, 10]
    assert {row["prior"] for row in rows} == {0.1}
    page = ledger_page(answer)
    assert "10 people" in page
    assert "cannot be added up" in page


def test_a_group_is_of_the_datasets_units_and_not_of_people(tmp_path):
    """Somebody who has three person-years is read in the line of three, not as one person."""
    place = tmp_path / "a.ledger"
    new(place, "editions", **PEOPLE, unit="person-year", epsilon=1.0)
    rows = [who for who, *_ in group_rows(show(place))]
    assert rows == ["1 person-year", *(f"{k} person-years" for k in SIZES[1:])]
    done = CliRunner().invoke(app, ["ledger", "show", str(place)])
    assert "entity person, unit person-year, add-remove" in done.output
    assert "people" not in done.output.partition("All this is about")[0]
    new(place, "people", **PEOPLE, epsilon=1.0)
    assert next(group_rows(show(place, "people")))[0] == "1 person"


PLAN = """
[data]
source = "people.csv"
{data}
adjacency = "add-remove"
types = {{ person = "text", address = "text", region = "text" }}
[adversary]
prior = [0.01, 0.1]
{adversary}
[target]
max_posterior = 0.3
[keys]
region = ["a", "b"]
[limits]
{limit} = 1
[[query]]
name = "people"
statistic = "count"
group_by = ["region"]
[ledger]
file = "a.ledger"
dataset = "{dataset}"
"""


def test_plans_and_the_ledger_say_the_same_of_a_household(tmp_path, monkeypatch):
    """A plan asks for 30 % about one of a household; what the ledger reads after it is 30 %."""
    monkeypatch.chdir(tmp_path)
    rows = [f"p{i},h{i // 3},{'ab'[i % 2]}" for i in range(30)]
    Path("people.csv").write_text("\n".join(["person,address,region", *rows]) + "\n")
    new("a.ledger", "wages", **PEOPLE, **LIMIT, household=4)
    new("a.ledger", "homes", **HOMES, **LIMIT)
    tied = {"data": 'entity = "person"', "adversary": "household_size = 4"}
    whole = {"data": 'household = "address"', "adversary": ""}
    for name, words, limit in (("wages", tied, "entity"), ("homes", whole, "household")):
        text = PLAN.format(**words, limit=f"rows_per_{limit}", dataset=name)
        deniable.release(text, name)
        answer = show("a.ledger", name)
        read = answer.household if name == "wages" else answer.member
        assert answer.belief(read.so_far) == pytest.approx(0.3, abs=1e-9)
        assert answer.belief(read.so_far) <= 0.3
        assert check("a.ledger", [name]).holds
    moved = PLAN.format(
        data='household = "region"',
        adversary="",
        limit="rows_per_household",
        dataset="homes",
    )
    with refuses(InvalidArgument, "keeps-one-column-of-households"):
        deniable.release(moved, "moved")
    assert not Path("moved").exists()


def test_a_household_enters_a_dataset_that_knows_its_members_and_the_refusal_says_which(
    tmp_path, monkeypatch
):
    """In a dataset of homes as if they were persons, a member would be read at half of the loss."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("person,address,region\np,h,a\n")
    text = PLAN.format(
        data='household = "address"', adversary="", limit="rows_per_household", dataset="homes"
    )
    for words in ({"entity": "person"}, {"entity": "address", "unit": "household"}):
        new("a.ledger", "homes", adjacency="add-remove", **words, **LIMIT)
        with refuses(InvalidArgument, "charge-of-a-household") as refused:
            deniable.release(text, "homes")
        assert not Path("homes").exists()
        Path("a.ledger").unlink()
    [options] = re.findall("--dataset NAME (.*) and a limit", str(refused.value))
    command = f"ledger new a.ledger --dataset homes --epsilon 2 {options.replace(' K', ' 4')}"
    assert CliRunner().invoke(app, shlex.split(command)).exit_code == 0
    deniable.release(text, "homes")
    answer = show("a.ledger").as_json()
    assert answer["member"]["so_far"]["loss"] == pytest.approx(2 * answer["so_far"]["loss"])
    assert "together" not in answer


def test_the_guide_works_as_typed(tmp_path, monkeypatch):
    """Every command and line of code, in order; and every line that is shown is printed."""
    page = (Path(__file__).parents[3] / "docs/how-to/keep-a-ledger-for-households.md").read_text()
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(console|python)\n(.*?)```", page, re.S)
    assert len(blocks) == 5
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, "guide", "exec"), {})
            continue
        command, *lines = block.splitlines()
        done = CliRunner().invoke(app, shlex.split(command)[2:])
        assert done.exit_code == 0, command
        assert not [line for line in lines if line not in done.output.splitlines()]
