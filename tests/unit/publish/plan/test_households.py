"""[data] household and [adversary] household_size: each combination is built, or refused."""

import copy
import itertools

import pytest

from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.priors import HouseholdMembers, Households
from deniable.publish.plan import public_plan
from deniable.publish.plan.households import REASONS
from deniable.publish.prepare import calibrate_plan
from tests.cases.refusals import refuses

TARGETS = {
    "gamma": 2.0,
    "max_posterior": 0.5,
    "attack_success": 0.6,
    "advantage": 0.2,
    "identifiability": {"rho": 0.4, "worlds": 4},
    "epsilon": 1.0,
}
MODELS = (None, {"odds_ratio": 1.5}, {"icc": 0.2}, {"difference": 0.1})
WHO = ("household", *MODELS)
KEYS = ("listed", "gaussian", "laplace")
LIST = {"knows": "population", "population": "withheld", "values_are_public": True}


def content(who, adjacency, kind, delta, keys, listed):
    """A published plan; `who` is the household as the entity, or the model beside a size."""
    target = {kind: TARGETS[kind]} | ({"delta": delta} if delta else {})
    query = {"name": "people", "statistic": "count"}
    if keys != "listed":
        query |= {"statistic": "entities", "group_by": ["job"], "keys": {"job": "unknown"}}
        target |= {"noise": "laplace"} if keys == "laplace" else {}
    else:
        query |= {"where": [["job", "==", "nurse"]]}
    plan = {
        "data": {"source": "withheld", "entity": "person", "adjacency": adjacency},
        "adversary": {"prior": [0.0, 0.1], "household_size": 4},
        "limits": {"rows_per_entity": 1},
        "target": target,
        "query": [query],
    }
    if who == "household":
        plan["data"]["household"] = plan["data"].pop("entity")
        del plan["adversary"]["household_size"]
        plan["limits"] = {"rows_per_household": 1}
    elif who is not None:
        plan["adversary"]["correlation"] = who
    if listed:
        plan["adversary"] |= LIST
        plan["floor"] = target
    return plan


def expected(who, adjacency, kind, delta, keys, listed):
    """The code of a refusal, as the reference states the rules; None for what is built."""
    replace_one, people = adjacency == "replace-one", who != "household"
    if listed:
        return "member-list"
    if replace_one:
        return "public-number" if people else None
    if kind == "identifiability":
        return "one-size"
    if keys != "listed":
        return "unknown-keys"
    if delta and people and who is not None:
        [model] = who
        if model != "odds_ratio":
            return "model-with-delta"
        if kind in ("attack_success", "advantage"):
            return "advantage-with-delta"
    return None


def product():
    """All that a plan can combine; unknown keys need a delta, and go with no list of members."""
    for case in itertools.product(WHO, Adjacency, TARGETS, (None, 1e-6), KEYS, (False, True)):
        _, adjacency, kind, delta, keys, listed = case
        if keys != "listed" and (delta is None or listed):
            continue
        if listed and (kind == "identifiability" or adjacency == "add-remove"):
            continue  # refused of any plan
        if kind == "epsilon" and keys == "gaussian" and delta is None:
            continue
        yield case


def test_every_combination_is_built_or_refused_for_its_reason():
    counts = {}
    for case in product():
        code = expected(*case)
        counts[code] = counts.get(code, 0) + 1
        if code is None:
            prepared = calibrate_plan(public_plan(content(*case)))
            household = prepared.calibration.household
            is_tied = case[1] is Adjacency.ADD_REMOVE
            assert (household is not None) == is_tied, case
            if household is not None and case[2] != "epsilon":
                assert prepared.calibration.epsilon <= household.loss
                assert household.loss <= household.loss_without_model
            continue
        with pytest.raises(PlanError) as refused:
            public_plan(content(*case))
        assert str(refused.value).endswith(REASONS[code]), (case, str(refused.value))
    assert set(counts) == {None, *REASONS} - {"two-units"}
    assert counts[None] >= 40


def test_a_household_is_the_entity_or_its_people_are():
    plan = content("household", "add-remove", "gamma", None, "listed", False)
    read = public_plan(plan)
    assert (read.entity, read.unit, read.rows_per_entity) == ("person", "household", 1)
    assert read.households == HouseholdMembers()
    plan["adversary"]["household_size"] = 2
    with refuses(PlanError, "adversary-household-size") as refused:
        public_plan(plan)
    assert str(refused.value).endswith(REASONS["two-units"])
    people = public_plan(content({"icc": 0.2}, "add-remove", "gamma", None, "listed", False))
    assert people.households == Households(4, icc=0.2)
    assert (people.unit, people.by_household) == (None, False)


@pytest.mark.parametrize("kind", ["gamma", "max_posterior", "attack_success", "advantage"])
def test_a_wider_household_and_a_stronger_tie_leave_less_for_each(kind):
    def budget(**who):
        plan = content(None, "add-remove", kind, None, "listed", False)
        plan["adversary"] |= who
        return calibrate_plan(public_plan(plan)).calibration.epsilon

    alone = budget(household_size=1)
    assert budget(household_size=2) == pytest.approx(alone / 2, rel=1e-12)
    assert budget(household_size=4) == pytest.approx(alone / 4, rel=1e-12)
    for name, ends in (("odds_ratio", (1, 1e9)), ("icc", (0, 1)), ("difference", (0, 1))):
        weakest, strongest = (budget(correlation={name: each}) for each in ends)
        if name != "difference":  # with three known, the fourth may hang on them in any way
            assert weakest == pytest.approx(alone, rel=1e-9)
        assert strongest == pytest.approx(alone / 4, rel=1e-6)
        assert strongest < budget(correlation={name: 1.5 if name == "odds_ratio" else 0.1})


def test_the_households_own_budget_suffices_where_their_number_is_public():
    for delta in (None, 1e-6):
        tied, public = (
            calibrate_plan(public_plan(content("household", each, "gamma", delta, "listed", False)))
            for each in ("add-remove", "replace-one")
        )
        if delta is None:
            assert tied.calibration.epsilon == pytest.approx(public.calibration.epsilon / 2)
        else:
            ratio = public.calibration.composition.rho / tied.calibration.composition.rho
            assert ratio == pytest.approx(4, rel=0.02)
        assert public.calibration.household is None


def changed(path, value, who="household"):
    plan = copy.deepcopy(content(who, "add-remove", "gamma", None, "listed", False))
    table, key = path
    if value is None:
        del plan[table][key]
    else:
        plan[table][key] = value
    return plan


@pytest.mark.parametrize(
    ("plan", "place"),
    [
        (changed(("data", "entity"), "person"), "[data], entity"),
        (changed(("data", "household"), 5), "[data], household"),
        (changed(("data", "household"), ""), "[data], household"),
        (changed(("limits", "rows_per_entity"), 5), "[limits], rows_per_entity"),
        (changed(("limits", "rows_per_household"), 0), "[limits], rows_per_household"),
        (changed(("limits", "rows_per_household"), None), "rows_per_household in [limits]"),
        (changed(("limits", "rows_per_household"), 5, None), "[limits], rows_per_household"),
        *(
            (changed(("adversary", "household_size"), size, None), "[adversary], household_size")
            for size in (0, -1, 1001, 2.0, True, "4", [4])
        ),
        *(
            (changed(("adversary", "correlation"), model, None), "[adversary], correlation")
            for model in (
                0.2, "icc", {}, {"icc": 0.1, "odds_ratio": 2}, {"rho": 0.1}, {"icc": "0.1"},
                {"icc": -0.1}, {"icc": 1.1}, {"difference": 2}, {"odds_ratio": 0.5},
                {"odds_ratio": float("inf")}, {"odds_ratio": float("nan")}, {"icc": True},
            )
        ),
        (changed(("adversary", "correlation"), {"icc": 0.1}), "[adversary], correlation"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_at_its_place(plan, place):
    with pytest.raises(PlanError) as refused:
        public_plan(plan)
    assert place in str(refused.value)
