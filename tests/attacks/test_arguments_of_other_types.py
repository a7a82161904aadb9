"""Arguments of other types for every public function: a sentence names the argument, in Python too.

Each call below is good. Each of its arguments is then replaced by each wrong value: the answer is
that of a good value, or an error of ours.
"""

import contextlib
import inspect
import io
import warnings

import numpy as np
import pandas as pd
import pytest

import deniable
from deniable import ledger
from deniable.errors import DeniableError, InvalidArgument
from deniable.errors.validate import explain_calls
from tests.cases.effort import one_in
from tests.cases.refusals import refuses
from tests.cases.release_case import write_case

HISTORY = [(5.7, 0.14, 10)]
PRIOR = (0.1, 0.2)
SPEC = {"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [0.6, 0.4], "a": [0.4, 0.6]}}
WRONG = [
    "0.5", None, [], [1], True, np.array([0.1, 0.2]), np.array(0.5), pd.DataFrame({"a": [1]}),
    {"a": 1}, {1, 2}, float("nan"), 3, b"x", object(), "x", "\x00", complex(1, 2), int, lambda x: x,
]  # fmt: skip
CALLS = {
    "audit": {"target": "none.toml", "runs": 20, "confidence": 0.95, "delta": None},
    "calibrate": {"gamma": 2.0, "prior": PRIOR, "household": None, "odds_ratio": None},
    "calibrate_training": {
        "sample_rate": 0.16, "steps": 10, "delta": 1e-5, "max_posterior": 0.5, "prior": (0.0, 0.1),
    },
    "certify_training": {
        "history": HISTORY, "out": "new", "engine": "opacus", "batches": "poisson",
    },
    "check": {"path": "good", "population": None, "signed_by": None, "charts": False},
    "compare_training": {
        "noise_multiplier": 2.0, "epochs": 1, "steps_per_epoch": 5, "delta": 1e-5,
        "ways": ("poisson",),
    },
    "compose": {"guarantees": ["pure-dp:1", "pure-dp:2"], "exceedance": None, "prior": PRIOR},
    "derive": {"given": "pure-dp:1", "target": "attack-success", "prior": PRIOR},
    "dossier": {"source": "good", "regime": "gdpr", "baselines": [0.1], "out": None},
    "explain": {"epsilon": 1.0, "delta": 1e-6, "adjacency": "add-remove", "prior": PRIOR},
    "explain_accuracy": {"half_width": 10.0, "statistic": "count", "prior": PRIOR},
    "explain_guarantee": {"guarantee": "zcdp:.5", "exceedance": 1e-5, "prior": PRIOR},
    "explain_households": {"guarantee": 1.0, "size": 2, "odds_ratio": 2.0, "prior": (0, 0.1)},
    "explain_training": {"history": HISTORY, "delta": 1e-5, "prior": PRIOR, "engine": "opacus"},
    "explore": {"plan": "visits.toml", "out": "new.html", "data": None},
    "export": {"source": "good", "out": "new.xlsx", "to": "xlsx", "query": None},
    "gate": {"folder": "good", "max_posterior": "0.75", "person": (), "book": None},
    "new": {"source": "visits.csv", "base": None, "delimiter": ",", "encoding": "utf-8"},
    "plan": {"plan": "visits.toml", "ledger": None, "dataset": None, "solve": False},
    "preview": {"plan": "visits.toml", "memory_limit": "1GB"},
    "release": {
        "plan": "visits.toml", "out": "new", "memory_limit": "1GB", "progress": None,
        "confirm": None,
    },
    "risk": {"guarantee": "pure-dp:1", "baselines": [0.1], "household": None},
    "schema": {"name": "plan"},
    "sign": {"folder": "good", "key": "none"},
    "trade_off": {"given": "pure-dp:1", "rates": PRIOR},
    "unreadable": {"plan": "visits.toml", "memory_limit": "1GB"},
    "verify": {"spec": SPEC, "family": "independent-prior", "prior": PRIOR, "rate": None},
    "watch_batches": {
        "canaries": [[1, 3]], "batches": "poisson", "steps_per_epoch": 2, "epochs": 2,
        "sizes": None, "history": None,
    },
    "ledger.charge_guarantee": {"ledger": "a.ledger", "guarantee": "pure-dp:1e-9", "what": "x"},
    "ledger.check": {"ledger": "a.ledger", "certificates": []},
    "ledger.cost": {"ledger": "a.ledger", "spends": "visits.toml", "dataset": "d"},
    "ledger.export": {"ledger": "a.ledger", "dataset": "d"},
    "ledger.new": {"ledger": "new.ledger", "dataset": "d", "entity": "p", "epsilon": 1.0},
    "ledger.show": {"ledger": "a.ledger", "dataset": "d", "household": 2, "odds_ratio": 2.0},
    "ledger.void": {"ledger": "a.ledger", "charge": "00000000", "because": "x", "by": None},
}  # fmt: skip
SLOW = {"explore", "preview", "release", "unreadable", "verify"}
"""Functions that read data or search; they get some of the wrong values."""
LONG = {
    "audit", "calibrate_training", "certify_training", "check", "compare_training", "compose",
    "dossier", "export", "gate", "ledger.cost",
}  # fmt: skip
"""Functions that compute for a while; of their arguments each gets other wrong values."""
LISTENING = {"catalogue", "studio"}
"""One that takes no argument, and one that goes on until it is stopped."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_case(folder, target="epsilon = 900")
    deniable.release(folder / "visits.toml", folder / "good")
    ledger.new(folder / "a.ledger", "d", epsilon=5.0, entity="person")
    return folder


def function_of(name):
    topic, _, own = name.rpartition(".")
    return getattr(getattr(deniable, topic) if topic else deniable, own)


def test_every_public_function_is_here_and_explains_its_calls():
    public = {name for name in dir(deniable) if inspect.isfunction(getattr(deniable, name))}
    public |= {
        f"ledger.{name}" for name in dir(ledger) if inspect.isfunction(getattr(ledger, name))
    }
    assert public - LISTENING == set(CALLS)
    assert all(hasattr(function_of(name), "__wrapped__") for name in public)


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_named(name, files, monkeypatch, tmp_path):
    monkeypatch.chdir(files)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # a page without `out` stays there
    for turn, parameter in enumerate(CALLS[name]):
        some = one_in(2, WRONG[1::5], turn) if name in SLOW else WRONG
        for place, wrong in enumerate(one_in(4, WRONG, turn) if name in LONG else some):
            if callable(wrong) and parameter in ("confirm", "progress", "target"):
                continue  # which it then calls
            good = {
                key: str(tmp_path / f"{parameter}{place}{value}")
                if isinstance(value, str) and value.startswith("new")
                else value
                for key, value in CALLS[name].items()
            }
            with (
                contextlib.suppress(DeniableError, OSError),
                contextlib.redirect_stdout(io.StringIO()),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                function_of(name)(**good | {parameter: wrong})


def test_what_is_wrong_is_said_by_type_and_not_by_value(files, monkeypatch):
    monkeypatch.chdir(files)
    with refuses(InvalidArgument, "argument-as: confirm | release | bool"):
        deniable.release("visits.toml", "out", confirm=True)
    with refuses(InvalidArgument, "argument-as: memory_limit | preview | int"):
        deniable.preview("visits.toml", memory_limit=2_000_000_000)
    with refuses(InvalidArgument, "argument-as: rates | trade_off | float"):
        deniable.trade_off("pure-dp:1", rates=0.5)
    with refuses(InvalidArgument, "argument-as: spec | verify | list"):
        deniable.verify(["Meier Anna"], family="bounded")


def test_a_fault_of_ours_and_of_a_callback_stays_one():
    @explain_calls
    def count(number: int, tell: "Undefined" = print) -> None:  # noqa: F821
        tell(number.missing)

    with pytest.raises(AttributeError):
        count(3)
    with refuses(InvalidArgument, "argument-as: number | count | list"):
        count([3])
