"""What several releases lose together: never less for one more, and what the worst ones do.

The sum of several ε is passed by hardly any output, so that a bound that used δ for some kinds of
guarantees and not for others fell from 10 to 4.73 as a release was added.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deniable
from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, GaussianDP, PureDP
from deniable.theorems.analysis.composed_loss import composed_loss
from tests.cases.effort import usual

CLOSE = 1e-9
"""Relative error of the searches: their places are known to the square root of it."""

EPSILONS = st.floats(1e-6, 4)
DELTAS = st.floats(1e-12, 1e-6)
KINDS = {
    "pure": st.builds("pure-dp:{!r}".format, EPSILONS),
    "approx": st.builds("approx-dp:{!r},{!r}".format, EPSILONS, DELTAS),
    "zcdp": st.builds("zcdp:{!r}".format, st.floats(1e-9, 2)),
    "approx-zcdp": st.builds("approx-zcdp:{!r},{!r}".format, st.floats(1e-9, 2), DELTAS),
    "gaussian": st.builds("gaussian-dp:{!r}".format, st.floats(1e-6, 2)),
    "renyi": st.builds("rdp:{!r},{!r}".format, st.floats(1.1, 40), st.floats(1e-6, 4)),
}


def numbers(answer):
    """All that grows with the loss."""
    ranges = [(each.upper, 1 - each.lower) for each in answer.posterior]
    return np.array(
        [answer.loss, answer.range_loss, answer.gamma, answer.gamma_outside, *sum(ranges, ())]
    )


@settings(deadline=None, max_examples=usual(7, 60))
@given(
    st.lists(st.tuples(st.one_of(*KINDS.values()), st.integers(1, 40)), min_size=1, max_size=4),
    st.one_of(*KINDS.values()),
    st.sampled_from([1e-2, 1e-4, 1e-9]),
    st.sampled_from(["", "@add-remove"]),
)
def test_one_more_release_never_lowers_what_all_lose(groups, more, exceedance, neighbours):
    some = [spec + neighbours for spec, times in groups for _ in range(times)]
    before, after = ask(some, exceedance), ask([*some, more + neighbours], exceedance)
    assert (numbers(after) >= numbers(before) * (1 - CLOSE)).all()
    assert before.exceedance <= exceedance


def ask(specs, exceedance):
    try:
        if len(specs) == 1 and specs[0].startswith("pure"):
            return deniable.compose(specs)
        return deniable.compose(specs, exceedance=exceedance)
    except (NotApplicable, deniable.errors.InvalidArgument):
        assume(False)  # ρ beside δ, or a δ above the exceedance


@pytest.mark.parametrize("more", ["pure-dp:0.1", "zcdp:1e-12", "gaussian-dp:1e-9", "rdp:8,1e-9"])
def test_the_case_of_a_hundred_small_ones(more):
    """By default, too: 10 without δ, 4.36 with it, and no less with one more."""
    hundred = ["pure-dp:0.1"] * 100
    alone, together = deniable.compose(hundred), deniable.compose([*hundred, more])
    assert alone.total.epsilon == pytest.approx(10)
    assert 4.3 < alone.loss < 4.36
    assert together.loss >= alone.loss * (1 - CLOSE)
    assert together.exceedance == alone.exceedance == pytest.approx(1e-4)


def test_few_pure_ones_have_no_exception():
    answer = deniable.compose(["pure-dp:1"] * 3, exceedance=1e-4)
    assert (answer.loss, answer.range_loss, answer.exceedance) == (3.0, 3.0, 0.0)
    assert len(answer.derivation) == 1


def responses(parts):
    """All outputs of the worst mechanisms: their probability in the data's world, and the loss."""
    rows = [(1.0, 0.0)]
    for each in parts:
        epsilon, delta = each.epsilon, getattr(each, "delta", 0.0)
        high = 1 / (1 + math.exp(-epsilon))
        kept = 1 - delta
        choices = [(kept * high, epsilon), (kept * (1 - high), -epsilon), (delta, math.inf)]
        rows = [(p * q, a + b) for (p, a), (q, b) in itertools.product(rows, choices) if p * q]
    return np.array(rows)


def most_often(chances, losses, loss):
    """How often a loss is passed at most by outputs that are revealed as one, the largest first."""
    order = np.argsort(-losses)
    gains = chances * -np.expm1(loss - losses)  # P − e^ℓ Q of each output
    total = spent = 0.0
    for p, gain in zip(chances[order], gains[order], strict=True):
        if gain >= 0:
            total, spent = total + p, spent + gain
        else:
            part = min(spent / -gain, 1.0)
            total, spent = total + part * p, spent + part * gain
    return total


@pytest.mark.parametrize(
    "parts",
    [
        [PureDP(0.5)] * 8,
        [PureDP(each) for each in (0.1, 0.2, 0.3, 0.5, 0.8, 0.85, 0.1, 0.7)],
        [ApproxDP(0.4, 1e-4)] * 6,
        [ApproxDP(0.3, 1e-4), PureDP(0.5), ApproxDP(0.7, 1e-5), PureDP(0.21), PureDP(0.6)],
    ],
    ids=str,
)
@pytest.mark.parametrize("exceedance", [0.2, 0.01])
def test_the_worst_mechanisms_attain_it(parts, exceedance):
    chances, losses = responses(parts).T
    loss, _ = composed_loss(parts, exceedance)
    assert most_often(chances, losses, loss * (1 + 1e-12)) <= exceedance * (1 + 1e-9)
    assert most_often(chances, losses, loss * (1 - 1e-3)) > exceedance or loss > 0.999 * sum(
        each.epsilon for each in parts
    )


@pytest.mark.parametrize("mu", [0.1, 1.0])
def test_noise_beside_responses_by_its_quantiles(mu):
    """Gaussian noise in a thousand outputs of equal probability is no worse than Gaussian noise."""
    from scipy.special import ndtr, ndtri

    edges = ndtri(np.linspace(0, 1, 1001))
    inside, outside = np.diff(ndtr(edges)), np.diff(ndtr(edges + mu))
    chances, losses = responses([PureDP(0.5)] * 6).T
    p = np.outer(chances, inside).ravel()
    both = (losses[:, None] + np.log(inside / outside)).ravel()
    loss, _ = composed_loss([PureDP(0.5)] * 6 + [GaussianDP(mu)], 0.01)
    assert most_often(p, both, loss) <= 0.01
    assert most_often(p, both, loss * 0.98) > 0.01


@pytest.mark.parametrize("exceedance", [1e-3, 1e-9])
def test_the_orders_alone_are_chernoff_s_bound(exceedance):
    loss, why = composed_loss([deniable.notions.ZCDP(0.25)] * 2, exceedance)
    assert loss == pytest.approx(0.5 + 2 * math.sqrt(0.5 * -math.log(exceedance)), rel=1e-9)
    assert why.startswith("Rényi")
