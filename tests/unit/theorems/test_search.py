import pytest

from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    NoisyGradient,
    PureDP,
    SamplingDP,
    Semantic,
)
from deniable.notions.notation import wish
from deniable.theorems.catalogue import CATALOGUE, named
from deniable.theorems.derive import Node, Search, claims, known


def search(given, text):
    found = Search(CATALOGUE, known([given], wish(text), None))
    found.run([given])
    return found


def test_claims_and_lengths():
    assert claims(SamplingDP(0.1, 1.0, 1e-6)) == (1.0, 1e-6)
    start = Node(PureDP(1.0))
    then = Node(ApproxDP(1.0, 0.0), (start,), named("pure_dp_to_approx_dp"))
    assert (start.length, then.length) == (0, 1)
    assert then.ancestry() == [start, then]


def test_a_shared_parent_is_listed_once():
    start = Node(PureDP(1.0))
    left, right = Node(PureDP(2.0), (start,)), Node(PureDP(3.0), (start,))
    assert Node(PureDP(4.0), (left, right)).ancestry()[:3] == [start, left, right]


def test_only_the_strongest_is_kept():
    found = search(PureDP(0.3), "semantic")
    (kept,) = [node for node in found.nodes(Semantic) if node.notion.records is None]
    assert kept.theorem is named("pure_dp_to_semantic")
    (same,) = [
        node for node in found.nodes(PureDP) if node.notion.adjacency is Adjacency.REPLACE_ONE
    ]
    assert same.theorem is None


def test_short_chains_come_first():
    found = search(PureDP(1.0), "advantage")
    (kept,) = [node for node in found.nodes(Advantage) if node.notion.setting == "replace-one"]
    assert kept.length == 2


def test_an_estimate_is_not_passed():
    found = search(NoisyGradient(10, 10, 1.0, 0.0, 1.0), "membership-inference")
    assert list(found.nodes(Advantage)) == []
    assert "an estimate, which proves nothing" in found.nearest(wish("membership-inference"))


@pytest.mark.parametrize(
    ("given", "text", "message"),
    [
        (PureDP(1.0), "k-anonymity", "No theorem leads to k-anonymity from there."),
        (PureDP(1.0), "identifiability", "needs the number of worlds, as in identifiability:?,100"),
        (PureDP(1.0), "attack-success:0.6", "what was asked is stronger than what follows"),
        (PureDP(1.0), "bayesian-dp@add-remove", "a guarantee with adjacency add-remove"),
        (SamplingDP(0.5, 1.0), "negative-membership", "gives no bound there"),
    ],
    ids=str,
)
def test_what_is_missing(given, text, message):
    assert message in search(given, text).nearest(wish(text))
