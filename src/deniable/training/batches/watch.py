"""Whether a trainer draws its batches as it says, by where a few records stood."""

from __future__ import annotations

import itertools
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
from scipy import special, stats

from deniable.certificate.json_documents import naming, read_document
from deniable.errors import InvalidArgument, validate
from deniable.numerics.answer import Answer, fields_of, round_outwards
from deniable.training.batches.batched import OF_ALLOCATION, OF_SHUFFLES, Batches, way_of
from deniable.training.history import read_history, says_how_it_drew, stated_batches

_OF_FIXED_SIZE = (*OF_SHUFFLES, Batches.FIXED_ORDER, Batches.WITHOUT_REPLACEMENT)
_ANEW = (Batches.POISSON, Batches.WITHOUT_REPLACEMENT)
_MOST_RECORDS = 2**53
"""Records that a float counts."""


@attrs.frozen(repr=False)
class WatchedBatches(Answer):
    """What the steps in which some records stood say of how batches were drawn.

    Parameters
    ----------
    claimed : Batches
        The way that the trainer says.
    chances : dict of Batches to float
        At most how probable something as strange is, if batches are drawn so.
    false_alarm : float
        Level: a right claim is doubted with at most this probability.
    """

    claimed: Batches
    chances: dict[Batches, float]
    false_alarm: float

    @property
    def possible(self) -> tuple[Batches, ...]:
        """Ways that are not ruled out at this level; some cannot be told from one run."""
        return tuple(way for way, chance in self.chances.items() if chance > self.false_alarm)

    @property
    def warning(self) -> str | None:
        """What is wrong with the claim, in a sentence; None where nothing is seen."""
        if self.claimed in self.possible:
            return None
        seen = " or ".join(self.possible) or "none of the ways that are known"
        return (
            f"Batches were not drawn as claimed ({self.claimed}): what was seen has a probability "
            f"of at most {round_outwards(self.chances[self.claimed], 2)} then. It fits {seen}."
        )

    def as_json(self) -> dict[str, Any]:
        """The object of it."""
        return fields_of(self, "claimed", "chances", "possible", "false_alarm", "warning")


def watch_batches(
    canaries: Sequence[Sequence[int]] | Mapping[str, Any] | str | os.PathLike[str],
    *,
    batches: str | None = None,
    steps_per_epoch: int | None = None,
    epochs: int | None = None,
    sizes: Sequence[int] | None = None,
    records: int | None = None,
    history: Any = None,
    false_alarm: float = 1e-3,
) -> WatchedBatches:
    """Compare the steps of a few records in a run with the stated way of drawing batches.

    Parameters
    ----------
    canaries : sequence of sequences of int, mapping or path
        For each watched record the steps, counted from 0 over the whole run, whose batch held it.
        Or a trainer's log, as a mapping or a JSON file: "canaries", and the next five by name.
    batches : str
        The way of drawing that is claimed.
    steps_per_epoch, epochs : int
        T and E of the run.
    sizes : sequence of int
        How many records each step had, and `records`, n; without them allocation is not told from
        a shuffle.
    history : path, mapping, BatchedTraining or event
        A history that states how batches were drawn, in place of `batches`, T and E; the claim is
        the history's, whatever else says. So is the rate of samples, which is 1/T without it.
    false_alarm : float
        Level of the test: how probable a warning may be where the claim is right.

    Raises
    ------
    InvalidArgument
        If a number is out of range, a step is not of the run, a log contradicts what stands beside
        it, or nobody says what is claimed.

    Notes
    -----
    Ways that put a record into one step of an epoch are ruled out where it stood in several, or in
    none; a shuffle, in none more often than if it drops a rest that fills no batch. Poisson samples
    give that number a binomial law, and new orders the number of times that a record keeps its
    step: exact tails, and a union bound over all that is tested. Records that share batches of a
    fixed size are negatively associated (joag-dev-proschan-1983), so that Chernoff's bound for
    independent ones holds for how often they were in no step, or in several.
    Sizes that vary rule out fixed ones; sizes of first steps that are all the same have a
    probability of at most p^(E − 1) where they are binomial, p their largest probability.

    Examples
    --------
    >>> seen = watch_batches([[3, 11, 24, 37]], batches="poisson", steps_per_epoch=10, epochs=4)
    >>> seen.warning is None
    True
    """
    if isinstance(canaries, str | os.PathLike):
        document = read_document(Path(canaries), "a log of batches")
        with naming(canaries):
            return watch_batches(
                document if isinstance(document, Mapping) else {}, batches=batches,
                steps_per_epoch=steps_per_epoch, epochs=epochs, sizes=sizes, records=records,
                history=history, false_alarm=false_alarm,
            )  # fmt: skip
    stated: dict[str, Any] = {
        "batches": batches, "steps_per_epoch": steps_per_epoch, "epochs": epochs,
        "sizes": sizes, "records": records,
    }  # fmt: skip
    if isinstance(canaries, Mapping):
        stated = _read_log(canaries, stated)
    else:
        stated |= {"canaries": canaries}
    rate: float | None = None
    if history is not None:
        claim, rate = _claim_of(history, stated)
        stated |= claim
    if stated["batches"] is None:
        raise InvalidArgument(
            "Expected `batches`, or a history that states how batches were drawn, got none. Say "
            f"what the trainer claims: {', '.join(Batches)}."
        )
    way = way_of(stated["batches"])
    T = validate.integer(stated["steps_per_epoch"], "steps_per_epoch", least=1)  # noqa: N806 - as in papers
    times = validate.integer(stated["epochs"], "epochs", least=1)
    level = validate.open_probability(false_alarm, "false_alarm")
    watched, sizes, records = (stated[name] for name in ("canaries", "sizes", "records"))
    _check(watched, sizes, records, T * times)
    rates = dict.fromkeys(Batches, 1 / T if rate is None else rate)
    if rate is None and sizes is not None and records is not None:
        rates[Batches.WITHOUT_REPLACEMENT] = sizes[0] / records
    placed = [[[s % T for s in own if s // T == e] for e in range(times)] for own in watched]
    dropped = 1 / (T + 1)  # a rest that fills no batch is less than one of T + 1 equal parts
    if sizes is not None and records is not None:
        dropped = max(1 - sum(sizes[e * T : (e + 1) * T]) / records for e in range(times))
    chances = {}
    for each in Batches:
        tails = [_of_places(each, placed, T, rates[each], dropped)]
        if sizes is not None and records is not None:
            mean = rates[each] if each is Batches.POISSON else 1 / T
            tails.append(_of_sizes(each, sizes, T, records, mean))
        chances[each] = min(1.0, len(tails) * min(tails))
    return WatchedBatches(way, chances, level)


def _read_log(log: Mapping[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """What a log says, and what is said beside it."""
    known = ("canaries", *given)
    if "canaries" not in log or set(log) - set(known):
        raise InvalidArgument(
            f"Expected a log of batches with the key canaries and no other than "
            f"{', '.join(known)}, got another. Write the steps in which each watched record stood."
        )
    rows = log["canaries"]
    if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
        raise InvalidArgument("Expected a list of steps for each watched record, got another.")
    for name, value in given.items():
        if None not in (value, log.get(name)) and value != log[name]:
            raise InvalidArgument(
                f"Expected `{name}` to be what the log says, got something else. Leave it out."
            )
    return dict.fromkeys(known) | {
        name: value for name, value in (given | dict(log)).items() if value is not None
    }


def _claim_of(history: Any, stated: Mapping[str, Any]) -> tuple[dict[str, Any], float | None]:
    """What a history claims of the way of drawing, where it tells, and the rate of its samples."""
    training = stated_batches(history)
    if training is not None:
        return {
            "batches": str(training.batches),
            "steps_per_epoch": training.steps_per_epoch,
            "epochs": training.epochs,
            "records": training.records or stated["records"],
        }, training.schedule[0].sample_rate
    phases = read_history(history)
    claim = {"batches": str(Batches.POISSON)} if says_how_it_drew(history) else {}
    rates = {phase.sample_rate for phase in phases}
    if len(rates) > 1 and (claim or stated)["batches"] == Batches.POISSON:
        raise InvalidArgument(
            f"Expected a history of one sampling rate, got {len(rates)}. Watch each part alone."
        )
    return claim, rates.pop() if len(rates) == 1 else None


def _check(
    canaries: Sequence[Sequence[int]], sizes: Sequence[int] | None, records: int | None, steps: int
) -> None:
    """Refuse steps that are none of the run, what are no numbers of records, and small batches."""
    for step in itertools.chain.from_iterable(canaries):
        if not validate.integer(step, "step", least=0) < steps:
            raise InvalidArgument(f"Expected steps of 0 to {steps - 1}, got {step}.")
    if not canaries:
        raise InvalidArgument("Expected at least one watched record, got none.")
    if any(len(set(own)) < len(own) for own in canaries):
        raise InvalidArgument(
            "Expected each step of a watched record once, got one twice. A batch holds a record "
            "once: write which steps held it."
        )
    counted = 0 if sizes is None else len(validate.several(sizes, "sizes"))
    if sizes is not None and (records is None or counted != steps):
        raise InvalidArgument(
            f"Expected `records`, and a size of each of {steps} steps, got {counted}."
        )
    if records is None:
        return
    if validate.integer(records, "records", least=1) > _MOST_RECORDS:
        raise InvalidArgument(f"Expected at most {_MOST_RECORDS} records, got more.")
    if len(canaries) > records:
        raise InvalidArgument(f"Expected at most {records} watched records, got {len(canaries)}.")
    for size in sizes or ():
        if validate.integer(size, "size", least=0) > records:
            raise InvalidArgument(f"Expected sizes of at most {records} records, got {size}.")
    watched = Counter(itertools.chain.from_iterable(canaries))
    if sizes is not None and any(sizes[step] < count for step, count in watched.items()):
        raise InvalidArgument(
            "Expected steps of at least as many records as watched ones stood in them, got one of "
            "fewer. Correct `sizes` or the watched records."
        )


def _of_places(
    way: Batches, placed: list[list[list[int]]], steps: int, rate: float, dropped: float
) -> float:
    """How probable it is that records stand so, if batches are drawn in this way.

    An epoch may leave out a share `dropped` of the records, except where each draws its step alone.
    """
    numbers = [len(each) for own in placed for each in own]
    if way in _ANEW:
        absent, one = (1 - rate) ** steps, min(steps * rate * (1 - rate) ** (steps - 1), 1.0)
        if way is Batches.POISSON:
            return float(stats.binomtest(numbers.count(1), len(numbers), one).pvalue)
        # Two tails of two numbers: association carries over to what only rises, or only falls,
        # with the batches that a record is in, and "exactly one" does neither.
        several = max(1 - absent - one, 0.0)
        often = sum(number > 1 for number in numbers)
        tails = (_chernoff(numbers.count(0), numbers, absent), _chernoff(often, numbers, several))
        return min(1.0, 4 * min(tails))
    absent = numbers.count(0)
    if max(numbers) > 1 or (absent and (way in OF_ALLOCATION or dropped <= 0)):
        return 0.0
    kept = [sum(a == b for a, b in itertools.pairwise(own)) for own in placed]
    pairs = len(placed[0]) - 1
    # Ways in which a record has the same step in every epoch.
    if way in (Batches.ALLOCATION_ONCE, Batches.SHUFFLED_ONCE, Batches.FIXED_ORDER):
        return float(all(each == pairs for each in kept))
    most = 1.0
    if steps >= 3 and pairs:
        # A short last batch makes others more probable: no step has more than 1/(T − 1).
        most = len(kept) * float(stats.binom.sf(max(kept) - 1, pairs, 1 / (steps - 1)))
    if way is Batches.SHUFFLED and absent > dropped * len(numbers):
        return min(1.0, 2 * most, 2 * _chernoff(absent, numbers, dropped))
    return min(1.0, 2 * most if way is Batches.SHUFFLED else most)


def _chernoff(seen: int, numbers: Sequence[int], chance: float) -> float:
    """e^(−N KL(k/N, p)): of k of N, how probable so many or more are, or so few or fewer."""
    share = seen / len(numbers)
    apart = special.rel_entr(share, chance) + special.rel_entr(1 - share, 1 - chance)
    return math.exp(-len(numbers) * max(float(apart), 0.0))


def _of_sizes(way: Batches, sizes: Sequence[int], steps: int, records: int, mean: float) -> float:
    """How probable such sizes are, if batches are drawn in this way."""
    inner = [size for place, size in enumerate(sizes) if (place + 1) % steps or steps == 1]
    if way not in _ANEW:
        # Every record is in one step of an epoch, but for a rest that fills no batch.
        rest = 0 if way in OF_ALLOCATION else records % max(inner[0], 1)
        totals = {sum(sizes[start : start + steps]) for start in range(0, len(sizes), steps)}
        if not totals <= {records, records - rest}:
            return 0.0
    if way in _OF_FIXED_SIZE:
        return float(len(set(inner)) <= 1)
    first = list(sizes[::steps])
    if way is Batches.ALLOCATION_ONCE:
        return float(len(set(first)) == 1)
    if way not in (Batches.POISSON, *OF_ALLOCATION) or len(set(first)) > 1 or steps == 1:
        return 1.0
    mode = float(stats.binom.pmf(math.floor((records + 1) * mean), records, mean))
    return min(1.0, mode * (1 + 1e-9)) ** (len(first) - 1)
