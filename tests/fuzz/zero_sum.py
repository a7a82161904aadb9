"""The law of released noise that adds up to zero, on many draws: `python -m tests.fuzz.zero_sum`.

For 3 and 4 cells every vector near 0 is counted and compared with its exact probability. The
chance of a false alarm is 1e-9 each. The second sampler, by compositions, is tried beside.
"""

import sys

import numpy as np

from deniable.mechanisms import ZeroSumNoise
from deniable.pipeline.noise.sampler import draw_zero_sum
from tests.laws.test_zero_sum import acceptance, counts_of, near
from tests.oracles.zero_sum import draws_by_compositions, sum_law

DRAWS = 1_000_000
BLOCK = 20_000


def compare(cells: int, draws: int, scale: float = 1.0) -> None:
    """Print how far counts of vectors, and of sums of cells, lie from their laws."""
    kept, law = near(cells, scale)
    draws = max(draws // BLOCK, 1) * BLOCK
    low, high = acceptance(law, draws)
    noise, rng = ZeroSumNoise(cells, scale), np.random.default_rng(cells)
    for name, draw in (
        ("released", lambda n: draw_zero_sum(noise, n)),
        ("compositions", lambda n: draws_by_compositions(rng, cells, scale, n)),
    ):
        counts, sums = np.zeros(len(law), np.int64), np.zeros((2, 41), np.int64)
        for _ in range(draws // BLOCK):
            drawn = draw(BLOCK)
            assert (drawn.sum(axis=1) == 0).all()
            counts += counts_of(drawn, kept)
            for place, terms in enumerate((1, 2)):
                value = np.clip(drawn[:, :terms].sum(axis=1), -20, 20)
                sums[place] += np.bincount(value + 20, minlength=41)
        worst = np.abs((counts - draws * law) / np.sqrt(draws * law * (1 - law))).max()
        print(f"{cells} cells, {draws:,} {name}: {len(law)} outcomes, at most {worst:.2f} s.d. off")
        assert ((low <= counts) & (counts <= high)).all()
        for place, terms in enumerate((1, 2)):
            exact = sum_law(cells, scale, terms)
            inner = exact[len(exact) // 2 - 5 : len(exact) // 2 + 6]
            low_, high_ = acceptance(inner, draws)
            assert ((low_ <= sums[place, 15:26]) & (sums[place, 15:26] <= high_)).all()


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    compare(3, number)
    compare(4, number // 4)
