"""Who stands in two files: duplicates with errors, twins, relatives, and namesakes."""

import numpy as np
import pytest

from deniable.gwas.attacks.same_people import same_people

FREQUENCY = np.random.default_rng(0).uniform(0.15, 0.85, 300)
PLACES = ["1"] * 150 + ["2"] * 150


def drawn(seed, people, frequency=FREQUENCY):
    rng = np.random.default_rng(seed)
    return rng.binomial(2, frequency[:, None], (len(frequency), people)).astype(np.int8)


def names(people, start=0):
    return [(f"f{i}", f"i{i}") for i in range(start, start + people)]


def compared(ones, others, start=1000):
    listed = names(ones.shape[1]), names(others.shape[1], start)
    return same_people(ones, others, listed, PLACES[: len(ones)])


def test_strangers_are_strangers():
    found = compared(drawn(1, 300), drawn(2, 400))
    assert (found.found, found.only_named) == (frozenset(), 0)


@pytest.mark.parametrize("errors", [0, 3, 6])
@pytest.mark.parametrize("holes", [0, 30])
def test_a_person_is_found_again_in_spite_of_errors_and_holes(errors, holes):
    ones, others = drawn(1, 40), drawn(2, 50)
    rng = np.random.default_rng(3)
    again = ones[:, 7].copy()
    wrong = rng.choice(300, errors, replace=False)
    again[wrong] = (again[wrong] + 1) % 3
    again[rng.choice(300, holes, replace=False)] = -1
    others[:, 20] = again
    assert compared(ones, others).found == {7}


def test_parents_and_children_are_two_people():
    rng = np.random.default_rng(4)
    parents = [rng.random((300, 2, 40)) < FREQUENCY[:, None, None] for _ in range(2)]
    children = [
        sum(
            np.take_along_axis(parent, rng.integers(2, size=(300, 1, 40)), axis=1)[:, 0].astype(int)
            for parent in parents
        ).astype(np.int8)
        for _ in range(2)
    ]
    mothers = parents[0].sum(axis=1).astype(np.int8)
    assert compared(mothers, children[0]).found == frozenset()
    assert compared(*children).found == frozenset()  # brothers and sisters


def test_namesakes_are_told_from_the_same_people():
    ones, others = drawn(1, 30), drawn(2, 30)
    others[:, 4] = ones[:, 4]
    found = compared(ones, others, start=0)
    assert (found.found, found.only_named) == ({4}, 29)


def test_too_few_variants_tell_nobody_apart_but_confirm_an_identifier():
    ones = drawn(1, 60, FREQUENCY[:4])
    assert compared(ones, ones.copy()).found == frozenset()
    assert compared(ones, ones.copy(), start=0).found == frozenset(range(60))


def test_variants_in_full_linkage_count_once():
    few = drawn(1, 60, FREQUENCY[:4]), drawn(2, 60, FREQUENCY[:4])
    ones, others = (np.repeat(group, 75, axis=0) for group in few)
    assert compared(ones, others).found == frozenset()
