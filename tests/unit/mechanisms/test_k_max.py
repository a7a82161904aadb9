import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms.k_max import NOTHING, KMax
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses

ABC = Universe(("a", "b", "c"))


def test_choices_start_at_the_maximum_and_stay_inside():
    mechanism = KMax(5, 3)
    assert [list(mechanism.choices(j)) for j in (None, 0, 1, 2, 3, 4)] == [
        [0, 1, 2],
        [0, 1, 2],
        [1, 2, 3],
        [2, 3, 4],
        [2, 3, 4],
        [2, 3, 4],
    ]
    assert list(KMax(5, 3, printed=True).choices(None)) == [5]


def test_matrix_writes_the_laws_out():
    matrix = KMax(3, 2).matrix(ABC)
    assert matrix.law([]).tolist() == matrix.law(["a"]).tolist() == [0.5, 0.5, 0.0]
    assert matrix.law(["a", "c"]).tolist() == matrix.law(["b"]).tolist() == [0.0, 0.5, 0.5]
    printed = KMax(3, 2, printed=True).matrix(ABC)
    assert printed.outputs == ("a", "b", "c", NOTHING)
    assert printed.law([]).tolist() == [0.0, 0.0, 0.0, 1.0]
    assert printed.law(["a"]).tolist() == [0.5, 0.5, 0.0, 0.0]


@pytest.mark.parametrize(
    ("mechanism", "gamma"),
    [
        (KMax(9, 3), 7 / 6),
        (KMax(9, 1), math.inf),
        (KMax(3, 3), 1.0),
        (KMax(1, 1), 1.0),
        (KMax(9, 3, printed=True), math.inf),
        (KMax(3, 3, printed=True), 7 / 6),
        (KMax(1, 1, printed=True), math.inf),
    ],
)
def test_gamma_under_the_uniform_prior(mechanism, gamma):
    assert mechanism.uninformed_gamma == pytest.approx(gamma)
    assert mechanism.worst([0.5] * mechanism.n_entities).gamma == pytest.approx(gamma)


def test_worst_names_where_it_is():
    worst = KMax(9, 3).worst([0.5] * 9)
    assert worst.entity == worst.output
    assert worst.prior == 0.5
    assert worst.posterior == pytest.approx(4 / 7)


def test_an_uncertain_entity_below_a_certain_one_keeps_its_prior():
    worst = KMax(3, 1).worst([0.3, 0.6, 1.0])
    assert (worst.gamma, worst.posterior) == (1.0, worst.prior)
    assert KMax(3, 1).output_law([0.3, 0.6, 1.0]).tolist() == [0.0, 0.0, 1.0]


def test_draws_are_among_the_choices():
    drawn = KMax(6, 2).draws(np.random.default_rng(1), 2000, [0, 1, 0, 1, 0, 0])
    assert np.bincount(drawn, minlength=6)[[3, 4]] / 2000 == pytest.approx([0.5, 0.5], abs=0.05)
    assert set(drawn.tolist()) == {3, 4}


def test_arguments_are_checked():
    with refuses(InvalidArgument, "below-least: n_entities | 1"):
        KMax(0, 1)
    with refuses(InvalidArgument, "below-least: window | 1"):
        KMax(3, 0)
    with refuses(InvalidArgument, "window-at-most-n-entities-window: 3 | 4"):
        KMax(3, 4)
    with refuses(InvalidArgument, "entities-in-mechanisms: 2 | 3"):
        KMax(2, 1).matrix(ABC)
    with refuses(InvalidArgument, "membership-probabilities-shape: 2"):
        KMax(2, 1).output_law([0.5])
    with refuses(InvalidArgument, "membership-probabilities-shape: 2"):
        KMax(2, 1).worst([0.5, 1.5])
    with refuses(InvalidArgument, "membership-that-uncertain-none"):
        KMax(2, 1).worst([0.0, 1.0])


def test_is_a_frozen_value():
    assert KMax(3, 2) == KMax(3, 2, printed=False)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        KMax(3, 2).window = 3
