"""lowy-2024, Appendix A, and two examples of ours: notions that promise less."""

import math

import pytest

from examples import appendix_a


def figures(found):
    return dict(found.weaker)


def test_distributional_privacy_calls_a_full_release_perfect():
    """Bassily et al. 2013, data of even parity: a simulator that lacks x is exact, γ infinite."""
    found = appendix_a.even_parity()
    (distance,) = figures(found).values()
    assert distance == 0.0
    assert found.gamma == found.population_epsilon == math.inf


@pytest.mark.parametrize("eta", [0.001, 0.02, 0.3])
def test_membership_inference_privacy_allows_full_disclosure_now_and_then(eta):
    """Publishing a record with probability nη is η-MIP, with no ε and no γ at all."""
    found = appendix_a.one_record(6, eta)
    over, allowed = figures(found).values()
    assert over == pytest.approx(eta / 2)
    assert over <= allowed == eta
    assert found.gamma == found.population_epsilon == math.inf


def test_an_average_hides_a_victim():
    """Ours: yeom-2018 averages over targets: certainty about one of n people."""
    for n in (4, 6, 8):
        average, worst = figures(appendix_a.one_victim(n)).values()
        # The others share what is left: one fewer place for them when x1 is in.
        assert average == pytest.approx((1 + (n - 1) / (n - 1)) / n)
        assert worst == pytest.approx(1.0)
        assert appendix_a.one_victim(n).gamma == math.inf


def test_a_mixture_of_populations_passes_the_bounds_for_independent_records():
    """Ours: the tight advantage (e^ε − 1)/(e^ε + 1) needs independence."""
    found = appendix_a.mixture()
    epsilon, independent, gamma, mixed = figures(found).values()
    assert epsilon == pytest.approx(0.5)
    assert gamma == pytest.approx(math.exp(0.5))
    tight = (math.exp(0.5) - 1) / (math.exp(0.5) + 1)
    assert independent == pytest.approx(tight)
    assert mixed > tight
    assert found.gamma > gamma
    assert found.population_epsilon == pytest.approx(0.0)


def test_what_is_printed(capsys):
    appendix_a.main()
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if "positive membership privacy" in line]) == 4
    assert sum(line.endswith(" inf") for line in lines) == 6
