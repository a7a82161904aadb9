"""Histories that Opake writes: an accountant's state, a tree of the processes that ran.

`json.dumps(opake.serialization.state_dict(accountant))` is {"process": {"type": …}}: leaves are
steps, Poisson samples of a Gaussian or a whole run of records that draw their steps alone
(`KOutOfT`), and what joins them. Unlike others it says how batches were drawn.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from deniable.errors import InvalidArgument, validate
from deniable.errors.validate import format_value
from deniable.notions.training import Phase
from deniable.training.batches.batched import BatchedTraining, Batches

_ALLOCATED = "KOutOfT"
_JOINS = {"Repeated": ("inner",), "Composed": ("left", "right"), "CachedProcess": ("inner",)}
"""Processes of others, and where these stand."""
_FIELDS = {
    "Repeated": {"inner", "count"},
    "Composed": {"left", "right"},
    "CachedProcess": {"inner"},
    "Identity": set(),
    "Gaussian": {"noise_multiplier"},
    "Poisson": {"inner", "sample_rate", "truncated_batch_size", "dataset_size"},
    _ALLOCATED: {"inner", "k", "n_steps", "allocation"},
}
"""What each process that is known says; another key might change what holds."""


def is_state(source: Any) -> bool:
    """Whether it is the state of an accountant of Opake."""
    return isinstance(source, Mapping) and isinstance(source.get("process"), Mapping)


def allocated(state: Mapping[str, Any]) -> BatchedTraining | None:
    """The training, where records drew their steps alone; None for Poisson samples.

    Raises
    ------
    InvalidArgument
        If the state has other processes, or several that are no epochs of one training.
    """
    leaves = list(_leaves(state))
    if not any(node["type"] == _ALLOCATED for node, _ in leaves):
        return None
    settings: dict[tuple[float, int], int] = {}
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
        key = (_noise(node), steps // k)
        settings[key] = settings.get(key, 0) + k * times
    if len(settings) > 1:
        raise InvalidArgument(
            f"Expected one noise and one size of blocks, got {len(settings)}. Ask for each alone."
        )
    [((sigma, steps), epochs)] = settings.items()
    return BatchedTraining(Batches.ALLOCATION, sigma, steps, epochs)


def phases(state: Mapping[str, Any]) -> Iterator[Phase]:
    """Steps of Poisson samples."""
    for node, times in _leaves(state):
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
    needed = _FIELDS[kind] - {"truncated_batch_size", "dataset_size"}
    if unknown := set(node) - _FIELDS[kind] - {"type"}:
        raise InvalidArgument(
            f"Expected {', '.join(sorted(_FIELDS[kind]))} and nothing else of {kind}, got "
            f"{format_value(min(unknown, key=str))}. What is not known might change what holds."
        )
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
