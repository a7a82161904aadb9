"""Random small cases against going through everybody, and enclosures.

Cases are rules of up to three steps, ranges of priors, point priors and samples, for lists of up
to 7; enclosures are sums over runs of counts of lists of 2,500 to 4,000. 500 of each are taken;
`python -m benchmarks.rules_cases N` takes N of each. What is said of lists of a million is timed,
too.
"""

import random
import sys
import time
from fractions import Fraction

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.rules import design
from tests.cases.rules import Longer, differences

CASES = sized(500, 2)
LAWS = [
    (3000, Fraction(1, 2), Fraction(1, 2)),
    (2500, Fraction(1, 3), Fraction(1, 100)),
    (4000, Fraction(9, 10), Fraction(3, 7)),
]


def main(cases: int) -> int:
    """Print how many cases there were and in how many something was wrong."""
    begun = time.monotonic()
    wrong = [seed for seed in range(cases) if differences(random.Random(seed)) is not None]
    print(f"{cases:,} small cases: {len(wrong)} differences {wrong[:5]}, {_since(begun)}")
    begun, missed, enclosed = time.monotonic(), 0, 0
    for law in LAWS:
        longer, draw = Longer(*law), random.Random(1)
        for _ in range(cases // len(LAWS) + 1):
            balls, outside = longer.differences(draw)
            enclosed += len(balls)
            missed += bool(outside)
    print(f"{cases:,} larger cases, {enclosed:,} numbers enclosed: {missed} differences, "
          f"{_since(begun)}")  # fmt: skip
    for policy in sized(("opensafely", "cms", "rr3", "midpoint6"), ()):
        begun = time.monotonic()
        design(policy, members=10**6, prior=("1/100", "1/2"), limit=0.75)
        print(f"{policy}, a list of 1,000,000: {_since(begun)}")
    begun = time.monotonic()
    design("opensafely", members=sized("2..1000", "2..10"), prior=(0.5, 0.5), limit=0.75)
    print(f"opensafely, lists of 2 to 1,000: {_since(begun)}")
    return int(bool(wrong or missed))


def _since(begun: float) -> str:
    return f"{time.monotonic() - begun:.1f} s"


if __name__ == "__main__":
    end_for_help(__doc__)
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else CASES))
