"""A mechanism that holds a generator: blocks made elsewhere, or another day, draw other noise.

Who copies such a mechanism to a worker copies the generator's state, and each block would draw the
same noise. Then exact values repeat, and a sound mechanism would be called a liar.
"""

import functools
import random

import numpy as np
import pytest

from deniable import Effort, audit
from deniable.auditing.mechanism import mechanism_target
from deniable.auditing.models.target import model_target

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


def drawn(mechanism, seed):
    target = mechanism_target(mechanism, [1, 2])
    answers = target.draw(np.zeros((8, 1), dtype=bool), np.random.default_rng(seed))
    return answers.signals.ravel()


@pytest.mark.parametrize("name", HOLDING)
def test_blocks_never_share_noise_whoever_makes_them(name):
    """Each from the same state, as a worker gets it."""
    blocks = [drawn(HOLDING[name](), seed) for seed in range(3)]
    assert len(np.unique(blocks)) == 24


@pytest.mark.parametrize("name", [name for name in HOLDING if name != "system"])
def test_a_block_is_the_same_at_any_time_and_leaves_no_trace(name):
    mechanism = HOLDING[name]()
    first = drawn(mechanism, 1)
    mechanism([1, 2])  # something else was drawn meanwhile
    assert (drawn(mechanism, 1) == first).all()
    assert mechanism_target(mechanism, [1]).key == mechanism_target(HOLDING[name](), [1]).key


def test_trainings_never_share_noise():
    noise = np.random.default_rng(0)

    def losses(_model, _features, labels):
        return noise.random(len(labels))

    def fit(_features, _labels):
        return noise.random()

    target = model_target(fit, (np.zeros((4, 1)), np.arange(4.0)), losses=losses)
    bits, state = np.ones((2, 4), dtype=bool), noise.bit_generator.state
    blocks = [target.draw(bits, np.random.default_rng(seed)) for seed in range(2)]
    assert noise.bit_generator.state == state
    assert len(np.unique(blocks)) == 16


@pytest.mark.parametrize("way", ["workers", "resumed"])
def test_a_sound_mechanism_is_not_called_a_liar(way, tmp_path):
    people, claimed = [1] * 10, "pure-dp:1.0@add-remove"
    if way == "workers":
        answer = audit(closed_over(), people, claimed=claimed, runs=2000, effort=Effort(workers=2))
        assert answer.verdict != "violated"
        return
    whole = audit(closed_over(), people, claimed=claimed, runs=400)
    audit(closed_over(), people, runs=400, effort=Effort(checkpoint=tmp_path))
    for each in sorted(tmp_path.rglob("part-*"))[50:]:
        each.unlink()
    again = audit(
        closed_over(), people, claimed=claimed, runs=400, effort=Effort(checkpoint=tmp_path)
    )
    assert again == whole


def with_code(text):
    """The function `mechanism` of a module with this text."""
    names = {"__name__": "theirs"}
    exec(text, names)
    return names["mechanism"]


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


@pytest.mark.parametrize("name", CHANGES)
def test_kept_runs_of_a_mechanism_that_was_changed_since_are_not_taken(name):
    def key(text):
        return mechanism_target(with_code(text), [1, 2]).key

    assert MODULE.replace(*CHANGES[name]) != MODULE
    assert key(MODULE) == key(MODULE)
    assert key(MODULE) != key(MODULE.replace(*CHANGES[name]))


def test_long_lists_are_told_apart_to_their_end():
    def holding(last):
        values = [0] * 100_000 + [last]
        return lambda data: len(data) + values[-1]

    assert mechanism_target(holding(1), [1]).key != mechanism_target(holding(2), [1]).key
