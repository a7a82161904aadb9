"""42, None, a word, [] and {} for each argument of every public callable: our errors only.

A good call of each is the first in its docstring, or a line of `GOOD`. Each of its arguments, and
each one that it left out, is then replaced. Functions of `deniable` itself and of its ledgers get
more wrong values in `test_arguments_of_other_types.py`. Answers are made by functions alone.
"""

import ast
import contextlib
import doctest
import enum
import importlib
import inspect
import io
import itertools
import sys
import warnings
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import deniable
from deniable import Effort, Universe
from deniable.errors import DeniableError
from deniable.mechanisms import DiscreteLaplace, StochasticMatrix
from deniable.numerics.answer import Answer
from deniable.priors import BoundedPriors, ProductPrior, ProductPriors, UniformSizedPrior
from deniable.priors._poisson_binomial import SizeLaw
from tests.attacks.test_arguments_of_other_types import CALLS, LISTENING
from tests.cases.genotype_files import plink_files
from tests.cases.release_case import write_case

WRONG = (42, None, "x", [], {})
LIST = {"name": "a", "size": 9}, {"name": "b", "size": 5}
RULES = {
    "list": LIST, "rule": {"preset": "opensafely"}, "target": {"max_posterior": 0.75},
    "adversary": {"prior": [0.25, 0.5]}, "table": [{"name": "t", "lists": ["a", "b"]}],
}  # fmt: skip
VALUES = {
    "table": [{"columns": ["r"], "sum": "t"}], "rule": {"steps": [{"p_percent": 0.1}]},
    "values": {
        "file": pl.DataFrame({"r": ["x"] * 3, "contributor": ["a", "b", "c"], "value": [99, 50, 9]})
    },
}  # fmt: skip
COLUMN = [[0.0], [1.0], [2.0], [5.0]]
FLIP = StochasticMatrix(Universe(("a",)), ("0", "1"), [[0.75, 0.25], [0.5, 0.5]])
NOISE = DiscreteLaplace(2.0)


def call(*args: object, **named: object) -> tuple[tuple[object, ...], dict[str, object]]:
    return args, named


GOOD = {
    "BatchedTraining": call("poisson", 2.0, 5, 2),
    "LinearQuery": call(COLUMN, 1.0),
    "correlation.MarkovSum": call([0.5, 0.5], [[[0.9, 0.1], [0.1, 0.9]]], [0, 1], 1.0),
    "gwas.attack": call("study", "study", overlap="drop"),
    "gwas.frequencies": call("study", "new", all_variants=True, gamma=2.0),
    "gwas.release": call("study", "new", top=1, gamma=2.0),
    "gwas.scan": call("study"),
    "gwas.simulate": call("new", individuals=9, cases=4, variants=3, causal=1, seed=1),
    "gwas.utility": call("study", top=1, gamma=2.0, trials=10),
    "judge.negative_gamma": call(FLIP, ProductPriors()),
    "judge.negative_gamma_here": call(FLIP, ProductPriors()),
    "mechanisms.CirculantDesign": call([0, 1]),
    "mechanisms.CountBeliefs": call(0.5, NOISE, SizeLaw(0, np.ones(1), 0.0, 0.0)),
    "mechanisms.KeyThreshold": call(5, 2, 0.1),
    "mechanisms.least_threshold": call(NOISE, 2, 0.1),
    "notions.Advantage": call(0.1),
    "notions.ApproxDP": call(1.0, 1e-6),
    "notions.ApproxZCDP": call(1.0, 1e-6),
    "notions.AttackSuccess": call(0.6),
    "notions.BaselineRisk": call(0.5, 0.1),
    "notions.BayesianDP": call(1.0),
    "notions.BayesianSemantic": call(0.2),
    "notions.FalseNegativeRate": call(0.5, 0.1),
    "notions.GaussianDP": call(1.0),
    "notions.GaussianMembershipInference": call(1.0),
    "notions.Identifiability": call(0.1, 100),
    "notions.KAnonymity": call(5),
    "notions.MaxPosterior": call(0.5, 0.1),
    "notions.MembershipInference": call(0.1),
    "notions.NegativeMembership": call(2.0, BoundedPriors()),
    "notions.NoisyGradient": call(10, 5, 1.0, 1.0, 1.0),
    "notions.OneSidedDP": call(1.0),
    "notions.PopulationPosterior": call(1.0, 0.0, 0.5),
    "notions.PopulationPrivacy": call(1.0),
    "notions.PositiveMembership": call(2.0, BoundedPriors()),
    "notions.PosteriorGain": call(0.1),
    "notions.PosteriorRatio": call(2.0),
    "notions.PredictiveValue": call(0.6, 0.1, 2.0),
    "notions.PrivacyCurve": call(0.1, 1.0, 5),
    "notions.PrivacyLossTail": call(1.0, 1e-6),
    "notions.PureDP": call(1.0),
    "notions.RenyiDP": call(2.0, 1.0),
    "notions.SamplingDP": call(0.1, 1.0),
    "notions.Semantic": call(0.2),
    "notions.ZCDP": call(0.5),
    "population.exponential": call(COLUMN, [[0.0], [5.0]], 3, epsilon=1.0, clip=10.0),
    "population.query": call(
        lambda sample: sample.mean(axis=0), COLUMN, 3, sigma=50.0, delta=0.1, records=[3],
        effort=Effort(gap=1.0),
    ),
    "priors.MarkovPrior": call([0.5, 0.5], [[[0.9, 0.1], [0.1, 0.9]]], [False, True]),
    "priors.PopulationPriors": call(UniformSizedPrior(3, 2)),
    "priors.SinglePriors": call(ProductPrior([0.5])),
    "rules.Barnardise": call(0.1),
    "rules.Bottom": call(5),
    "rules.Column": call("*", 9, ((1, 7, Fraction(1)),)),
    "rules.RoundDown": call(5),
    "rules.Top": call(5),
    "rules.book.add": call(
        "wards.book", RULES, {"a": 10, "b": "*"},
        name="first", published="2026-01-01",
    ),
    "rules.book.check": call("wards.book"),
    "rules.book.new": call("new.book"),
    "rules.book.show": call("wards.book"),
    "rules.judge": call(RULES, {"a": 10, "b": "*"}),
    "rules.judge_values": call(VALUES, pl.DataFrame({"r": ["x"], "t": [158]})),
    "rules.repair": call({key: part for key, part in RULES.items() if key != "table"}),
    "serve.Session": call("visits.toml", "visits.ledger", "visits"),
}  # fmt: skip
"""Arguments of a good call, where no example shows one."""
UNTRIED = (
    CALLS.keys() | LISTENING | {"serve.serve", "judge.Gamma", "judge.Verdict", "judge.Witness"}
)
"""What the other file tries, what listens until it is stopped, and parts of answers."""


def public() -> Iterator[tuple[str, object]]:
    """Every public class and function, once, with its name below `deniable`."""
    topics, seen = ["deniable"], set()
    for topic in topics:
        module = importlib.import_module(topic)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value):
                topics.append(value.__name__)
            elif callable(value) and value not in seen:
                seen.add(value)
                yield f"{topic}.{name}".removeprefix("deniable."), value


def is_tried(name: str, value: object) -> bool:
    kinds = (Answer, Exception, enum.Enum)
    return name not in UNTRIED and not (
        inspect.isclass(value)
        and (issubclass(value, kinds) or getattr(value, "_is_protocol", False))
    )


TRIED = {name: value for name, value in public() if is_tried(name, value)}


def good_call(name: str) -> tuple[tuple[object, ...], dict[str, object]]:
    """Arguments from the table, or from the first call in the docstring."""
    if name in GOOD:
        return GOOD[name]
    value = TRIED[name]
    known = {**vars(sys.modules[value.__module__]), value.__name__: value}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(value)):
        tree = ast.parse(example.source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and eval(ast.unparse(node.func), known) is value:
                return eval(
                    f"call{ast.unparse(node)[len(ast.unparse(node.func)) :]}",
                    known | {"call": call},
                )
        exec(compile(tree, name, "exec"), known)
    if not inspect.signature(value).parameters:
        return call()
    raise AssertionError(f"No example of {name} calls it: add a line to GOOD.")


def write_files(folder: Path) -> None:
    """What the good calls read."""
    write_case(folder)
    plink_files(folder, [[0, 1, 2, 1], [1, 1, 0, 2], [2, 0, 0, 1]], ["case", "control"] * 2)
    deniable.ledger.new(folder / "visits.ledger", "visits", epsilon=5.0, entity="person")
    deniable.ledger.new(folder / "a.ledger", "d", epsilon=5.0, entity="person")
    deniable.rules.book.new(folder / "wards.book")
    (folder / "note.txt").write_text("0.5\n0.7\n", encoding="utf-8")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.mark.parametrize("name", TRIED)
def test_a_wrong_value_is_our_error(name, files, monkeypatch):
    monkeypatch.chdir(files)
    with contextlib.redirect_stdout(io.StringIO()):
        args, named = good_call(name)
    signature = inspect.signature(TRIED[name])
    good = signature.bind(*args, **named).arguments
    raw = []
    for parameter, wrong in itertools.product(signature.parameters.values(), WRONG):
        values = {parameter.VAR_POSITIONAL: (wrong,), parameter.VAR_KEYWORD: {"other": wrong}}
        changed = good | {parameter.name: values.get(parameter.kind, wrong)}
        bound = inspect.BoundArguments(
            signature, {key: changed[key] for key in signature.parameters if key in changed}
        )
        try:
            with warnings.catch_warnings(action="ignore"):
                TRIED[name](*bound.args, **bound.kwargs)
        except (DeniableError, OSError):
            pass
        except Exception as error:
            raw.append((parameter.name, wrong, repr(error)))
    assert raw == []
