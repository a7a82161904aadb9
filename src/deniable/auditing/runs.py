"""What an attack sees of many independent runs, and what produces it."""

import hashlib
import inspect
import random  # noqa: TID251 - a foreign function's global generator is seeded
import traceback
from collections import abc
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.exact import Exact, digest_code
from deniable.computing import parallel
from deniable.computing.parallel import Arrays
from deniable.errors import DeniableError, InvalidArgument
from deniable.errors.validate import format_value
from deniable.numerics.effort import Effort, Generator, OutOfTime

Bits: TypeAlias = NDArray[np.bool_]
Signals: TypeAlias = NDArray[np.float64]


@attrs.frozen(eq=False)
class Runs:
    """Independent runs of one target.

    `members`, (n_runs, n_records), are fair coins, independent of each other in every run: was the
    record used? `signals`, (n_runs, n_records, n_signals), are what somebody from outside sees
    about it: published numbers, or losses; `exact` is what float64 loses of these. A mechanism or a
    release has one record, whose bit says which of two neighbours was used; a model has as many
    records as it may have been trained on.
    """

    members: Bits
    signals: Signals
    exact: Exact | None = None

    def __attrs_post_init__(self) -> None:
        """Refuse arrays of different runs or records."""
        if self.members.ndim != 2 or self.signals.shape[:-1] != self.members.shape:
            raise InvalidArgument(
                f"Expected signals of shape (n_runs, n_records, n_signals) for members of shape "
                f"{self.members.shape}, got signals of shape {self.signals.shape}."
            )
        if self.exact is not None and self.exact.words.shape[:3] != self.signals.shape:
            raise InvalidArgument(
                f"Expected words of shape {self.signals.shape} and more, as the signals, got "
                f"{self.exact.words.shape}."
            )

    def __getitem__(self, runs: slice) -> "Runs":
        """Some of the runs."""
        exact = None if self.exact is None else self.exact[runs]
        return Runs(self.members[runs], self.signals[runs], exact)

    @property
    def width(self) -> int:
        """Numbers of 8 bytes that a run holds for each record."""
        parts = self.signals.shape[2]
        if self.exact is None:
            return int(parts)
        texts = 0 if self.exact.texts is None else self.exact.texts.shape[2] // _NUMBER
        return int(parts + self.exact.codes.shape[2] + parts * self.exact.words.shape[3] + texts)

    @property
    def outputs(self) -> Exact:
        """The outputs by themselves, whatever they are."""
        return Exact.of(self.signals) if self.exact is None else self.exact

    def scores(self, score: "Scorer") -> "Scores":
        """Scores of all runs, (n_runs, n_records); runs of one record with one output share one."""
        first, place = self._distinct
        if 2 * len(first) > len(self.members):
            return score(self.signals, self.exact)
        exact = None if self.exact is None else self.exact[first]
        return score(self.signals[first], exact)[place]

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first run with each output, and the output's place for each run."""
        runs, records = self.members.shape
        if records != 1:
            return np.arange(runs), np.arange(runs)
        codes = self.outputs.codes[:, 0].view(np.uint64)
        # Sums of products that wrap around: different rows share one with a chance of 2^-63.
        factors = [digest_code(str(column).encode()) | 1 for column in range(codes.shape[1])]
        mixed = codes ^ codes >> np.uint64(32)
        keys = (mixed * np.array(factors).view(np.uint64)).sum(axis=1)
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        return first, place


@attrs.frozen(eq=False)
class Answers:
    """Outputs of a target that are not, or not all, floats.

    A signal is rounded where it is longer than a float.
    """

    signals: Signals
    exact: Exact


class Target(Protocol):
    """Something that can be run as often as one likes."""

    @property
    def records(self) -> int:
        """How many records have a bit in every run."""

    @property
    def key(self) -> str:
        """A text that differs between targets whose first runs may be the same."""

    def draw(self, members: Bits, generator: Generator) -> Signals | Answers:
        """Signals of one run a row of members; (n_runs, n_records) -> (n_runs, n_records, n).

        Whose outputs are no floats gives `Answers`, so that nothing is rounded before an attack
        may look at it.

        The answer of a row may depend on the row and on randomness of the target only.
        """


Scores: TypeAlias = NDArray[np.float64]


class ForeignTarget:
    """A target that runs a function of somebody else's, whose code is not looked at."""


class Scorer(Protocol):
    """Gives a score to each run and record; higher says "in".

    The score of a run depends on the outputs of that run and on the pilot runs only.
    """

    def __call__(self, signals: Signals, exact: Exact | None = None, /) -> Scores:
        """Scores of outputs; (n_runs, n_records, n_signals) -> (n_runs, n_records).

        Outputs that are no floats come exactly, too.
        """


class Attack(Protocol):
    """A way to tell with the record from without."""

    @property
    def name(self) -> str:
        """The same in every audit, with hyphens."""

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""


RunSpan: TypeAlias = tuple[int, int]
"""First run and the run after the last."""

_BLOCKS = 100
"""Blocks of a short audit, about: what an interruption loses is one in a hundred."""
_FIRST, _GROWTH = 200, 16
"""Runs of the first blocks at most, and the share of those before by which blocks of long audits
grow: an audit that bets may end after each."""
_MOST_CELLS = 2**20
"""Coins of one block, runs times records: 8 MB for each signal of a record."""
_NUMBER = 8
"""Bytes of a number."""
_COINS, _TARGET = 0, 1
"""Places of the random numbers: the coins of a block, and what its runs may use."""
_SEEDS = 2**32
"""Seeds of a generator: what all of them take is 32 bits."""
_OURS = Path(__file__).parents[1]
"""The folder of this package: what is wrong with a target is at none of its lines."""


@contextmanager
def global_generators(generator: Generator) -> abc.Iterator[None]:
    """Seed the global generators of NumPy and Python by the run's own, and restore them afterwards.

    Else each worker, and each day that goes on with kept runs, would start from the same state and
    draw the same noise once more: runs would depend on each other, and their counts prove nothing.
    """
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: TID251 - restored
    np.random.seed(generator.integers(_SEEDS))  # noqa: TID251 - simulation only
    random.seed(int(generator.integers(_SEEDS)))
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: TID251 - as it was
        random.setstate(python_state)


class TargetFailed(Exception):
    """A target's function raised its cause, whose message may quote the data."""


@contextmanager
def foreign_code() -> abc.Iterator[None]:
    """Mark all that a target's function raises: an error of this library as any other."""
    try:
        yield
    except (KeyboardInterrupt, OutOfTime):
        raise
    except BaseException as error:
        raise TargetFailed from error


def check_call(function: Any, wanted: str, *given: Any, **named: Any) -> None:
    """Refuse what is no function of such arguments, or answers later."""
    if not callable(function):
        is_shown = isinstance(
            function, int | float | str
        )  # not of data, whose values are somebody's
        got = format_value(function) if is_shown else type(function).__name__
        raise InvalidArgument(f"Expected {wanted}, got {got}.")
    name = getattr(function, "__qualname__", type(function).__qualname__)
    later = inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction
    if any(is_later(function) for is_later in later):
        raise InvalidArgument(
            f"Expected {wanted}, got {name}, which is async or yields. Return the answer itself."
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C tell no signature
        return
    own = [
        each.replace(default=each.empty, annotation=each.empty)  # which may be of somebody's data
        for each in signature.parameters.values()
    ]
    try:
        signature.bind(*given, **named)
    except TypeError:
        raise InvalidArgument(
            f"Expected {wanted}, got {name}{inspect.Signature(own)}. Wrap it in such a function."
        ) from None


@attrs.frozen
class _Block:
    """One block; its result depends on the target, the seed and its place only."""

    target: Target
    seed: int
    number: int
    span: RunSpan
    runs: int


def spans(runs: int, records: int) -> list[RunSpan]:
    """Blocks of all runs, whose sizes depend on what is asked for and on nothing else."""
    # One ends with the first half of the runs.
    most = max(1, min(2**14, _MOST_CELLS // records))  # Runs of one block: a progress bar moves.
    first, half = min(most, _FIRST, -(-runs // _BLOCKS)), -(-runs // 2)
    growth = _GROWTH if first == _FIRST else runs
    places: list[RunSpan] = []
    start = 0
    while start < runs:
        end = start + max(first, min(most, start // growth))
        end = min(end, half if start < half else runs)
        places.append((start, end))
        start = end
    return places


def made(target: Target, runs: int, effort: Effort) -> abc.Generator[Runs, None, None]:
    """Runs of a target in their order, a block at a time."""
    # The same for one target, seed and number of runs, where all randomness of the target comes
    # from the generator that it is given. With `workers`, a `scheduler` or a `checkpoint` a foreign
    # target that has other randomness is refused. The end of the time is the caller's.
    places = spans(runs, target.records)
    tasks = [_Block(target, effort.seed, i, place, runs) for i, place in enumerate(places)]
    # a key may be long to find: the target's own is asked for once, and where runs are kept
    key = "" if effort.checkpoint is None else target.key
    is_shared = effort.workers > 1 or effort.scheduler is not None or effort.checkpoint is not None
    if is_shared and isinstance(target, ForeignTarget):
        key += _fingerprint(tasks[0], tasks[-1].span[1])
    keys = [f"{key} {effort.seed} {runs} {target.records} {i}" for i in range(len(tasks))]
    results = parallel.blocks(_made, tasks, effort, name="audit", keys=keys)
    width: int | None = None
    for (start, end), arrays in zip(places, results, strict=True):
        signals: Signals = arrays["signals"]
        if width is not None and signals.shape[2] != width:
            raise InvalidArgument(
                f"Expected {width} numbers from every run of the target, got {signals.shape[2]} "
                f"in runs {start + 1:,} to {end:,}. Make every answer of one shape."
            )
        width = signals.shape[2]
        exact = None
        if "codes" in arrays:
            exact = Exact(arrays["codes"], arrays["words"], arrays.get("texts"))
        yield Runs(arrays["members"], signals, exact)


def _fingerprint(block: _Block, runs: int) -> str:
    """A digest of as many first runs as of all, which the same random numbers give again."""
    # A target that holds a generator of its own would be copied with it to each worker, and start
    # from the same state on each day.
    first = attrs.evolve(block, span=(0, min(runs, max(_FIRST // block.target.records, 1))))
    one, other = _made(first), _made(first)
    if "codes" in one:
        answers = one["codes"]
        is_same = np.array_equal(answers, other["codes"])
    else:
        # Decimals of a loss, in nats, that tell trainings apart: threads add up in any order.
        answers, again = (np.round(each["signals"], 6) for each in (one, other))
        is_same = answers.shape == again.shape and np.allclose(answers, again, 0, 2e-6)
    if not is_same:
        raise InvalidArgument(
            "Expected the same answers from the same random numbers where workers share the runs "
            "or a checkpoint keeps them, got others. Take all randomness from rng (a model: seed), "
            "carry nothing from call to call, or leave out workers, scheduler and checkpoint."
        )
    return hashlib.sha256(answers.tobytes()).hexdigest()[:32]


def _made(block: _Block) -> Arrays:
    (start, end), effort = block.span, Effort(seed=block.seed)
    coins = effort.generator(_COINS, block.number)
    members = coins.integers(0, 2, size=(end - start, block.target.records)).astype(bool)
    generator = effort.generator(_TARGET, block.number)
    try:
        drawn = block.target.draw(members, generator)
        exact = drawn.exact if isinstance(drawn, Answers) else None
        signals = drawn.signals if isinstance(drawn, Answers) else np.asarray(drawn, np.float64)
    except (DeniableError, KeyboardInterrupt, MemoryError, OutOfTime):
        raise
    except BaseException as error:
        raise InvalidArgument(
            f"Expected an answer from every run of the target, got {_failed(block, members, error)}"
            ". Mend the target; its own message is not shown, as it may quote the data."
        ) from error
    if signals.ndim != 3 or signals.shape[:2] != members.shape or not signals.shape[2]:
        raise InvalidArgument(
            f"Expected signals of shape ({len(members)}, {members.shape[1]}, n) with n >= 1 from "
            f"the target, got shape {signals.shape}. Answer one row of numbers a run and record."
        )
    missing = np.isnan(signals).any(axis=(1, 2))
    if missing.any():
        run = start + int(missing.argmax()) + 1
        raise InvalidArgument(
            f"Expected numbers from the target, got NaN in run {run:,} of {block.runs:,}. Answer "
            "with a number of your choice where there is none."
        )
    arrays = {"members": members, "signals": signals}
    if exact is not None:
        arrays |= {"codes": exact.codes, "words": exact.words}
        arrays |= {} if exact.texts is None else {"texts": exact.texts}
    return arrays


def _failed(block: _Block, members: Bits, error: BaseException) -> str:
    """What was raised in which run and where, found by running them one by one."""
    start, end = block.span
    generator = Effort(seed=block.seed).generator(_TARGET, block.number)
    for row in range(len(members)):
        try:
            block.target.draw(members[row : row + 1], generator)
        except (KeyboardInterrupt, OutOfTime):
            raise
        except BaseException as again:
            return _raised(again, f"run {start + row + 1:,} of {block.runs:,}")
    return _raised(error, f"one of runs {start + 1:,} to {end:,} of {block.runs:,}")


def _raised(error: BaseException, run: str) -> str:
    """Its type and place; its message may quote a record."""
    if isinstance(error, TargetFailed) and error.__cause__ is not None:
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if not Path(each.filename).is_relative_to(_OURS)]
    place = (
        f"at {Path(own[-1].filename).name}:{own[-1].lineno}" if own else "where Deniable calls it"
    )
    return f"{type(error).__name__} in {run} {place}"
