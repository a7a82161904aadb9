"""Mechanisms of other test suites, read from their checkouts: which keep their claim by proof."""

import importlib
import importlib.util
import math
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np

Mechanism: TypeAlias = Callable[..., Any]

GRID = 1024
"""Steps to 1 to which continuous outputs are rounded: their last bits tell by themselves."""
QUERIES = 10
"""Queries of an input, as in DP-Sniper's experiments."""


@attrs.frozen
class Case:
    """A mechanism on pairs of inputs, and whether it keeps its claim on them."""

    suite: str
    name: str
    claim: str
    honest: bool
    mechanism: Mechanism
    pairs: tuple[tuple[Any, Any], ...]


def patterns(n: int) -> tuple[tuple[list[int], list[int]], ...]:
    """Pairs in which every query moves by 1: all up, one against the others, halves."""
    half, one = n // 2, [1] * n
    return (
        (one, [0] * half + [2] * (n - half)),
        (one, [2] * half + [0] * (n - half)),
        (one, [2] * n),
        (one, [0] * n),
        (one, [2] + [0] * (n - 1)),
        (one, [0] + [2] * (n - 1)),
        ([1] * half + [0] * (n - half), [0] * half + [1] * (n - half)),
    )


def rounded(output: Any) -> Any:
    """Floats on a coarse grid; whole numbers, truths and texts as they are."""
    if isinstance(output, tuple):
        return tuple(map(rounded, output))
    if isinstance(output, np.ndarray) and output.dtype.kind == "f":
        return np.rint(output * GRID) / GRID
    if isinstance(output, float):
        return round(output * GRID) / GRID
    return output


def statdp(folder: Path) -> Iterator[Case]:
    """`statdp/algorithms.py` with the settings of its `examples/benchmark.py`, ε = 0.7."""
    place = folder / "statdp" / "algorithms.py"
    spec = importlib.util.spec_from_file_location("statdp_algorithms", place)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one_moves = (([1] + [1] * 4, [2] + [1] * 4),)
    every = patterns(5)
    rows: list[tuple[str, bool, Any, dict[str, Any], float]] = [
        ("noisy_max_v1a", True, every, {}, 0.7),
        ("noisy_max_v1b", False, every, {}, 0.7),
        ("noisy_max_v2a", True, every, {}, 0.7),
        ("noisy_max_v2b", False, every, {}, 0.7),
        ("histogram", True, one_moves, {}, 0.7),
        ("histogram_eps", False, one_moves, {}, 0.7),
        ("SVT", True, patterns(QUERIES), {"N": 1, "T": 0.5}, 0.7),
        *((f"iSVT{i}", False, patterns(QUERIES), {"N": 1, "T": 1}, 0.7) for i in range(1, 5)),
    ]
    for name, honest, pairs, options, epsilon in rows:
        yield Case(
            "statdp", name, f"pure-dp:{epsilon}", honest,
            _one_by_one(getattr(module, name), epsilon, options), pairs,
        )  # fmt: skip


def _one_by_one(function: Mechanism, epsilon: float, options: dict[str, Any]) -> Mechanism:
    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        return rounded(function(rng, data, epsilon=epsilon, **options))

    return mechanism


def dp_sniper(folder: Path) -> Iterator[Case]:
    """DP-Sniper's mechanisms with the settings of its `experiments/exp_default.py`."""
    sys.path.insert(0, str(folder))
    read = {
        name: importlib.import_module(f"dpsniper.mechanisms.{name}")
        for name in (
            *("laplace", "geometric", "noisy_hist", "report_noisy_max"),
            *("sparse_vector_technique", "rappor", "parallel", "prefix_sum"),
        )
    }
    hist, top = read["noisy_hist"], read["report_noisy_max"]
    svt, rappor = read["sparse_vector_technique"], read["rappor"]
    number, five, ten = (([0], [1]),), patterns(5), patterns(QUERIES)
    cell, step = (([1] * 5, [2] + [1] * 4),), (([1] * 10, [2] + [1] * 9),)
    values = tuple(([0], [other]) for other in range(1, 8))
    rows: list[tuple[Any, float, bool, Any]] = [
        (read["laplace"].LaplaceMechanism(), 0.1, True, number),
        (read["laplace"].LaplaceFixed(), 0.1, True, number),
        # its own page says ln(1 + 2^-k) for k = ⌈ln(2/ε)⌉
        (read["geometric"].TruncatedGeometricMechanism(), math.log1p(2**-3), True, number),
        (hist.NoisyHist1(), 0.1, True, cell),
        (hist.NoisyHist2(), 0.1, False, cell),
        (top.ReportNoisyMax1(), 0.1, True, five),
        (top.ReportNoisyMax2(), 0.1, True, five),
        (top.ReportNoisyMax3(), 0.1, False, five),
        (top.ReportNoisyMax4(), 0.1, False, five),
        (svt.SparseVectorTechnique1(c=1, t=0.5), 0.1, True, ten),
        (svt.SparseVectorTechnique2(c=1, t=1), 0.1, True, ten),
        (svt.SparseVectorTechnique3(c=1, t=1), 0.1, False, ten),
        (svt.SparseVectorTechnique4(c=1, t=1), 0.1, False, ten),
        (svt.SparseVectorTechnique5(c=1, t=1), 0.1, False, ten),
        (svt.SparseVectorTechnique6(c=1, t=1), 0.1, False, ten),
        (svt.NumericalSVT(), 0.1, True, ten),
        # of 4 hashes at most 8 bits differ, each by the ratio of its two chances
        (rappor.Rappor(), 8 * math.log(0.5125 / 0.4875), True, values),
        (rappor.OneTimeRappor(), 8 * math.log(0.525 / 0.475), True, values),
        (read["parallel"].LaplaceParallel(eps=0.005, n_parallel=20), 0.1, True, number),
        (read["parallel"].SVT34Parallel(), 0.1, False, ten),
        (read["prefix_sum"].PrefixSum(), 0.1, True, step),
    ]
    for each, epsilon, honest, pairs in rows:
        claim = f"pure-dp:{math.nextafter(epsilon, 1)!r}"
        yield Case("DP-Sniper", type(each).__name__, claim, honest, _at_once(each), pairs)


def _at_once(mechanism: Any) -> Mechanism:
    def draw(data: Any, rng: np.random.Generator, draws: int) -> Any:
        if hasattr(mechanism, "prng"):
            mechanism.prng = rng
        return rounded(np.asarray(mechanism.m(np.array(data), draws)))

    return draw


class _Source:
    """What their data source asks for, without their storage."""

    store_data = False

    def __init__(self, *args: Any, **options: Any) -> None:
        self._init_helper(*args, **options)

    def _init_helper(self) -> None:
        pass


def delta_siege(folder: Path) -> Iterator[Case]:
    """Samplers of Gaussian noise as they are, and two packages where they are installed.

    Their last bits are looked at, so nothing is rounded.
    """
    root, inner = types.ModuleType("deltasiege"), types.ModuleType("deltasiege.mechanism")
    root.__path__ = [str(folder / "deltasiege")]
    inner.__path__ = [str(folder / "deltasiege" / "mechanism")]
    root.DataSource = _Source  # type: ignore[attr-defined]
    sys.modules |= {root.__name__: root, inner.__name__: inner}
    for name in ("mechanism", "rng_mechanism", "gauss_mechanism"):
        vars(inner).update(vars(importlib.import_module(f"deltasiege.mechanism.{name}")))
    epsilon, delta = 0.5, 1e-3
    samplers = {"box_muller": "BoxMuller", "polar": "Polar", "ziggurat": "Ziggurat"}
    for file, name in samplers.items():
        module = importlib.import_module(f"deltasiege.mechanism.gauss_{file}")
        sampler = getattr(module, f"Gauss{name}Mechanism")(epsilon, delta, 1.0)
        yield _gaussian(name, epsilon, delta, sampler)
        if name != "Ziggurat":
            both = getattr(module, f"Gauss{name}Mechanism")(epsilon, delta, 1.0, return_s2=True)
            yield _gaussian(f"{name}, both numbers", epsilon, delta, both)
    for name, sampler in _packages(epsilon, delta):
        yield _gaussian(name, epsilon, delta, sampler)


def _gaussian(name: str, epsilon: float, delta: float, sampler: Mechanism) -> Case:
    def mechanism(data: Any, draws: int) -> Any:
        return np.asarray(sampler(float(data), draws))

    claim = f"approx-dp:{epsilon},{delta}"
    return Case("Delta-Siege", name, claim, False, mechanism, ((0, 1),))


def _packages(epsilon: float, delta: float) -> Iterator[tuple[str, Mechanism]]:
    try:
        from diffprivlib.mechanisms import Gaussian, GaussianAnalytic
    except ImportError:
        print("diffprivlib==0.6.6 is not installed: left out")
    else:
        for kind in (Gaussian, GaussianAnalytic):
            mechanism = kind(epsilon=epsilon, delta=delta, sensitivity=1.0)
            yield f"diffprivlib {kind.__name__}", _repeated(mechanism.randomise)
    try:
        from pydp.algorithms import numerical_mechanisms
    except ImportError:
        print("python-dp==1.1.4 is not installed: left out")
    else:
        noise = numerical_mechanisms.GaussianMechanism(epsilon, delta, 1.0)
        yield "PyDP GaussianMechanism", _repeated(noise.add_noise)


def _repeated(noise: Callable[[float], float]) -> Mechanism:
    return lambda value, draws: np.array([noise(value) for _ in range(draws)])
