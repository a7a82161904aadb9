"""What was trained: a history as trainers keep it, or a file of it, to phases of noisy steps."""

from __future__ import annotations

import functools
import itertools
import os
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from deniable.certificate.json_documents import naming, read_document
from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.errors.late import late
from deniable.errors.public_names import nearest
from deniable.errors.validate import format_value
from deniable.notions import PrivacyCurve
from deniable.numerics.rounding import directed, upper
from deniable.training.noisy_gradients import Phase
from deniable.training.noisy_gradients.calibration import merge_phases

if TYPE_CHECKING:
    from deniable.training.batches import batched
else:  # of no use to Poisson samples
    batched = late("deniable.training.batches.batched")

T = TypeVar("T")

MOST_ENTRIES = 100_000
"""Entries of a history: one for each of many steps, and as many values as a file may hold."""
_MOST_DEPTH = 16
"""Levels of events in events; a run with a warm-up has four."""

KEYS = ("noise_multiplier", "sample_rate", "steps")
"""The keys of a phase, in the order of a triple."""
_WORDS = {"mechanism": "gaussian", "sampling": "poisson"}
"""What a phase may say besides: there is one value of each that is certified."""
_OTHERS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""Words of others: the meaning of each engine's history, and other names of our keys."""


def of_file(read: Callable[[Any], T]) -> Callable[[Any], T]:
    """Let what reads a history take the JSON file of one, and name the file in what it refuses."""

    @functools.wraps(read)
    def read_source(source: Any) -> T:
        history = source
        if isinstance(source, (str, os.PathLike)):
            remedy = " Write json.dumps(accountant.history), or what else holds these numbers."
            history = read_document(Path(source), "a training history", remedy)
        with naming(source):
            return read(history)

    return read_source


@of_file
def read_history(source: Any) -> tuple[Phase, ...]:
    """The phases of a history, or of the JSON file that holds it, checked."""
    # It is rows of noise multiplier, sampling rate and number of steps, as an Opacus accountant's
    # `history` has them; mappings with these names as keys; either under the key "history", as in
    # an accountant's `state_dict()`; an event of dp_accounting, as jax-privacy and TensorFlow
    # Privacy keep it; the state of an accountant of Opake; or a JSON file of one that is no event.
    phases = tuple(itertools.islice(_phases(source), MOST_ENTRIES + 1))
    if not phases:
        raise InvalidArgument("Expected a history of at least one phase, got none.")
    if len(phases) > MOST_ENTRIES:
        raise InvalidArgument(
            f"Expected a history of at most {MOST_ENTRIES:,} entries, got more. Join steps of the "
            "same noise and sampling rate."
        )
    return merge_phases(phases)


def notion_of_training(history: Sequence[Phase]) -> PrivacyCurve:
    """What was trained, as a notion."""
    first, *rest = history
    return PrivacyCurve(first.sample_rate, first.noise_multiplier, first.steps, tuple(rest))


@of_file
def stated_batches(source: Any) -> batched.BatchedTraining | None:
    """A training whose way of drawing its history states in plain words; None for other histories.

    It is a `BatchedTraining`; or a mapping, or a JSON file of one, with the key "batches" and what
    `BatchedTraining` takes: "noise_multiplier", "steps_per_epoch", "epochs" and, where they matter,
    the rest. Or it is the state of an accountant of Opake whose records drew their steps alone.

    Examples
    --------
    >>> drawn = {"batches": "allocation", "noise_multiplier": 1, "steps_per_epoch": 9, "epochs": 2}
    >>> stated_batches(drawn).steps
    18
    """
    if isinstance(source, Sequence):
        return None
    if _is_of_opake(source):
        return _allocated(source)
    if not isinstance(source, Mapping):
        return source if isinstance(source, batched.BatchedTraining) else None
    if "batches" not in source:
        return None
    fields = {each.name: each for each in attrs.fields(batched.BatchedTraining)}
    _refuse_more(source, fields)
    needed = (name for name, each in fields.items() if each.default is attrs.NOTHING)
    if missing := [name for name in needed if name not in source]:
        raise InvalidArgument(f"Expected {missing[0]} of a training with batches, got none.")
    return batched.BatchedTraining(**source)


@of_file
def says_how_it_drew(source: Any) -> bool:
    """Whether a history says that each step is a Poisson sample: events, Opake, stated rows."""
    if type(source).__name__.endswith("DpEvent") or _is_of_opake(source):
        return True
    rows = source.get("history") if isinstance(source, Mapping) else source
    return isinstance(rows, Sequence) and all(
        isinstance(row, Mapping) and row.get("sampling") == _WORDS["sampling"] for row in rows
    )


def history_of_options(
    history: Any | None,
    noise_multiplier: float | None,
    sample_rate: float | None,
    steps: int | None,
) -> Any:
    """A history, or one phase by all its three numbers, as a command takes them; not both."""
    numbers = dict(zip(KEYS, (noise_multiplier, sample_rate, steps), strict=True))
    given = [name for name, value in numbers.items() if value is not None]
    if history is not None and not given:
        return history
    if history is not None or len(given) < len(KEYS):
        named = [*(["HISTORY.json"] if history is not None else []), *(f"`{n}`" for n in given)]
        raise InvalidArgument(
            f"Expected HISTORY.json or all of {', '.join(f'`{name}`' for name in KEYS)}, got "
            f"{' and '.join(named) or 'none'}."
        )
    return [Phase(**numbers)]


@attrs.frozen
class Schedule:
    """Sampling rate and number of steps, and how they were computed where they were."""

    sample_rate: float | None
    steps: int | None
    note: str | None = None


def schedule_of_options(
    sample_rate: float | None,
    steps: int | None,
    records: int | None,
    batch_size: int | None,
    epochs: int | None,
) -> Schedule:
    """The sampling rate and the steps, also from what a training script says of them."""
    # The rate is B/N, rounded up, and an epoch has N/B steps, rounded up.
    script = {"records": records, "batch_size": batch_size, "epochs": epochs}
    given = [f"`{name}`" for name, value in script.items() if value is not None]
    if not given:
        return Schedule(sample_rate, steps)
    if sample_rate is not None or steps is not None or records is None:
        direct = {"sample_rate": sample_rate, "steps": steps}
        given += [f"`{name}`" for name, value in direct.items() if value is not None]
    if len(given) != len(script) or records is None or batch_size is None or epochs is None:
        raise InvalidArgument(
            "Expected `records`, `batch_size` and `epochs`, or `sample_rate` and `steps`, got "
            f"{' and '.join(given)}. Give all of the one or of the other."
        )
    size = validate.integer(records, "records", least=1)
    batch = validate.integer(batch_size, "batch_size", least=1)
    if batch > size:
        raise InvalidArgument(
            f"Expected batch_size <= records, got batch_size={batch}, records={size}."
        )
    times = validate.integer(epochs, "epochs", least=1)
    with directed() as r:
        rate = min(upper(r(batch) / r(size)), 1.0)
    each = -(-size // batch)
    note = (
        f"rate {batch}/{size}; {times} times {each} steps ({size}/{batch}, rounded up); each "
        "record must enter each step independently (Poisson sampling)"
    )
    return Schedule(rate, times * each, note)


def fnr_of_options(
    fnr: float | None, tpr: float | None, fpr: float | None, others: Mapping[str, Any]
) -> float | None:
    """The false-negative rate, also as one minus a true-positive rate, rounded up."""
    # What is wrong with a true-positive rate is said of it, and not of what it is turned into.
    if tpr is None:
        return fnr
    if fnr is not None:
        raise InvalidArgument(
            f"Expected `fnr` or `tpr`, got both, fnr={fnr}, tpr={tpr}. Leave one out."
        )
    beside = [name for name, value in others.items() if value is not None]
    if beside:
        raise InvalidArgument(
            f"Expected one target, got `tpr` and {' and '.join(f'`{name}`' for name in beside)}. "
            "Leave all but one out."
        )
    caught = validate.open_probability(tpr, "tpr")
    if fpr is None:
        raise InvalidArgument(
            "Expected `fpr` with `tpr`, got `tpr` alone. Give the false-positive rate too.",
            instead=("", "--fpr 0.01"),
        )
    if caught <= fpr < 1:
        raise InfeasibleTarget(
            f"Expected tpr > fpr, got tpr={tpr}, fpr={fpr}. Who flags so many of everybody alike "
            "catches as many of the members: allow more."
        )
    with directed() as r:
        return upper(1 - r(caught))


def _phases(source: Any) -> Iterator[Phase]:
    if _is_of_opake(source):
        for node, times in _leaves(source):  # steps of Poisson samples
            match node["type"]:
                case "Poisson":
                    if node.get("truncated_batch_size") is not None:
                        raise InvalidArgument(
                            "Expected Poisson samples of any size, got samples that are cut off. "
                            "Nothing is known here of a sample that leaves records out."
                        )
                    yield Phase(_noise(node), node["sample_rate"], times)
                case "Gaussian":
                    yield Phase(node["noise_multiplier"], 1.0, times)
                case other:
                    raise InvalidArgument(f"Expected Poisson samples, got {other}.")
    elif isinstance(source, Mapping):
        # An accountant's state: its history, and by what it would have added it up.
        if "history" not in source or isinstance(source["history"], Mapping):
            raise InvalidArgument(
                f'Expected a history under the key "history", got none.{_within(source)}'
            )
        if (accountant := source.get("mechanism")) is not None:
            # What an accountant's state may call itself; the history is the same with each.
            validate.one_of(accountant, ("rdp", "prv", "gdp"), "mechanism")
        _refuse_more(source, ("history", "mechanism"))
        yield from _phases(source["history"])
    elif type(source).__name__.endswith("DpEvent"):
        yield from _phases_of_event(source, 1, 0)
    elif (
        isinstance(source, Iterable)
        and not isinstance(source, (str, bytes))
        and getattr(source, "ndim", 1) > 0
    ):
        for place, row in enumerate(source, 1):
            try:
                yield row if isinstance(row, Phase) else _phase(row)
            except InvalidArgument as error:
                raise InvalidArgument(f"{error} It is in entry {place}.") from None
    else:
        raise InvalidArgument(
            f"Expected a history, rows of {', '.join(KEYS)}, got {type(source).__name__}."
        )


def _within(source: Mapping[Any, Any]) -> str:
    """Return a remedy where no history is: it may be one phase, or hold an accountant's state."""
    for name, value in source.items():
        if isinstance(value, Mapping) and "history" in value:
            return f" Did you mean what is under {format_value(name)}?"
        if nearest(str(name), KEYS, _OTHERS["meant"]):
            return " Put each kind of steps into a list: [{…}, {…}]."
    return ""


def _phase(row: Any) -> Phase:
    if isinstance(row, Mapping):
        _refuse_more(row, (*KEYS, *_WORDS))
        if missing := [name for name in KEYS if name not in row]:
            raise InvalidArgument(f"Expected {missing[0]}, got none.")
        for name, only in _WORDS.items():
            validate.one_of(row.get(name, only), [only], name)
        row = [row[name] for name in KEYS]
    if type(row).__module__ == "numpy":
        row = row.tolist()
    if isinstance(row, (str, bytes)) or not isinstance(row, Sequence) or len(row) != len(KEYS):
        got = f"{len(row)} values" if isinstance(row, (list, tuple)) else type(row).__name__
        raise InvalidArgument(
            f"Expected [{', '.join(KEYS)}], got {got}. A history is a list of such rows."
        )
    return Phase(*row)


def _refuse_more(given: Iterable[Any], known: Collection[str]) -> None:
    """Refuse a name that is not known, and say which one may be meant."""
    for name in given:
        if name in known:
            continue
        near = nearest(str(name), known, _OTHERS["meant"])
        remedy = f"Did you mean {near}?" if near else "It might change what holds."
        if not near and "sample_rate" in known:
            remedy = _OTHERS["remarks"].get(name, remedy)
        raise InvalidArgument(
            f"Expected {', '.join(known)} and nothing else, got {format_value(name)}. {remedy}"
        )


def _phases_of_event(event: Any, times: int, depth: int) -> Iterator[Phase]:
    """Events of dp_accounting, by their names: nothing of it is imported."""
    if depth > _MOST_DEPTH:
        raise InvalidArgument(f"Expected events at most {_MOST_DEPTH} levels deep, got more.")
    match name := type(event).__name__:
        case "NoOpDpEvent":
            return
        case "ComposedDpEvent":
            for each in event.events:
                yield from _phases_of_event(each, times, depth + 1)
        case "SelfComposedDpEvent":
            count = validate.integer(event.count, "count", least=1)
            yield from _phases_of_event(event.event, times * count, depth + 1)
        case "GaussianDpEvent":
            yield Phase(event.noise_multiplier, 1.0, times)
        case "PoissonSampledDpEvent" if type(event.event).__name__ == "GaussianDpEvent":
            yield Phase(event.event.noise_multiplier, event.sampling_probability, times)
        case _:
            inside = getattr(event, "event", None)
            label = name if inside is None else f"{name} of {type(inside).__name__}"
            remedy = "Other training is not certified."
            if name == "SampledWithoutReplacementDpEvent":
                remedy = 'State it as BatchedTraining("without-replacement", …).'
            raise InvalidArgument(
                f"Expected Poisson-sampled Gaussian noise, got {format_value(label)}. {remedy}"
            )


# The state of an accountant of Opake is a tree of the processes that ran:
# `json.dumps(opake.serialization.state_dict(accountant))` is {"process": {"type": …}}. Leaves are
# steps, Poisson samples of a Gaussian or a whole run of records that draw their steps alone
# (`KOutOfT`), and what joins them. Unlike others it says how batches were drawn.

_ALLOCATED = "KOutOfT"
_JOINS: Mapping[str, list[str]] = _OTHERS["opake"]["joins"]
"""Processes of others, and where these stand."""
_FIELDS: Mapping[str, list[str]] = _OTHERS["opake"]["fields"]
"""What each process that is known says; another key might change what holds."""


def _is_of_opake(source: Any) -> bool:
    """Whether it is the state of an accountant of Opake."""
    return isinstance(source, Mapping) and isinstance(source.get("process"), Mapping)


def _allocated(state: Mapping[str, Any]) -> batched.BatchedTraining | None:
    """The training, where records drew their steps alone; None for Poisson samples."""
    leaves = list(_leaves(state))
    if not any(node["type"] == _ALLOCATED for node, _ in leaves):
        return None
    settings = Counter[tuple[float, int]]()
    for node, times in leaves:
        if node["type"] != _ALLOCATED or node["allocation"] != "block":
            raise InvalidArgument(
                "Expected blocks in which each record draws one step, and nothing beside, got "
                f"{node['type']} {format_value(node.get('allocation'))}. Nothing is known of "
                "others together; state such a training as BatchedTraining does."
            )
        k = validate.integer(node["k"], "k", least=1)
        steps = validate.integer(node["n_steps"], "n_steps", least=1)
        if steps % k:
            raise InvalidArgument(
                f"Expected blocks of equal size, got n_steps={steps} in k={k}. State a training "
                f"of {steps // k} steps an epoch, which tells more."
            )
        settings[_noise(node), steps // k] += k * times
    if len(settings) > 1:
        raise InvalidArgument(
            f"Expected one noise and one size of blocks, got {len(settings)}. Ask for each alone."
        )
    [((sigma, steps), epochs)] = settings.items()
    return batched.BatchedTraining(batched.Batches.ALLOCATION, sigma, steps, epochs)


def _leaves(state: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Processes that join no others, each with how often it ran."""
    # By a stack: a run of a million steps may be a chain of as many pairs.
    waiting = [(_known(state["process"]), 1)]
    while waiting:
        node, times = waiting.pop()
        if node["type"] == "Identity":
            continue
        if node["type"] not in _JOINS:
            yield node, times
            continue
        if node["type"] == "Repeated":
            times *= validate.integer(node["count"], "count", least=1)
        waiting += [(_known(node[name]), times) for name in _JOINS[node["type"]]]


def _known(node: Any) -> Mapping[str, Any]:
    """A process of which every key is known."""
    kind = node.get("type") if isinstance(node, Mapping) else None
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise InvalidArgument(
            f"Expected a process of {', '.join(_FIELDS)}, got {format_value(kind)}. Other training "
            "is not certified."
        )
    _refuse_more(node, ("type", *_FIELDS[kind]))
    needed = set(_FIELDS[kind]) - {"truncated_batch_size", "dataset_size"}
    if missing := needed - set(node):
        raise InvalidArgument(f"Expected {min(missing)} of {kind}, got none.")
    known: Mapping[str, Any] = node
    return known


def _noise(node: Mapping[str, Any]) -> float:
    """σ of the Gaussian within a sample."""
    inner = _known(node["inner"])
    if inner["type"] != "Gaussian":
        raise InvalidArgument(
            f"Expected Gaussian noise of a clipping norm fixed beforehand, got {inner['type']}. "
            "Other training is not certified."
        )
    return validate.positive(inner["noise_multiplier"], "noise_multiplier")


# --- Engines that train with noise: what a history of each means, where histories look alike.

PLAIN = "dp-sgd"
"""Any engine that fits the sentence; what three numbers by themselves speak of."""

ENGINES: Mapping[str, str] = _OTHERS["engines"]
"""What the trainer says was run, by the engine's name. A certificate states it, on trust."""
WEAKER: Mapping[str, str] = _OTHERS["weaker"]
"""Engines whose history says less than one of fresh noise that looks the same."""


def validate_engine(engine: Any) -> str:
    """Return the name of an engine whose history means fresh noise in every step, or refuse it."""
    if isinstance(engine, str) and engine in ENGINES:
        return engine
    if isinstance(engine, str) and engine in WEAKER:
        raise InvalidArgument(
            f"Expected `engine` to draw fresh noise for all that a step tells, got {engine}. "
            f"{WEAKER[engine]}, so this history does not bound what the model tells."
        )
    got = "none" if engine is None else format_value(engine)
    raise InvalidArgument(
        f"Expected `engine` to be one of {', '.join(ENGINES)}, got {got}. Its history alone does "
        f"not tell it from {', '.join(WEAKER)}, which mean less: say which engine trained."
    )
