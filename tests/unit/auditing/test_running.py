import itertools
import os
import re

import attrs
import numpy as np
import pytest

from deniable.auditing.runs import made, spans
from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort
from tests.cases.prose import refusal_of


@attrs.frozen(eq=False)
class Noisy:
    """The bit with noise, by the generator that it is given."""

    records: int = 1
    key: str = "noisy"
    calls: str | None = None

    def draw(self, members, generator):
        if self.calls:
            with open(self.calls, "a", encoding="utf-8") as file:
                file.write(f"{len(members)}\n")
        noise = generator.normal(size=(*members.shape, 2))
        return noise + members[..., None]


@attrs.frozen(eq=False)
class Failing(Noisy):
    """Fails in one run, which it knows by how many rows it has answered one by one."""

    fault: type[BaseException] = ValueError
    folder: str = ""
    at: int = 6

    def draw(self, members, generator):
        if len(members) > 1:
            raise self.fault("Anna, 34")
        rows = len(os.listdir(self.folder))
        if rows == self.at:
            raise self.fault("Anna, 34")
        open(os.path.join(self.folder, str(rows)), "x", encoding="utf-8").close()
        return super().draw(members, generator)


def whole(target, runs, effort):
    parts = list(made(target, runs, effort))
    return (
        np.concatenate([each.members for each in parts]),
        np.concatenate([each.signals for each in parts]),
    )


@pytest.mark.parametrize(("runs", "records"), [(1, 1), (7, 3), (1_000, 1), (10**6, 1), (9, 10**7)])
def test_blocks_are_every_run_once_and_small_enough(runs, records):
    found = spans(runs, records)
    assert found[0][0] == 0
    assert found[-1][1] == runs
    assert all(end == start for (_, end), (start, _) in itertools.pairwise(found))
    assert all(0 < end - start <= max(1, 2**20 // records) for start, end in found)


@pytest.mark.parametrize("workers", [1, 2])
def test_runs_depend_on_target_and_seed_only(workers, tmp_path):
    members, signals = whole(Noisy(3), 150, Effort(seed=4))
    assert members.shape == (150, 3)
    again = whole(Noisy(3), 150, Effort(seed=4, workers=workers, checkpoint=tmp_path))
    assert np.array_equal(members, again[0])
    assert np.array_equal(signals, again[1])
    other, _ = whole(Noisy(3), 150, Effort(seed=5))
    assert not np.array_equal(members, other)


def test_coins_are_fair_and_independent_of_each_other():
    members, _ = whole(Noisy(4), 20_000, Effort(seed=1))
    # 6.5 standard deviations of each mean: by Hoeffding false once in 1e9, for all ten together
    assert np.abs(members.mean(axis=0) - 0.5).max() < 6.5 / 2 / np.sqrt(20_000)
    signs = 2.0 * members - 1
    products = signs.T @ signs / 20_000 - np.eye(4)
    assert np.abs(products).max() < 6.5 / np.sqrt(20_000)


def test_what_was_made_is_not_made_again_and_another_target_is(tmp_path):
    calls = tmp_path / "calls"
    effort = Effort(checkpoint=tmp_path / "kept")
    first = made(Noisy(calls=str(calls)), 100, effort)
    for _ in range(10):
        next(first)
    first.close()
    done = len(calls.read_text("utf-8").split())
    kept = whole(Noisy(calls=str(calls)), 100, effort)
    assert len(calls.read_text("utf-8").split()) == 100
    assert done >= 10
    assert np.array_equal(kept[1], whole(Noisy(), 100, Effort())[1])
    list(made(Noisy(key="another", calls=str(calls)), 100, effort))
    assert len(calls.read_text("utf-8").split()) == 200


@pytest.mark.parametrize("fault", [ValueError, SystemExit, OSError, ZeroDivisionError])
def test_a_run_that_fails_is_named_and_its_words_are_not_shown(fault, tmp_path):
    target = Failing(fault=fault, folder=str(tmp_path), at=6)
    with pytest.raises(InvalidArgument) as raised:
        whole(target, 1_000, Effort())
    told = refusal_of(str(raised.value))
    assert told.got == f"{fault.__name__} in run 7 of 1,000"
    assert re.fullmatch(r"test_running\.py:\d+", told.place)
    assert "Anna" not in str(raised.value)


@attrs.frozen(eq=False)
class Saying(Noisy):
    """Answers what it is told to."""

    said: str = ""

    def draw(self, members, generator):
        signals = super().draw(members, generator)
        match self.said:
            case "nothing":
                return None
            case "words":
                return np.full(signals.shape, "1,5 kg")
            case "no numbers":
                return signals[..., :0]
            case "one row":
                return signals[:1]
            case "flat":
                return signals[..., 0]
            case "one NaN":
                signals[-1, 0, 0] = np.nan
            case "wider" if generator.random() < 0.5:
                return np.concatenate([signals, signals], axis=2)
        return signals


@pytest.mark.parametrize(
    "said", ["nothing", "words", "no numbers", "one row", "flat", "one NaN", "wider"]
)
def test_what_is_no_row_of_numbers_is_refused_in_one_sentence(said):
    with pytest.raises(InvalidArgument) as raised:
        whole(Saying(said=said), 1_000, Effort())
    told = str(raised.value)
    assert refusal_of(told).got
    assert "\n" not in told
    assert "kg" not in told
