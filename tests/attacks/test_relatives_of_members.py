"""Somebody who has a relative's genome: simulated families beside what `gwas attack` says of them.

Alleles are passed on one by one, each parent giving either of two. Nothing here knows of kinship.
"""

import csv

import attrs
import numpy as np
import pytest
from scipy.stats import binom

from deniable import gwas
from deniable.gwas.attacks.attack_power import AttackPower
from deniable.gwas.attacks.attack_scores import theoretical_power
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.effort import usual

PEOPLE, VARIANTS, OTHERS, POOLS, FPR = 200, 400, 1_000, usual(7, 15), 0.05


@attrs.frozen
class Families:
    """Pairs of alleles, (n_people, n_variants, 2), of people of one population."""

    rng: np.random.Generator
    frequency: np.ndarray

    def strangers(self, people):
        shape = (people, len(self.frequency), 2)
        return (self.rng.random(shape) < self.frequency[:, None]).astype(np.int8)

    def children(self, *parents):
        """One of each pair of parents."""
        places = self.rng.integers(0, 2, (2, *parents[0].shape[:2], 1))
        given = [np.take_along_axis(*each, axis=2) for each in zip(parents, places, strict=True)]
        return np.concatenate(given, axis=2)

    def pair(self, relation, people):
        """People, and what is known of each by the relation; (n_people, n_variants) copies."""
        mother, father = self.strangers(people), self.strangers(people)
        own = self.children(mother, father)
        if relation == "both parents":
            return own.sum(2), (mother.sum(2) + father.sum(2)) / 2
        sibling, other = self.children(mother, father), self.strangers(people)
        known = {
            "the person": lambda: own,
            "a parent": lambda: mother,
            "a child": lambda: self.children(own, other),
            "a sibling": lambda: sibling,
            "a half-sibling": lambda: self.children(mother, other),
            "an uncle": lambda: sibling,
            "a first cousin": lambda: self.children(sibling, other),
        }[relation]()
        if relation in ("an uncle", "a first cousin"):
            own = self.children(own, self.strangers(people))
        return own.sum(2), known.sum(2)


RELATIONS = {
    "the person": None,
    "both parents": "both parents",
    "a parent": "a parent, child or sibling",
    "a child": "a parent, child or sibling",
    "a sibling": "a parent, child or sibling",
    "a half-sibling": "a grandparent, uncle, aunt or half-sibling",
    "an uncle": "a grandparent, uncle, aunt or half-sibling",
    "a first cousin": "a first cousin",
}


def near(expected):
    """Four standard deviations of a share of the members of all pools, and as many of a threshold.

    A half of what is claimed is rejected, and so are four times as many variants as are worth.
    """
    members, strangers = (POOLS * people for people in (PEOPLE, OTHERS))
    deviation = np.sqrt(expected * (1 - expected) / members + FPR / strangers)
    return pytest.approx(expected, abs=4 * deviation)


def claimed(relation, people=PEOPLE, variants=VARIANTS):
    """What the answer says of so many unlinked variants."""
    answer = AttackPower(
        0.05, 0.05, 0.5, 0.5, 0.05, variants, FPR, people, OTHERS, 0.0, 0.5, False, 0,
        variants_unlinked=variants, variants_worth=float(variants),
    )  # fmt: skip
    (found,) = (each for each in answer.relatives if each.relation == RELATIONS[relation])
    assert found.power_linked == found.power_formula
    return found.power_formula


def reached(members, strangers):
    return float(np.mean(np.concatenate(members) > np.quantile(np.concatenate(strangers), 1 - FPR)))


def pools(relation):
    """Of several pools their families, the members' copies, and relatives of members and others."""
    rng = np.random.default_rng(3)
    for _ in range(POOLS):
        families = Families(rng, rng.uniform(0.1, 0.5, VARIANTS))
        own, known = families.pair(relation, PEOPLE)
        copies = families.strangers(OTHERS).sum(2)  # so are relatives of people outside the pool
        if relation == "both parents":
            copies = (copies + families.strangers(OTHERS).sum(2)) / 2
        yield families.frequency, own, known, copies


@pytest.mark.parametrize("relation", RELATIONS)
def test_relatives_recognise_as_often_as_is_said(relation):
    """Members by them, or them as members: the score is of the relative's genome either way."""
    scores = ([], [])
    for p, own, *known in pools(relation):
        weights = (own.mean(axis=0) / 2 - p) / (p * (1 - p))
        for into, copies in zip(scores, known, strict=True):
            into.append((copies - 2 * p) @ weights)
    if relation == "the person":
        expected = theoretical_power(VARIANTS, PEOPLE, FPR)
    else:
        expected = claimed(relation)
    assert reached(*scores) == near(expected)


SHARED = {"a child": (0, 1, 0), "a sibling": (1 / 4, 1 / 2, 1 / 4)}
"""How likely a pair of relatives has 0, 1, 2 alleles from the same ancestors."""


def laws(p, shared):
    """Laws of a person's copies by the relative's, from what may be shared; (n, 3, 3)."""
    none = np.stack([(1 - p) ** 2, 2 * p * (1 - p), p * p], axis=1)
    zero = np.zeros_like(p)
    rows = [
        np.stack([1 - p, p, zero], axis=1),
        np.stack([(1 - p) / 2, np.full_like(p, 1 / 2), p / 2], axis=1),
        np.stack([zero, 1 - p, p], axis=1),
    ]
    return shared[0] * none[:, None] + shared[1] * np.stack(rows, 1) + shared[2] * np.eye(3)


@pytest.mark.parametrize("relation", SHARED)
def test_the_best_test_of_a_known_relation_reaches_no_more(relation):
    """The exact likelihood ratio of the pool's count, by Neyman and Pearson the best there is."""
    scores = ([], [])
    for p, own, *known in pools(relation):
        count = own.sum(axis=0)
        others = [binom.pmf(count - copies, 2 * PEOPLE - 2, p) for copies in range(3)]
        inside = np.einsum("jyx,xj->jy", laws(p, SHARED[relation]), np.array(others))
        table = np.log(inside) - binom.logpmf(count, 2 * PEOPLE, p)[:, None]
        for into, copies in zip(scores, known, strict=True):
            into.append(table[np.arange(VARIANTS), copies].sum(axis=1))
    assert reached(*scores) == near(claimed(relation))


def test_siblings_in_the_pool_recognise_each_other():
    """(1 + s) as many variants, s the sum of 2φ over relatives who are members: here a half."""
    rng, scores = np.random.default_rng(8), ([], [])
    for _ in range(POOLS):
        families = Families(rng, rng.uniform(0.1, 0.5, VARIANTS))
        p, members = families.frequency, np.concatenate(families.pair("a sibling", PEOPLE // 2))
        weights = (members.mean(axis=0) / 2 - p) / (p * (1 - p))
        for into, copies in zip(scores, (members, families.strangers(OTHERS).sum(2)), strict=True):
            into.append((copies - 2 * p) @ weights)
    expected = theoretical_power(1.5 * VARIANTS, PEOPLE, FPR)
    assert reached(*scores) == near(expected)


def test_relatives_are_measured_where_their_files_stand_for_the_pools(tmp_path):
    """Children of members against strangers, by the table of the members' frequencies."""
    people = 400
    rng = np.random.default_rng(2)
    families = Families(rng, rng.uniform(0.1, 0.5, 2_000))
    own, children = families.pair("a child", people)
    files = {"children": children, "others": families.strangers(OTHERS).sum(2)}
    names = [f"v{number}" for number in range(2_000)]
    variants = Variants(["1"] * 2_000, names, range(1, 2_001), ["A"] * 2_000, ["G"] * 2_000)
    for first, (name, copies) in enumerate(files.items()):
        status = np.zeros(len(copies), bool)
        with PlinkWriter(tmp_path / name, status, first=10_000 * first) as writer:
            writer.write(variants, copies.T.astype(np.int8))
    table = tmp_path / "members.tsv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["SNP", "A1", "A2", "MAF"])
        writer.writerows(
            [name, "A", "G", f"{share:.6f}"]
            for name, share in zip(names, own.mean(axis=0) / 2, strict=True)
        )
    answer = gwas.attack(
        tmp_path / "children", tmp_path / "others", published=table, prune=1.0, limit=0.2
    )
    expected = theoretical_power(answer.variants_used / 4, people, FPR, OTHERS)
    assert answer.power_measured == pytest.approx(expected, abs=4 * np.sqrt(0.25 / people))
    assert 0.1 < answer.power_measured < answer.power_formula


def test_a_guarantee_limits_those_who_have_relatives_too():
    answer = AttackPower(
        0.05, 0.05, 0.5, 0.5, 0.05, 900, 0.05, 200, 1000, 0.0, 0.5, False, 0,
        variants_unlinked=30, variants_worth=30.0,
    )  # fmt: skip
    closest = answer.relatives[1]
    assert closest.power_linked == theoretical_power(900 / 4, 200, 0.05)
    assert closest.power_formula == theoretical_power(30 / 4, 200, 0.05) < closest.power_linked
    assert answer.as_json()["relatives"][1]["power_linked"] == closest.power_linked
    limited = attrs.evolve(answer, power_limit=0.07).relatives
    assert {each.power_linked for each in limited[:2]} == {0.07}
    assert limited[3].power_formula < 0.07
