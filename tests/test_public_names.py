"""The public names: shown by `dir`, imported by `*`, and known to type checkers, all the same."""

import enum
import importlib
import inspect
import os
import pickle
import pydoc
import rlcompleter
import subprocess
import sys
from inspect import isclass, isfunction, ismodule
from pathlib import Path

import pytest

import deniable
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses

ROOT = Path(__file__).resolve().parents[1]
TOPICS = sorted(f"deniable.{name}" for name in dir(deniable) if ismodule(getattr(deniable, name)))
DOORS = ["deniable", *TOPICS]


@pytest.mark.parametrize("door", DOORS)
def test_dir_shows_exactly_the_public_names(door):
    module = importlib.import_module(door)
    assert dir(module) == sorted(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)


@pytest.mark.parametrize("door", DOORS)
def test_a_star_imports_exactly_the_public_names(door):
    imported = {}
    exec(f"from {door} import *", imported)
    module = importlib.import_module(door)
    assert {name: imported[name] for name in module.__all__} == {
        name: getattr(module, name) for name in module.__all__
    }
    assert imported.keys() - {"__builtins__"} == set(module.__all__)


def test_the_prompt_completes_exactly_the_public_names():
    completer = rlcompleter.Completer({"deniable": deniable})
    for door in DOORS:
        offered = {each.partition("(")[0] for each in completer.attr_matches(f"{door}.")}
        assert offered == {f"{door}.{name}" for name in importlib.import_module(door).__all__}


@pytest.mark.parametrize("door", DOORS)
def test_a_public_name_is_what_stands_in_its_module_under_this_name(door):
    module = importlib.import_module(door)
    for name in module.__all__:
        public = getattr(module, name)
        if isclass(public) or isfunction(public):
            # A topic may call a function of `deniable` without the topic's own name.
            assert public.__name__ in (name, f"{name}_{door.rpartition('.')[2]}")
        elif ismodule(public):
            assert public.__name__ == f"{door}.{name}"


@pytest.mark.parametrize("door", DOORS)
def test_a_public_class_names_the_argument_that_is_missing_or_too_many(door):
    module = importlib.import_module(door)
    for name in module.__all__:
        public = getattr(module, name)
        if not isclass(public) or issubclass(public, (BaseException, enum.Enum)):
            continue
        if getattr(public, "_is_protocol", False):
            continue
        with refuses(InvalidArgument, f"unknown-argument-of: {public.__name__} | unheard_of"):
            public(unheard_of=1)
        with refuses(InvalidArgument, f"arguments-by-place: {public.__name__} | 40"):
            public(*range(40))
        needed = [
            each.name
            for each in inspect.signature(public).parameters.values()
            if each.default is each.empty and each.kind is not each.VAR_POSITIONAL
        ]
        if needed:
            with pytest.raises(InvalidArgument) as refusal:
                public()
            assert all(f"`{each}`" in str(refusal.value) for each in needed), name
            assert f" of {public.__name__}, got none" in str(refusal.value)


@pytest.mark.parametrize("door", DOORS)
def test_a_public_name_can_be_pickled_and_read(door):
    module = importlib.import_module(door)
    for name in module.__all__:
        public = getattr(module, name)
        if isclass(public) or isfunction(public):
            assert pickle.loads(pickle.dumps(public)) is public
            assert getattr(sys.modules[public.__module__], public.__name__) is public
            assert inspect.getsource(public).lstrip().startswith(("@", "def ", "class "))
            assert public.__name__ in pydoc.render_doc(public)


@pytest.mark.parametrize(("topic", "taken"), [("gwas", {"Filters"}), ("population", set())])
def test_a_topic_shows_functions_and_what_only_they_take(topic, taken):
    module = getattr(deniable, topic)
    assert {name for name in dir(module) if not isfunction(getattr(module, name))} == taken


WRONG = """\
import deniable
from deniable import gwas, population
from deniable.priors import ProductPrior

reveal_type(deniable.calibrate(gamma=2.0).epsilon)
reveal_type(population.laplace([0.0, 1.0], 1, scale=1.0).worst_record)
deniable.calibrate(gama=2.0)
population.laplace([0.0, 1.0], 1, scael=1.0)
deniable.population.count(1, 2, 1, scale="wide")
gwas.release("study", "out", tpo=1)
deniable.calibarte(gamma=2.0)
population.gausian
ProductPrior(marginal=[0.5])
"""


RIGHT = """\
import deniable
from deniable.notions import ApproxDP, PureDP
epsilon: float = deniable.derive("zcdp:0.1", "approx-dp:?,1e-6").target.epsilon
reveal_type(deniable.derive("zcdp:0.1", ApproxDP).target.delta)
reveal_type(deniable.derive("pure-dp:1", PureDP(2.0)).target)
reveal_type(deniable.explain(1.0).gamma)
deniable.explain("zcdp:0.1").posterior[0].upper
deniable.risk("pure-dp:1", 0.1)
deniable.check(deniable.release({}, "out"))
deniable.training.calibrate(records=100, batch_size=10, epochs=1, tpr=0.5, fpr=0.01)
"""


def test_a_type_checker_knows_every_argument(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", tmp_path / "wrong.py",
         tmp_path / "right.py"],
        capture_output=True, text=True, cwd=ROOT, env=os.environ | {"MYPYPATH": "src"},
    )  # fmt: skip
    told = [line.split(":", 3) for line in done.stdout.splitlines()]
    revealed = [text for _, _, kind, text in told if kind == " note" and "Revealed" in text]
    assert sorted(text.split('"')[1] for text in revealed) == [
        "deniable.notions.guarantees.PureDP", "float", "float", "float", "int | None",
    ]  # fmt: skip
    wrong = [each for each in told if each[2] == " error"]
    assert {Path(file).name for file, *_ in wrong} == {"wrong.py"}
    errors = {int(line): text for _, line, _, text in wrong}
    assert {line: text.rpartition("[")[2] for line, text in errors.items()} == {
        7: "call-arg]",
        8: "call-arg]",
        9: "arg-type]",
        10: "call-arg]",
        11: "attr-defined]",
        12: "attr-defined]",
        13: "call-arg]",
    }
