"""A mechanism with a generator of its own: no worker and no kept run ever copies it.

Who copies such a mechanism copies the generator's state, and each block would draw the same noise.
Then exact values repeat, and a sound mechanism would be called a liar. So it is refused where
workers share the runs or a folder keeps them, and stays in one process elsewhere.
"""

import functools
import random
import shutil

import numpy as np
import pytest

from deniable import Effort, audit
from deniable.auditing.mechanism import mechanism_target
from deniable.auditing.models.target import model_target
from deniable.auditing.runs import made
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses

GLOBAL = np.random.default_rng(0)
SHELF = {"spare": [np.random.RandomState(0)]}
SCALE = 1.0


def by_global(data):
    return len(data) + GLOBAL.laplace()


def by_shelf(data):
    return len(data) + SHELF["spare"][0].laplace()


def by_helper(data):
    return by_global(data)


def by_default(data, *, noise=np.random.default_rng(0)):  # noqa: B008 - what people write
    return len(data) + noise.laplace()


def given(noise, data):
    return len(data) + noise()


class Holder:
    """A mechanism with a generator of its own."""

    def __init__(self, noise):
        self.noise = noise

    def __call__(self, data):
        return len(data) + self.noise.normal()

    def answer(self, data):
        return self(data)


class Slotted:
    """One that has no dictionary."""

    __slots__ = ("noise",)

    def __init__(self):
        self.noise = random.Random(0)

    def __call__(self, data):
        return len(data) + self.noise.gauss(0, 1)


class OfClass:
    """One whose class holds it."""

    noise = np.random.default_rng(0)

    def __call__(self, data):
        return len(data) + self.noise.laplace()


def closed_over():
    noise = np.random.default_rng(0)
    return lambda data: len(data) + noise.laplace()


HOLDING = {
    "global": lambda: by_global,
    "in a list of a dictionary": lambda: by_shelf,
    "of a helper": lambda: by_helper,
    "default": lambda: by_default,
    "closure": closed_over,
    "object": lambda: Holder(np.random.default_rng(0)),
    "object, old generator": lambda: Holder(np.random.RandomState(0)),
    "object, other bits": lambda: Holder(np.random.Generator(np.random.Philox(0))),
    "bound method": lambda: Holder(np.random.default_rng(0)).answer,
    "slots": Slotted,
    "class": OfClass,
    "partial, bound method": lambda: functools.partial(given, np.random.default_rng(0).laplace),
    "partial, python's": lambda: functools.partial(given, random.Random(0).random),
    "system": lambda: functools.partial(given, random.SystemRandom().random),
}


REFUSED = "from-same-random-numbers"


def drawn(target, seeds):
    bits = np.zeros((8, target.records), bool)
    return [target.draw(bits, np.random.default_rng(seed)) for seed in seeds]


@pytest.mark.parametrize("name", HOLDING)
def test_it_is_refused_before_anybody_copies_it(name, tmp_path):
    target = mechanism_target(HOLDING[name](), [1, 2])
    for effort in (Effort(workers=2), Effort(checkpoint=tmp_path)):
        with refuses(InvalidArgument, REFUSED):
            list(made(target, 40, effort))


@pytest.mark.parametrize("name", HOLDING)
def test_blocks_of_one_process_never_share_noise(name):
    blocks = drawn(mechanism_target(HOLDING[name](), [1, 2]), range(3))
    assert len(np.unique([each.signals for each in blocks])) == 24


def test_trainings_never_share_noise(tmp_path):
    noise = np.random.default_rng(0)

    def losses(_model, _features, labels):
        return noise.random(len(labels))

    def fit(_features, _labels):
        return noise.random()

    target = model_target(fit, (np.zeros((4, 1)), np.arange(4.0)), losses=losses)
    assert len(np.unique(drawn(target, range(2)))) == 64
    for effort in (Effort(workers=2), Effort(checkpoint=tmp_path)):
        with refuses(InvalidArgument, REFUSED):
            list(made(target, 40, effort))


def from_rng(data, rng):
    return len(data) + rng.laplace()


@pytest.mark.parametrize("way", ["one process", "workers", "resumed"])
def test_a_sound_mechanism_is_not_called_a_liar(way, tmp_path):
    people, claimed = [1] * 10, "pure-dp:1.0@add-remove"
    if way == "one process":
        assert audit(closed_over(), people, claimed=claimed, runs=2000).verdict != "violated"
        return
    if way == "workers":
        with refuses(InvalidArgument, REFUSED):
            audit(closed_over(), people, claimed=claimed, runs=2000, effort=Effort(workers=2))
        answer = audit(from_rng, people, claimed=claimed, runs=2000, effort=Effort(workers=2))
        assert answer.verdict != "violated"
        return
    whole = audit(from_rng, people, claimed=claimed, runs=400)
    audit(from_rng, people, runs=400, effort=Effort(checkpoint=tmp_path))
    for each in sorted(tmp_path.rglob("part-*"))[50:]:
        each.unlink()
    again = audit(from_rng, people, claimed=claimed, runs=400, effort=Effort(checkpoint=tmp_path))
    assert again == whole


def with_code(text):
    """The function `mechanism` of a module with this text."""
    names = {"__name__": "theirs"}
    exec(text, names)
    return names["mechanism"]


RUNS = 2000
"""So that 20 make the first block, by which kept runs are known: of data with and without."""


def answers(mechanism, **effort):
    target = mechanism_target(mechanism, [1, 2])
    return np.concatenate([each.signals for each in made(target, RUNS, Effort(seed=1, **effort))])


MODULE = """
SCALE, WORDS = 1.0, ("a", "b")
class Rounder:
    step = 1
    def round(self, x):
        return x // 2
def helper(x):
    return x + SCALE
def mechanism(data, *, more=0):
    if len(data) in {"x", "y", "z", "w"}:
        return [w for w in WORDS]
    return Rounder().round(helper(len(data)))
"""
CHANGES = {
    "a constant": ("1.0", "2.0"),
    "a word": ('"b"', '"c"'),
    "a helper": ("x + SCALE", "x - SCALE"),
    "a method": ("x // 2", "x // 3"),
    "an option": ("more=0", "more=1"),
    "its own code": ("len(data)))", "len(data) + 1))"),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with the runs of a mechanism, which are taken up again."""
    folder = tmp_path_factory.mktemp("kept") / "runs"
    first = answers(with_code(MODULE), checkpoint=folder)
    assert (answers(with_code(MODULE), checkpoint=folder) == first).all()
    return folder


@pytest.mark.parametrize("name", CHANGES)
def test_kept_runs_are_never_those_of_another_mechanism(name, kept, tmp_path):
    changed = MODULE.replace(*CHANGES[name])
    assert changed != MODULE
    folder = shutil.copytree(kept, tmp_path / "runs")
    expected = answers(with_code(changed))
    assert (answers(with_code(changed), checkpoint=folder) == expected).all()


def test_kept_runs_are_never_those_of_another_long_list(tmp_path):
    def holding(last):
        values = [0] * 100_000 + [last]
        return lambda data: len(data) + values[-1]

    first, other = (answers(holding(last), checkpoint=tmp_path) for last in (1, 2))
    assert (other == first + 1).all()
