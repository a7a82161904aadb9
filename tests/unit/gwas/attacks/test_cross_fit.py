"""The best of several attacks is measured on people who did not choose it."""

import numpy as np
import pytest

from deniable.gwas.attacks import auc, cross_fit, power


def test_a_single_attack_is_measured_on_everybody():
    rng = np.random.default_rng(1)
    members, strangers = rng.normal(1, 1, (1, 30)), rng.normal(0, 1, (1, 50))
    expected = power(members[0], strangers[0], 0.1), auc(members[0], strangers[0])
    assert cross_fit(members, strangers, 0.1) == expected


def test_the_best_of_useless_attacks_is_guessing():
    """40 statistics of pure chance; the best of them by everybody's scores looks useful."""
    rng = np.random.default_rng(2)
    honest, naive = [], []
    for _ in range(12):
        members, strangers = rng.normal(size=(40, 100)), rng.normal(size=(40, 100))
        honest.append(cross_fit(members, strangers, 0.05)[0])
        naive.append(max(power(*each, 0.05) for each in zip(members, strangers, strict=True)))
    # 1,200 members are recognised or not, at a rate near .05 whose threshold errs, too (.03 in each
    # round): the mean's standard error is below .01; six of them are level 1e-9.
    assert np.mean(honest) < 0.05 + 6 * 0.01
    assert np.mean(naive) > 0.1


def test_a_better_attack_is_chosen():
    rng = np.random.default_rng(3)
    members, strangers = rng.normal(size=(5, 200)), rng.normal(size=(5, 200))
    members[3] += 3
    measured, area = cross_fit(members, strangers, 0.05)
    assert measured == pytest.approx(power(members[3], strangers[3], 0.05), abs=0.1)
    assert area == pytest.approx(auc(members[3], strangers[3]), abs=0.02)


def test_the_same_scores_give_the_same_answer():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(3, 60)), rng.normal(size=(3, 80))
    assert cross_fit(*scores, 0.1) == cross_fit(*scores, 0.1)


def test_three_people_are_not_divided():
    scores = np.array([[1.0, 2.0, 3.0], [9.0, 9.0, 9.0]])
    assert cross_fit(scores, scores, 0.5) == (power(*scores[[0, 0]], 0.5), 0.5)
