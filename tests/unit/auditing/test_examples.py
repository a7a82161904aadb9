"""One worked example of each function that modules of the audit share."""

import numpy as np
import pytest

from deniable.auditing.audit import Claim, claim, claimed_adjacency
from deniable.auditing.bets import log_wealth_of
from deniable.auditing.exact import (
    characters_of,
    codes_of,
    digest_code,
    remainders,
    words_of_integers,
)
from deniable.auditing.mechanism import mechanism_target, removed, replaced
from deniable.auditing.models import (
    audit_one_run,
    fixed_guesses,
    log_odds,
    model_target,
    one_run_limit,
    one_run_p_value,
    records_of,
    training_of,
)
from deniable.auditing.page import up
from deniable.auditing.run import named
from deniable.auditing.runs import spans
from deniable.auditing.statistics import (
    Cut,
    RunShares,
    accusing,
    anytime_limit,
    decides,
    decides_exactly,
    deciding,
    enough,
    lower_limit,
    p_value,
    verdict,
    visible,
)
from deniable.auditing.statistics.exact import log_wealth


def test_cuts_leave_out_the_middle():
    cut = Cut.select(np.arange(8.0), np.array([0, 0, 0, 1, 0, 1, 1, 1], dtype=bool))
    guesses = cut.guesses(np.array([0.0, 2.5, 9.0])).tolist()
    assert (cut.low, cut.high, guesses) == (2.0, 5.0, [-1, 0, 1])


def test_what_a_number_of_runs_shows_and_how_many_decide():
    shown = [visible(1000), visible(1000, 1.0), visible(100_000, 1.0)]
    assert shown == pytest.approx([5.809, 0.881, 0.988], abs=5e-4)
    assert (accusing(0.95), deciding(0.95)) == pytest.approx((0.99995, 0.999975), abs=5e-8)
    assert (enough(200, 1.0), enough(200, 0.1)) == (True, False)
    assert (decides(1.0), decides(0.1), decides(8.0)) == (134, 6674, 31599)
    assert [decides_exactly(each) for each in (1.0, 8.0, 40.0)] == [34, 31594, None]


def test_what_right_guesses_prove():
    assert p_value(10, 10, 9, 1.0) == pytest.approx(0.204, abs=5e-5)
    assert p_value(10, 10, 9, 1.0, delta=0.1) == pytest.approx(0.2624, abs=5e-5)
    assert lower_limit(1000, 1000, 731) == pytest.approx(0.8806, abs=5e-5)
    assert lower_limit(1000, 1000, 731, delta=0.1) == pytest.approx(0.7281, abs=5e-5)


def test_what_bets_earn_and_prove():
    assert log_wealth(RunShares([0.0, 1.0], [20, 80]), 0.6) == pytest.approx(6.592, abs=5e-4)
    assert anytime_limit(RunShares([0.0, 1.0], [200, 800])) == pytest.approx(1.13, abs=5e-4)
    counts = np.array([[[900, 100, 0]]])
    assert log_wealth_of(counts, [(1.0, 0.0)], 20_000) == pytest.approx(80.35, abs=5e-3)


def test_what_one_training_proves():
    chances = [one_run_p_value(100, 40, 34, 1.0, delta) for delta in (0.0, 1e-4)]
    assert chances == pytest.approx([0.0587, 0.061], abs=5e-5)
    assert one_run_limit(1000, 1000, 500) == 0.0
    assert one_run_limit(1000, 400, 390) == pytest.approx(3.126, abs=5e-4)
    people = (np.arange(200.0)[:, None], np.zeros(200))
    answer = audit_one_run(
        lambda features, _: set(features[:, 0]),
        people,
        losses=lambda known, features, _: [float(x not in known) for x in features[:, 0]],
        claimed="pure-dp:1.0@add-remove",
    )
    assert (answer.verdict, answer.subject) == ("violated", "one training run")
    assert answer.found.lower > 2


def test_a_verdict_compares_limits_and_one_that_may_be_chance_accuses_nobody():
    assert verdict(0.98, 0.96, 1.0, 50_000) == "consistent"
    assert verdict(1.2, 1.1, 1.0, 50_000) == "violated"
    assert verdict(0.0, 0.0, 1.0, 5) == "inconclusive"
    assert verdict(1.001, 0.97, 1.0, 50_000) == "inconclusive"


def test_codes_words_and_characters():
    assert digest_code(b"ab", b"c") != digest_code(b"a", b"bc")
    assert characters_of([[b"ab"]])[0, 0, [0, 1, 2, -2, -1]].tolist() == [97, 98, 0, 97, 98]
    assert (codes_of(np.array([0.5, -0.0])) != codes_of(np.array([0.5, 0.0]))).tolist() == [0, 1]
    assert codes_of(np.array([3], np.int8)) == codes_of(np.array([3], np.uint64))
    assert words_of_integers([2**53 + 1, -5]).tolist() == [[1, 1], [-5, 0]]
    assert remainders(words_of_integers([2**64 + 1, -1, None]), 10).tolist() == [7, 9, 10]


def test_blocks_of_runs():
    assert spans(250, 1)[:2] == [(0, 3), (3, 6)]
    assert len(spans(10_000, 5_000)) == 100


def test_neighbours_and_targets():
    assert removed([3, 1, 4], 0) == ([1, 4], [3, 1, 4])
    assert replaced([3, 1, 4], 9, 0) == ([9, 1, 4], [3, 1, 4])
    target = mechanism_target(lambda data, rng: len(data) + rng.laplace(), [1.0, 2.0, 3.0])
    bits = np.array([[True], [False]])
    assert target.draw(bits, np.random.default_rng(1)).signals.shape == (2, 1, 1)
    assert named("math:exp")(0.0) == 1.0


class Mean:
    def __init__(self, y):
        self.mean = y.mean()

    def predict(self, X):  # noqa: N803 - as models have it
        return np.full(len(X), self.mean)


def test_models_and_their_losses():
    assert log_odds(np.array([np.log(2), 1e-300, 0.0])).round(2).tolist() == [0.0, 690.78, 745.0]
    assert training_of(lambda _x, _y, seed: seed).keyword == "seed"
    assert len(records_of(([[0.0], [1.0], [2.0]], [0, 0, 1]))) == 3
    target = model_target(lambda _, labels: Mean(labels), (np.zeros((4, 1)), np.arange(4.0)))
    bits = np.array([[True, True, False, False]])
    losses = target.draw(bits, np.random.default_rng(0))[0, :, 0]
    assert losses.tolist() == [0.1, 0.1, 0.9, 2.5]
    assert fixed_guesses(np.array([0.3, 0.9, 0.1, 0.5]), 1).tolist() == [0, 1, -1, 0]


def test_claims_and_numbers_in_sentences():
    assert claim("pure-dp:1.0@add-remove", "replace-one").epsilon == 2.0
    assert claim("advantage:0.2", "replace-one") == Claim("advantage:0.2", 0.0, 0.2)
    assert claimed_adjacency("pure-dp:1.0@add-remove") == "add-remove"
    assert claimed_adjacency("population:0.5") == "parent-set"
    assert (up(0.98761), up(2.0)) == ("0.9877", "2")
