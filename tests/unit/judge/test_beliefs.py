"""What is judged of beliefs: membership and semantic privacy."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.membership import (
    negative_gamma,
    negative_gamma_here,
    positive_gamma,
    positive_gamma_here,
)
from deniable.judge.semantic import bayesian_dp, bayesian_semantic, leakage, over_all_laws, semantic
from deniable.judge.worst_cases import attained_gamma, fit_to_interval, is_member, pair, weights_of
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions.adversaries import SampledPriors
from deniable.priors import GroupedPrior, ProductPrior, TablePrior, UniformPrior, UniformSizedPrior
from deniable.priors.families import (
    AllPriors,
    BoundedProductPriors,
    BoundedSizeConditionedPriors,
    OneOutOfAnyPriors,
    PairPriors,
    ProductPriors,
    SinglePriors,
    SizeConditionedPriors,
    UniformPriors,
)
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses

ALL_SUBSETS = [
    AllPriors(),
    ProductPriors(),
    UniformPriors(),
    SampledPriors(0.5),
    BoundedProductPriors(0.3, 0.7),
]


WHOLE_SIZES = [
    SizeConditionedPriors(),
    PairPriors(),
    OneOutOfAnyPriors(),
    BoundedSizeConditionedPriors(0.3, 0.7),
]


FIGURES = [positive_gamma, negative_gamma, positive_gamma_here, negative_gamma_here]


@pytest.mark.parametrize("family", ALL_SUBSETS, ids=lambda family: family.word)
@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.__name__)
def test_families_of_every_size_need_every_subset(pick, family, figure):
    assert figure(pick, family) is None


@pytest.mark.parametrize("family", WHOLE_SIZES, ids=lambda family: family.word)
def test_families_of_one_size_do_not(pick, family):
    assert positive_gamma(pick, family) > 1
    assert positive_gamma_here(pick, family) is not None


@pytest.mark.parametrize("family", [*ALL_SUBSETS, *WHOLE_SIZES], ids=lambda family: family.word)
def test_a_useless_mechanism_has_gamma_1(constant, family):
    assert positive_gamma(constant, family) == negative_gamma(constant, family) == 1.0
    for here in (positive_gamma_here, negative_gamma_here):
        found = here(constant, family)
        assert found.bound.upper == 1.0
        assert found.witness is not None


@pytest.mark.parametrize("family", [*ALL_SUBSETS, *WHOLE_SIZES], ids=lambda family: family.word)
def test_an_output_that_never_comes(family):
    rows = [[0.0, 1.0]] * 4
    silent = StochasticMatrix(Universe(("a", "b")), ("never", "always"), rows)
    for here in (positive_gamma_here, negative_gamma_here):
        found = here(silent, family)
        assert found.bound.upper == 1.0
        assert found.witness.output == "always" or not isinstance(
            family, ProductPriors | SampledPriors
        )


@pytest.mark.parametrize("family", [AllPriors(), ProductPriors()], ids=lambda family: family.word)
def test_a_deterministic_mechanism_has_none(parity, family):
    assert positive_gamma(parity, family) == negative_gamma(parity, family) == math.inf


def test_parity_hides_everybody_from_who_knows_nothing(parity):
    assert positive_gamma(parity, UniformPriors()) == negative_gamma(parity, UniformPriors()) == 1.0
    assert positive_gamma(parity, SizeConditionedPriors()) == 1.0
    assert positive_gamma(parity, BoundedProductPriors(0.4, 0.6)) == math.inf


def test_one_entity(flip):
    assert positive_gamma(flip, ProductPriors()) == positive_gamma(flip, AllPriors()) == 2.0
    assert negative_gamma(flip, ProductPriors()) == negative_gamma(flip, AllPriors()) == 1.5
    for family in (SizeConditionedPriors(), PairPriors()):
        assert positive_gamma(flip, family) == 1.0  # nobody to exchange
        assert positive_gamma_here(flip, family) is None  # nobody is uncertain
    assert positive_gamma(flip, BoundedSizeConditionedPriors(0.3, 0.7)) == 1.0
    assert positive_gamma_here(flip, BoundedSizeConditionedPriors(0.3, 0.7)) is None
    assert positive_gamma(flip, OneOutOfAnyPriors()) is None


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_a_prior_of_0_or_1(flip, chance):
    found = positive_gamma_here(flip, SinglePriors(ProductPrior([chance])))
    assert found.bound.upper == 1.0
    assert found.witness is None
    assert positive_gamma(flip, SinglePriors(ProductPrior([chance]))) == 1.0


def test_an_explicit_prior_of_one_size(pick):
    found = positive_gamma_here(pick, SinglePriors(UniformSizedPrior(3, 1)))
    assert found.bound.upper == pytest.approx(1.5)


def test_no_room_between_the_ends_and_certainty(flip):
    for ends in ((0.0, 0.0), (1.0, 1.0)):
        assert positive_gamma_here(flip, BoundedProductPriors(*ends)) is None


def test_the_interval_is_reflected_for_negative_membership(flip):
    family = BoundedProductPriors(0.1, 0.2)
    x = 1.5
    expected = max((x - 1) * 0.9 + 1, x / ((x - 1) * 0.8 + 1))
    assert negative_gamma(flip, family) == pytest.approx(expected)
    witness = negative_gamma_here(flip, family).witness
    assert witness.prior["a"] == pytest.approx(0.1)


def test_an_output_that_never_comes_with_t():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[0.5, 0.5], [1.0, 0.0]])
    assert positive_gamma(matrix, ProductPriors()) == 2.0
    assert negative_gamma(matrix, ProductPriors()) == math.inf
    assert negative_gamma_here(matrix, BoundedProductPriors(0.3, 0.7)).bound.upper == math.inf


def test_the_universal_witness_has_the_entity_in_one_subset_only(parity):
    for here in (positive_gamma_here, negative_gamma_here):
        witness = here(parity, AllPriors()).witness
        assert len(witness.prior) == 2
        assert sum(witness.entity in name.split(",") for name in witness.prior) == 1


THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


def shares(weights):
    total = sum(map(Fraction, weights.values()))
    return {entity: Fraction(weight) / total for entity, weight in weights.items()}


@pytest.mark.parametrize(
    ("chances", "ends"),
    [
        ({0: 8e-24, 1: 1.0}, (Fraction(2e-19), Fraction(1))),
        ({0: 1.0, 1: 1e-300}, (Fraction(1e-300), Fraction(1))),
        ({0: 1e-30, 1: 1.0}, (Fraction(0), 1 - Fraction(1, 2**53))),
        ({0: 0.3, 1: 0.3, 2: 0.3, 3: 0.1}, (Fraction(0), Fraction(0.3))),
        ({0: 0.5, 1: 0.5}, (Fraction(0.5), Fraction(0.7))),
    ],
)
def test_shares_are_brought_between_the_ends(chances, ends):
    found = fit_to_interval(chances, ends)
    assert all(ends[0] <= share <= ends[1] for share in shares(found).values())
    assert found == pytest.approx(chances, abs=1e-12)


def test_thirds_that_floats_cannot_write_down():
    point = Fraction(1 / 3)
    found = fit_to_interval(dict.fromkeys(range(3), 1 / 3), (point, point))
    assert set(found.values()) == {1 / 3}


def test_what_no_rounding_explains():
    assert fit_to_interval({0: 0.5, 1: 0.5}, (Fraction(0), Fraction(0.4))) is None
    assert fit_to_interval({0: 0.5, 1: 0.5}, (Fraction(0.6), Fraction(1))) is None


@pytest.mark.parametrize("chance", [0.0, 1e-300, 2e-19, 0.3, 1 - 2**-53, 1.0])
def test_a_pair_lies_between_its_ends(chance):
    for ends in ((Fraction(2e-19), 1 - Fraction(1, 2**53)), (Fraction(1e-300), HALF)):
        first, second = map(Fraction, pair(chance, ends))
        assert ends[0] <= first / (first + second) <= ends[1]


def test_membership_is_exact():
    weights = weights_of(np.array([0.0, 1.0, 2e-19, 0.0]))
    assert not is_member(weights, 2, (Fraction(2e-19), Fraction(1)))
    assert is_member(weights, 2, (Fraction(1e-19), Fraction(1)))
    assert is_member(weights, 2, (Fraction(2e-19), Fraction(1)), Fraction(1, 2**40))
    assert is_member({3: Fraction(1)}, 2, (HALF, HALF))


def test_what_a_prior_shows():
    weights = {0: HALF, 1: HALF}
    assert attained_gamma(weights, np.array([0.25, 0.75]), 0) == 2.0
    assert attained_gamma(weights, np.array([0.0, 0.75]), 0) == math.inf
    assert attained_gamma(weights, np.array([0.0, 0.0]), 0) == 1.0
    assert attained_gamma({1: HALF}, np.array([0.25, 0.75]), 0) == 1.0
    thirds = attained_gamma({0: 2 * THIRD, 1: THIRD}, np.array([0.25, 0.75]), 0)
    assert Fraction(thirds) <= Fraction(9, 5) < Fraction(math.nextafter(thirds, 2))


def test_one_record(flip):
    assert bayesian_dp(flip, ProductPrior([0.3])) == pytest.approx(math.log(2))


def test_records_that_agree_leak_together():
    """Each moves the odds by 2; to whoever knows nothing, both move them by 4."""
    rows = np.array([[0.2, 0.8], [0.4, 0.6], [0.4, 0.6], [0.8, 0.2]])
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    together = bayesian_dp(matrix, GroupedPrior(((0, 1),), (0.5,)))
    assert together == pytest.approx(math.log(4))
    assert bayesian_dp(matrix, UniformPrior(2)) == pytest.approx(math.log(3))


def test_values_other_than_in_and_out():
    law = np.array([0.2, 0.3, 0.5])
    likelihood = np.array([[0.5, 0.5], [0.25, 0.75], [0.1, 0.9]])
    assert leakage(law, likelihood) == pytest.approx(math.log(5))


def test_what_the_law_excludes_does_not_count():
    law = np.array([0.0, 1.0])
    assert leakage(law, np.array([[1.0, 0.0], [0.0, 1.0]])) == 0.0


def test_certainty_is_infinite(parity):
    assert bayesian_dp(parity, UniformPrior(2)) == math.inf


def test_shapes_that_do_not_match():
    with refuses(InvalidArgument, "likelihood-for-each-of-data: (2,)"):
        leakage([0.5, 0.5], [[1.0], [1.0], [1.0]])
    with refuses(InvalidArgument, "likelihood-for-each-of-data"):
        leakage(1.0, [1.0])


def test_too_many_records():
    matrix = StochasticMatrix(Universe(tuple("abcdefghijklm")), ("x",), [[1.0]] * 8192)
    with refuses(InvalidArgument, "at-most-entities-in-judge: 12 | 13"):
        bayesian_dp(matrix, UniformPrior(13))
    with refuses(InvalidArgument, "at-most-records-in-judge: 12 | 13"):
        leakage(np.full((1,) * 13, 1.0), np.full((1,) * 14, 1.0))


@pytest.mark.parametrize("chance", [1e-300, 1e-6, 0.5, 1 - 1e-12])
def test_beliefs_are_free_of_the_law(flip, chance):
    """The law of one record says nothing about the unknown records: there are none."""
    expected = math.tanh(math.log(2) / 4)
    assert bayesian_semantic(flip, ProductPrior([chance])) == pytest.approx(expected)
    assert over_all_laws(flip) == pytest.approx(expected)


def test_all_or_nobody():
    """Nothing known: the ratio is 4; each of the two alone never moves it by more than 2."""
    rows = [[0.1, 0.9], [0.2, 0.8], [0.2, 0.8], [0.4, 0.6]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    together = TablePrior([[False, False], [True, True]], [0.5, 0.5])
    assert bayesian_semantic(matrix, together) == pytest.approx(1 / 3)
    assert bayesian_semantic(matrix, UniformPrior(2)) == pytest.approx(math.tanh(math.log(2) / 4))
    assert over_all_laws(matrix) == pytest.approx(1 / 3)


def test_a_certain_entity_has_nothing_to_compare():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [0, 1]])
    assert bayesian_semantic(matrix, ProductPrior([1.0])) == 0.0
    assert bayesian_semantic(matrix, ProductPrior([0.0])) == 0.0
    assert bayesian_semantic(matrix, ProductPrior([0.5])) == 1.0


def test_an_output_that_absence_rules_out():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [0.5, 0.5]])
    assert bayesian_semantic(matrix, ProductPrior([0.5])) == over_all_laws(matrix) == 1.0


def test_an_output_that_never_occurs():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [1, 0]])
    assert bayesian_semantic(matrix, ProductPrior([0.5])) == over_all_laws(matrix) == 0.0


def test_a_useless_mechanism(constant):
    assert bayesian_semantic(constant, UniformPrior(2)) == pytest.approx(0.0, abs=1e-15)
    assert over_all_laws(constant) == 0.0


def test_only_subsets_that_the_law_allows_are_needed(pick):
    law = TablePrior([[True, False, False], [False, True, False]], [0.5, 0.5])
    assert 0 < bayesian_semantic(pick, law) <= 1
    assert over_all_laws(pick) is None
    with refuses(InvalidArgument, "allows-none-of-add"):
        bayesian_semantic(pick, UniformPrior(3))


def test_too_many_known_sets():
    matrix = StochasticMatrix(Universe(tuple("abcdefghijk")), ("x",), np.ones((2048, 1)))
    with refuses(InvalidArgument, "at-most-entities-to-try-all: 10"):
        bayesian_semantic(matrix, UniformPrior(11))
    assert over_all_laws(matrix) == 0.0


def test_one_record_reaches_a_quarter_of_the_loss(flip):
    assert semantic(flip) == pytest.approx(math.tanh(math.log(2) / 4))


def test_two_records_reach_half_of_the_loss():
    """The ratio is 3 one way beside the empty set and 3 the other way beside {b}."""
    rows = [[0.25, 0.75], [0.75, 0.25], [0.75, 0.25], [0.25, 0.75]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    assert semantic(matrix) == pytest.approx(math.tanh(math.log(3) / 2))


def test_certainty_is_a_distance_of_1(parity):
    assert semantic(parity) == 1.0


def test_semantic_an_output_that_absence_rules_out():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [0.5, 0.5]])
    assert semantic(matrix) == 1.0


def test_semantic_a_useless_mechanism(constant):
    assert semantic(constant) == 0.0


def test_sizes_that_lack(pick):
    assert semantic(pick) is None
