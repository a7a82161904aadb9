"""Engines that train with noise: what a history of each means, where histories look alike."""

from typing import Any

from deniable.errors import InvalidArgument
from deniable.errors.validate import format_value

PLAIN = "dp-sgd"
"""Any engine that fits the sentence; what three numbers by themselves speak of."""

ENGINES = {
    "opacus": "Opacus: its engine and its optimizers, with Poisson sampling, and with flat or "
    "per-layer clipping",
    "jax-privacy": "jax-privacy: DP-SGD (one band), with Poisson sampling, and with a clipping "
    "norm fixed beforehand",
    "tensorflow-privacy": "TensorFlow Privacy: DP-SGD optimizers, with Poisson samples, and with a "
    "clipping norm fixed beforehand",
    PLAIN: "DP-SGD: Poisson samples, contributions clipped to a norm fixed beforehand, and noise "
    "drawn for each step alone",
}
"""What the trainer says was run, by the engine's name. A certificate states it, on trust."""

_CORRELATED = "It uses the noise of one step again in others"
WEAKER = {
    "opacus-adaptive": "Its clipping norm follows a noisy count of the records, whose noise is not "
    "in the history",
    "opacus-dpcr": _CORRELATED,
    "jax-privacy-bandmf": f"{_CORRELATED}, and has more steps than its event",
    "jax-privacy-mf": f"{_CORRELATED}, and its event counts one step",
    "dp-ftrl": f"{_CORRELATED}, by a tree",
}
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
