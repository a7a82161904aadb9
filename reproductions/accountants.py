"""`python -m reproductions.accountants`: figures of dp-accounting's tests and riskcal's tables.

dp-accounting's own tests print a few figures of Gaussian noise and of sampled Gaussian noise; two
tables of riskcal's paper (models for CIFAR-10 and GPT-2) rest on histories of steps. This script
puts our interval beside each figure, and beside what riskcal 1.5.1 computes of each history in an
environment of its own. It fails where an interval misses a figure, or is wider than the figure's
own accuracy. It needs a package index, and is not run by the tests.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

import attrs

import deniable
from deniable.training.noisy_gradients import Phase, privacy_curve

PACKAGES = ("riskcal==1.5.1", "dp-accounting==0.6.0")
DELTA, RATES = 1e-5, (0.01, 0.05, 0.1)
GPT_2 = [(sigma, 0.0038010957846441, 792) for sigma in (
    0.5715066078978425, 0.607176132813643, 0.636648345573876, 0.6945392638626464,
    0.7497660219048379,
)]  # fmt: skip
"""Noise multiplier, sampling rate and steps of riskcal's five runs on GPT-2."""
CIFAR_10 = [(sigma, 8192 / 50_000, 7 * epochs) for sigma, epochs in (
    (4.0, 99), (5.0, 99), (6.0, 99), (8.0, 99), (10.0, 75),
)]  # fmt: skip
"""The same for CIFAR-10; two releases of noise 8 for normalisation come before the steps."""
PEER = """
import json, sys
import numpy as np
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from riskcal.analysis import get_beta_from_pld
rows = []
for history in json.load(sys.stdin):
    total = None
    for noise, rate, steps in history:
        part = from_gaussian_mechanism(noise, sampling_prob=rate).self_compose(steps)
        total = part if total is None else total.compose(part)
    rows.append([total.get_epsilon_for_delta(1e-5),
                 *map(float, get_beta_from_pld(total, np.array([0.01, 0.05, 0.1])))])
print(json.dumps(rows))
"""


@attrs.frozen
class Row:
    """A figure, how accurate it is, and our interval."""

    name: str
    figure: float
    accuracy: float
    lower: float
    upper: float

    @property
    def agrees(self) -> bool:
        """Whether the interval lies within the figure's accuracy."""
        return (
            self.figure - self.accuracy <= self.lower <= self.upper <= self.figure + self.accuracy
        )

    def __str__(self) -> str:
        """One line of the table."""
        said = "same" if self.agrees else "DIFFERS"
        ours = f"[{self.lower:.6g}, {self.upper:.6g}]"
        return f"{self.name:52} {self.figure:10.6g} ±{self.accuracy:<8.1g} {ours} {said}"


def printed() -> Iterator[Row]:
    """Figures that stand in dp-accounting's tests, with the accuracy to which they are compared."""
    gaussian = "gaussian-dp:1@add-remove"  # three times noise of the square root of 3
    delta = deniable.derive(gaussian, "approx-dp:1,?@add-remove").target.delta
    yield Row("Gaussian, sqrt 3, 3 times: delta at 1", 0.126936, 1e-3, delta, delta)
    fnr = deniable.trade_off(gaussian, [0.1]).points[0].fnr
    yield Row("the same: true positives at .1", 0.38914, 1e-3, 1 - fnr, 1 - fnr)
    delta = deniable.derive("gaussian-dp:3@add-remove", "approx-dp:1,?@add-remove").target.delta
    yield Row("Gaussian, 1/3: delta at 1", 0.78760074, 1e-7, delta, delta)
    bound = privacy_curve([Phase(0.5, 0.2, 3)]).delta(1.0)
    yield Row(
        "sampled at .2, noise .5, 3 times: delta at 1", 0.15594, 1e-3, bound.lower, bound.upper
    )
    for noise, rate, steps in ((0.67379294682, 0.01, 1), (3.20956502598 / 6, 0.001, 25)):
        epsilon = privacy_curve([Phase(noise, rate, steps)]).epsilon(DELTA)
        name = f"sampled at {rate}, noise {noise:.4g}, {steps} times: epsilon"
        yield Row(name, 1.0, 1e-2, epsilon.lower, epsilon.upper)


def tables(computed: list[list[float]]) -> Iterator[Row]:
    """What riskcal computes of each history of its two tables."""
    for history, (epsilon, *misses) in zip(histories(), computed, strict=True):
        name = f"{'GPT-2' if len(history) == 1 else 'CIFAR-10'}, noise {history[-1][0]:.4g}"
        curve = privacy_curve([Phase(*each) for each in history])
        ours = curve.epsilon(DELTA)
        yield Row(f"{name}: epsilon", epsilon, 1e-2 * epsilon, ours.lower, ours.upper)
        for rate, missed in zip(RATES, misses, strict=True):
            bound = curve.fnr(rate)
            yield Row(f"{name}: misses at {rate}", missed, 2e-3, bound.lower, bound.upper)


def histories() -> list[list[tuple[float, float, int]]]:
    """Of both tables."""
    return [[each] for each in GPT_2] + [[(8.0, 1.0, 2), each] for each in CIFAR_10]


def ask_peer(python: Path) -> list[list[float]]:
    """Run riskcal on the histories."""
    answer = subprocess.run(
        [python, "-W", "ignore", "-c", PEER],
        input=json.dumps(histories()), capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows: list[list[float]] = json.loads(answer.stdout)
    return rows


def main() -> None:
    """Print the table; exit with 1 where something differs."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.accountants", description=__doc__
    )
    parser.add_argument("--python", type=Path, help="of an environment that has riskcal already")
    python = parser.parse_args().python
    with tempfile.TemporaryDirectory() as folder:
        if python is None:
            venv.create(folder, with_pip=True)
            python = Path(folder) / "bin" / "python"
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        computed = ask_peer(python)
    rows = [*printed(), *tables(computed)]
    for each in rows:
        print(each)
    sys.exit(not all(each.agrees for each in rows))


if __name__ == "__main__":
    main()
