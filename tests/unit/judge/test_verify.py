import inspect
import json
import math

import numpy as np
import pytest

import deniable
from deniable.errors import InvalidArgument
from deniable.judge.verify import WORDS, verify
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.notions.adversaries import SampledPriors
from deniable.notions.households import Households
from deniable.priors import UniformPrior
from deniable.priors.families import ProductPriors, SinglePriors
from deniable.priors.universe import Universe
from tests.cases.prose import Refusal, refusal_of

SPEC = {
    "universe": ["a", "b"],
    "outputs": ["0", "1"],
    "rows": {"": [0.8, 0.2], "a": [0.5, 0.5], "b": [0.5, 0.5], "b,a": [0.2, 0.8]},
}
EXTRA = {
    "sampling": {"rate": 0.3},
    "bounded-prior": {"prior": (0.3, 0.7)},
    "independent-prior": {"prior": (0.3, 0.7)},
    "table": {"table": {"": 0.5, "b,a": 0.5}},
    "population": {"size": 1},
    "households": {"household": Households(2, odds_ratio=3)},
}

_LAW = {"table": {"table": {"": 0.5, "e0,e1": 0.5}}}


def _random(entities):
    rows = np.random.default_rng(1).dirichlet(np.ones(6), 2**entities)
    universe = Universe(tuple(f"e{i}" for i in range(entities)))
    return StochasticMatrix(universe, tuple("abcdef"), rows)


def test_it_is_public():
    assert inspect.unwrap(deniable.verify) is inspect.unwrap(verify)


@pytest.mark.parametrize("word", WORDS)
def test_every_family(word):
    found = verify(SPEC, word, **EXTRA.get(word, {}))
    assert found.family == word
    assert 1 <= found.here.bound.upper <= found.positive_gamma * (1 + 1e-12)
    assert found.negative_gamma >= 1
    assert found.here.witness.entity in SPEC["universe"]
    assert found.here.witness.output in SPEC["outputs"]
    assert sum(found.here.witness.prior.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("word", WORDS)
def test_progress_never_goes_back_and_ends_in_one(word):
    told = []
    verify(_random(5), word, **EXTRA.get(word, {}) | _LAW.get(word, {}), progress=told.append)
    assert told == sorted(told)
    assert told[0] >= 0
    assert told[-1] == 1.0
    assert len(set(told)) >= 8


def test_progress_where_one_size_only_is_known():
    rows = {f"e{i}": [0.1 * (i + 1), 1 - 0.1 * (i + 1)] for i in range(4)}
    names = {"universe": list(rows), "outputs": ["0", "1"]}
    told = []
    verify(names | {"rows": rows}, "bounded", progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_the_words_of_the_interface():
    words = (
        "independent|bounded|bounded-pair|universal|uninformed|identifiability|sampling|"
        "bounded-prior|independent-prior|table|population|households"
    )
    assert sorted(WORDS) == sorted(words.split("|"))


def test_figures_that_can_be_worked_out_by_hand():
    found = verify(SPEC, "independent")
    assert found.positive_gamma == found.negative_gamma == 2.5
    assert found.epsilon_add_remove == pytest.approx(math.log(2.5))
    assert found.epsilon_replace_one == 0.0
    assert found.advantage == pytest.approx(0.3)
    assert found.semantic == pytest.approx(math.tanh(math.log(2.5) / 4))
    assert found.bayesian_semantic == pytest.approx(math.tanh(math.log(4) / 4))  # all or nobody
    assert found.bayesian_dp is None
    assert found.sampling_epsilon is None
    assert verify(SPEC, "universal").positive_gamma == 4.0


def test_the_adjacency_follows_the_family():
    assert verify(SPEC, "independent").adjacency is Adjacency.ADD_REMOVE
    for word in ("bounded", "bounded-pair", "identifiability"):
        assert verify(SPEC, word).adjacency is Adjacency.REPLACE_ONE


def test_a_rate_with_any_family():
    found = verify(SPEC, "independent", rate=0.3).sampling_epsilon
    assert found == verify(SPEC, "sampling", rate=0.3).sampling_epsilon > 0


def test_a_joint_law():
    found = verify(SPEC, "table", table={"": 0.5, "a,b": 0.5})
    assert found.bayesian_dp == pytest.approx(math.log(4))
    assert found.bayesian_semantic == pytest.approx(math.tanh(math.log(4) / 4))
    assert found.positive_gamma == pytest.approx(max(0.8 / 0.5, 0.5 / 0.2))


def test_family_values_and_matrices(flip):
    assert verify(flip, ProductPriors()) == verify(flip, "independent")
    assert verify(flip, SampledPriors(0.5)).sampling_epsilon == pytest.approx(math.log(1.5))


def test_files(tmp_path):
    spec, table = tmp_path / "spec.json", tmp_path / "prior.json"
    spec.write_text(json.dumps(SPEC), encoding="utf-8")
    table.write_text(json.dumps({"a": 1.0}), encoding="utf-8")
    assert verify(str(spec), "independent") == verify(SPEC, "independent")
    found = verify(spec, "table", table=table)
    assert isinstance(found.here.bound.upper, float)
    assert found.here.bound.upper == 1.0
    assert found.here.witness is None


def refusal(*arguments, **options):
    with pytest.raises(InvalidArgument) as caught:
        verify(*arguments, **options)
    return refusal_of(caught.value)


@pytest.mark.parametrize(
    ("word", "options", "said"),
    [
        (
            "nonsense",
            {},
            {
                "expected": "family to be one of "
                "independent, bounded, bounded-pair, universal, uninformed, "
                "identifiability, sampling, bounded-prior, independent-prior, table, population, "
                "households"
            },
        ),
        ("sampling", {}, {"expected": "`rate` with the family sampling", "got": "none"}),
        ("sampling", {"rate": 1.5}, {"expected": "0 <= rate <= 1"}),
        ("independent", {"rate": -1.0}, {"expected": "0 <= rate <= 1"}),
        (
            "bounded-prior",
            {},
            {"expected": "`prior` with the family bounded-prior or independent-prior"},
        ),
        ("bounded-prior", {"prior": (0.7, 0.3)}, {"remedy": "Put the lower end first."}),
        (
            "independent",
            {"prior": (0.3, 0.7)},
            {"expected": "`prior` with the family bounded-prior or independent-prior only"},
        ),
        ("table", {}, {"expected": "`table` with the family table", "got": "none"}),
        ("independent", {"table": {"": 1.0}}, {"expected": "`table` with the family table only"}),
        ("table", {"table": {"": 0.5}}, {"expected": "probabilities to sum to 1"}),
        ("table", {"table": {"c": 1.0}}, {"expected": "an entity of the universe", "got": "'c'"}),
        (
            ProductPriors(),
            {"prior": (0.3, 0.7)},
            {"remedy": "Leave `prior` out, or change `family`."},
        ),
    ],
    ids=str,
)
def test_arguments_that_do_not_fit(word, options, said):
    assert refusal(SPEC, word, **options).parts(*said) == said


def test_a_row_that_is_no_law_is_named():
    rows = SPEC["rows"] | {"b,a": [0.2, 0.7]}
    found = refusal(SPEC | {"rows": rows}, "independent")
    assert found == Refusal('the row of "a,b" to sum to 1', "a sum of 0.9", "", "")


def test_a_table_that_allows_a_subset_without_a_row():
    spec = SPEC | {"rows": {"a": [0.5, 0.5], "b": [0.25, 0.75]}}
    assert verify(spec, "bounded").positive_gamma == 2.0
    found = verify(spec, "table", table={"a": 0.5, "b": 0.5})
    assert found.semantic is None
    assert found.bayesian_semantic == pytest.approx(math.tanh(math.log(2) / 4))
    found = refusal(spec, "table", table={"": 0.5, "b": 0.5})
    assert (found.got, found.remedy) == ('none of ""', "Add its row.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", {"expected": "JSON with a mechanism"}),
        ("[1]", {"expected": "a JSON object with a mechanism"}),
        ('{"rows": {"a": [1], "a": [1]}}', {"expected": "each key once", "got": "'a' twice"}),
        ("{}", {"expected": "the keys universe, outputs, rows", "got": "none named universe"}),
    ],
)
def test_files_that_hold_no_mechanism(tmp_path, text, said):
    path = tmp_path / "spec.json"
    path.write_text(text, encoding="utf-8")
    assert refusal(path, "independent").parts(*said) == said


def test_no_such_file(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        found = refusal(path, "independent")
        assert found.expected == "a JSON file with a mechanism"
        assert found.got == f"'{path}', not a file"


def test_too_many_entities_for_every_known_set():
    """Beyond ten entities the Bayesian figures stop, the others go on."""
    names = [f"e{i}" for i in range(11)]
    rows = {",".join(n for i, n in enumerate(names) if r >> i & 1): [1.0] for r in range(2048)}
    spec = {"universe": names, "outputs": ["x"], "rows": rows}
    found = verify(spec, "table", table={"": 0.5, "e0": 0.5})
    assert found.bayesian_semantic is None
    assert found.bayesian_dp == 0.0


def test_an_explicit_family_value(flip):
    assert verify(flip, SinglePriors(UniformPrior(1))).positive_gamma == 1.5
