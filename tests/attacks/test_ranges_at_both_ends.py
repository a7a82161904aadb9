"""A range of a posterior is left at one end or the other at most as often as is said of it.

The adversary's mechanism has three outputs with the chances x, y and the rest where somebody is in
the data, and y, x and the rest where not: one raises the belief just beyond its range, one lowers
it just beyond, and one says nothing. It keeps to the guarantee, by formulas of its own.
"""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import linprog
from scipy.special import log_ndtr, ndtr

import deniable
from deniable.theorems.analysis import EACH_WAY
from tests.cases.command_line import app
from tests.cases.effort import some_pairs

STRICTLY = 1 - 1e-9
"""Share of a limit to which the mechanism keeps, so that its own arithmetic does not pass it."""


def invoke(*words):
    """What a command prints, read where it is JSON."""
    result = CliRunner().invoke(app, [str(each) for each in words])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout) if "--json" in words else result.stdout


def keeps_to_approx_dp(x, y, epsilon, delta):
    return x - math.exp(epsilon) * y <= delta * STRICTLY


def keeps_to_zcdp(x, y, rho):
    return (_divergences(x, y, orders := 1 + np.geomspace(1e-6, 1e6, 20_001)) <= orders * rho).all()


def keeps_to_rdp(x, y, order, epsilon):
    return bool(_divergences(x, y, np.array([order]))[0] <= epsilon * STRICTLY)


def keeps_to_gaussian_dp(x, y, mu):
    epsilon = np.linspace(0, 60, 60_001)
    allowed = ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))
    return (x - np.exp(epsilon) * y <= allowed * STRICTLY + 1e-300).all()


def _divergences(x, y, orders):
    terms = [
        orders * math.log(x) + (1 - orders) * math.log(y),
        orders * math.log(y) + (1 - orders) * math.log(x),
        np.full_like(orders, math.log1p(-x - y)),
    ]
    return np.logaddexp.reduce(terms) / (orders - 1)


KEEPS = {
    "approx-dp": keeps_to_approx_dp,
    "zcdp": keeps_to_zcdp,
    "rdp": keeps_to_rdp,
    "gaussian-dp": keeps_to_gaussian_dp,
}


def leaves(spec, upper, prior=0.5):
    """The probability with which the mechanism's outputs leave the range, in either world."""
    word, _, numbers = spec.partition("@")[0].partition(":")
    given = [float(each) for each in numbers.split(",")]
    loss = math.log(upper / (1 - upper)) - math.log(prior / (1 - prior))
    ratio = math.exp(-(loss * (1 + 1e-9) + 1e-12))
    low, high = 0.0, 1 / (1 + ratio)
    for _ in range(50):
        middle = (low + high) / 2
        if KEEPS[word](middle, middle * ratio, *given):
            low = middle
        else:
            high = middle
    return low * (1 + ratio)


CASES = [
    ("approx-dp:1.0,0.01", 0.1),
    ("approx-dp:0.1,1e-6", 1e-4),
    ("approx-dp:0.01,1e-3@add-remove", 0.01),
    ("approx-dp:0.0,1e-3", 0.0011),
    ("zcdp:0.1", 1e-4),
    ("zcdp:0.001@add-remove", 1e-3),
    ("gaussian-dp:0.5", 1e-3),
    ("gaussian-dp:0.05@add-remove", 1e-3),
    ("rdp:8.0,0.1", 1e-4),
]


@pytest.mark.parametrize(("case", "command"), some_pairs(CASES, ["explain", "compose"]))
def test_a_range_is_left_at_either_end_no_more_often_than_is_said(command, case):
    spec, exceedance = case
    for prior in (0.01, 0.5, 0.9):
        words = [command, spec, "--exceedance", exceedance, "--prior", prior, prior]
        answer = invoke(*words, "--json")
        (belief,) = {
            (each["lower"], each["upper"]) for each in answer["posterior"] if each["prior"] == prior
        }
        assert answer["exceedance"] == exceedance
        assert leaves(spec, belief[1], prior) <= exceedance
        odds = [end / (1 - end) * (1 - prior) / prior for end in belief]
        assert odds[0] * odds[1] == pytest.approx(1, rel=1e-9)  # the lower end is as far


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.9, 0.3, 0.01])
def test_no_mechanism_leaves_a_range_more_often_and_one_nearly_does(epsilon, share):
    """The best of all mechanisms whose losses lie on a grid, by a linear program."""
    delta = 1e-3
    answer = deniable.explain(epsilon, delta, exceedance=delta / share, prior=(0.3, 0.3))
    loss = answer.range_loss
    losses = np.array([-40, -loss - 1e-9, -epsilon, 0, epsilon, loss + 1e-9, 40.0])
    q, p = np.exp(-np.maximum(losses, 0)), np.exp(np.minimum(losses, 0))  # up to a weight each
    outside = (np.abs(losses) > loss) * 1.0
    above, below = (np.maximum(a - math.exp(epsilon) * b, 0) for a, b in ((p, q), (q, p)))
    most = 0.0
    for world in (p, q, 0.3 * p + 0.7 * q):
        best = linprog(
            -world * outside, A_ub=[above, below], b_ub=[delta, delta], A_eq=[p, q], b_eq=[1, 1]
        )
        most = max(most, -best.fun)
    assert most <= answer.exceedance * (1 + 1e-6)
    assert most >= 0.85 * answer.exceedance


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
def test_a_training_s_range_is_read_at_both_ends(delta):
    """One step on everybody is Gaussian noise, whose tail is exact: both of them together."""
    answer = deniable.explain_training([(2.0, 1.0, 3)], delta=delta, prior=(0.5, 0.5))
    (belief,) = set(answer.posterior)
    mu, loss = math.sqrt(3) / 2, math.log(belief.upper / belief.lower)
    assert loss >= answer.loss.upper
    assert ndtr(mu / 2 - loss / mu) + ndtr(-mu / 2 - loss / mu) <= delta


PLAN = """
[data]
source = "visits.csv"
[target]
gamma = 2.0
delta = 1e-6
[[query]]
name = "visits"
statistic = "histogram"
column = "days"
edges = [0, 10, 20]
"""


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "--epsilon", 1, "--delta", 1e-6],
        ["explain", "approx-dp:1,1e-6@add-remove"],
        ["explain", "approx-zcdp:0.1,1e-6"],
        ["explain", "privacy-loss-tail:1,1e-6"],
        ["explain", "gdp:0.5"],
        ["explain", "trade-off:0,0.99/0.99,0", "--exceedance", 0.5],
        ["explain", "--half-width", 10, "--delta", 1e-6],
        ["compose", "zcdp:0.1", "pure-dp:1"],
        ["compose", "approx-zcdp:0.1,1e-7", "zcdp:0.1"],
        ["compose", "trade-off:0,0.99/0.99,0", "pure-dp:0.1", "--exceedance", 0.5],
        ["training", "explain", "--sample-rate", 0.1, "--steps", 10, "--noise-multiplier", 2],
        ["plan", PLAN],
    ],
    ids=lambda words: " ".join(map(str, words[:2])).split("\n")[0],
)
def test_a_command_counts_both_ends_or_says_that_each_is_by_itself(words, tmp_path):
    if words[0] == "plan":
        (tmp_path / "visits.csv").write_text("days\n1\n2\n", encoding="utf-8")
        (tmp_path / "plan.toml").write_text(words[1], encoding="utf-8")
        words = ["plan", tmp_path / "plan.toml"]
    answer = invoke(*words, "--json")
    revealed = invoke(*words)
    assert "stays in" in revealed
    assert "exception, for each entity" in revealed
    if "range_loss" in answer:
        assert EACH_WAY not in revealed
        loss = answer["range_loss"]
        one_way = answer.get("loss", answer.get("privacy_loss", {}).get("bound"))
        assert loss >= one_way
    else:
        assert EACH_WAY in revealed
        rarely = answer["exceedance"]
        assert answer["exceedance_either_end"] > rarely
        for middle in (each for each in answer["posterior"] if each["prior"] == 0.5):
            both = rarely * (1 + middle["lower"] / middle["upper"])
            assert answer["exceedance_either_end"] == pytest.approx(both, rel=1e-6)
