"""A `pathlib.Path` is taken wherever the same path is taken as text, by every public function."""

import contextlib
import inspect
import io
import shutil
import warnings
from pathlib import Path

import pandas as pd
import pytest

import deniable
from deniable import rules
from deniable.errors import DeniableError
from tests.attacks.test_arguments_of_other_types import CALLS, function_of
from tests.attacks.test_five_wrong_values import TRIED, good_call, write_files
from tests.cases.effort import one_in

UNTYPED = {
    "audit": ("target", "data"), "certify_training": ("history",), "explain_training": ("history",),
    "explore": ("plan",), "new": ("source",), "plan": ("plan", "ledger"), "preview": ("plan",),
    "population.gaussian": ("data",), "population.laplace": ("data",),
    "population.discrete_gaussian": ("data",), "population.discrete_laplace": ("data",),
    "population.exponential": ("data", "candidates", "losses"), "population.noise_curve": ("data",),
    "release": ("plan", "ledger"), "rules.judge": ("tables",), "rules.judge_values": ("tables",),
    "rules.book.add": ("tables",), "serve.Session": ("plan",), "unreadable": ("plan",),
    "watch_batches": ("history",), "gwas.scan": ("prefix",), "gwas.Filters": ("panel",),
    "ledger.cost": ("spends",),
}  # fmt: skip
"""Parameters that may be paths although their types do not say so."""


def arguments():
    """Each parameter of a public function or class that may be a path."""
    for name in [*CALLS, *TRIED]:
        value = TRIED.get(name) or function_of(name)
        for each in inspect.signature(value).parameters.values():
            if "Path" in str(each.annotation) or each.name in UNTYPED.get(name, ()):
                yield name, each.name


def outcome(name, parameter, path):
    """What a good call does with a path as one of its arguments: nothing, or an error."""
    value = TRIED.get(name) or function_of(name)
    args, named = ((), CALLS[name]) if name in CALLS else good_call(name)
    signature = inspect.signature(value)
    given = dict(signature.bind_partial(*args, **named).arguments)
    is_several = signature.parameters[parameter].kind is inspect.Parameter.VAR_POSITIONAL
    given[parameter] = (path,) if is_several else path
    bound = inspect.BoundArguments(
        signature, {key: given[key] for key in signature.parameters if key in given}
    )
    try:
        with warnings.catch_warnings(action="ignore"), contextlib.redirect_stdout(io.StringIO()):
            value(*bound.args, **bound.kwargs)
    except (DeniableError, OSError) as error:
        return type(error), str(error)
    return None


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.mark.parametrize(("name", "parameter"), [*arguments()])
def test_a_path_does_what_its_text_does(name, parameter, files, tmp_path, monkeypatch):
    outcomes, turn = [], [*arguments()].index((name, parameter))
    for kind in (str, Path):
        folder = tmp_path / kind.__name__
        shutil.copytree(files, folder)
        monkeypatch.chdir(folder)
        good = CALLS.get(name, {}).get(parameter)
        others = one_in(2, ["note.txt", "new.file"], turn)
        for text in {*others, good if isinstance(good, str) else "study"}:
            outcomes.append((text, outcome(name, parameter, kind(text))))
    half = len(outcomes) // 2
    assert sorted(outcomes[:half], key=str) == sorted(outcomes[half:], key=str)


PLAN = {
    "data": {"source": "data.csv"},
    "target": {"epsilon": 1.0},
    "query": [{"name": "q", "statistic": "count", "group_by": ["ward"]}],
}


def test_a_path_stands_in_a_dictionary_where_its_text_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("ward\na\n", encoding="utf-8")
    Path("keys.txt").write_text("a\n", encoding="utf-8")
    Path("p.csv").write_text("count,noise,probability\n0,0,1\n1,0,0.5\n1,1,0.5\n", encoding="utf-8")
    pd.DataFrame({"r": ["x"], "size": [9]}).to_csv("sizes.csv", index=False)
    pd.DataFrame({"r": ["x"], "n": [8]}).to_csv("table.csv", index=False)
    answers = []
    for kind in (str, Path):
        plan = PLAN | {
            "data": {"source": kind("data.csv")},
            "keys": {"ward": {"file": kind("keys.txt")}},
        }
        judged = {
            "sizes": {"file": kind("sizes.csv")}, "adversary": {"prior": [0.25, 0.5]},
            "rule": {"steps": [{"cell_key": kind("p.csv")}]},
            "table": [{"columns": ["r"], "count": "n"}],
        }  # fmt: skip
        answers.append((
            deniable.plan(plan).as_json(), rules.judge(judged, kind("table.csv")).as_json(),
            deniable.new(kind("data.csv")),
        ))  # fmt: skip
    assert answers[0] == answers[1]
