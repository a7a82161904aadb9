"""What publishing a table of one's own gives away about a known list: records of few types.

A town of 60,000 is known by name and district. 15,000 were drawn for a health check, and how many
of each district came is to be published with Gaussian noise. What may somebody believe of an
inhabitant who knows the town and not the draw, who stands out, and how little noise would do?
Run with `python -m examples.few_types`; it writes a page into demo-output/.
"""

from pathlib import Path

import numpy as np

import deniable

OUT = Path(__file__).resolve().parents[1] / "demo-output"
DISTRICTS = {"north": 31_000, "south": 17_000, "east": 10_000, "harbour": 2_000}
SIZE = 15_000
DELTA = 1e-6
SCALES = [2.0, 4.0, 8.0, 16.0]
LIMIT = 0.2


def table() -> np.ndarray:
    """A row a district: 1 in its own column, and how many people there are."""
    return np.column_stack([np.eye(len(DISTRICTS)), list(DISTRICTS.values())])


def main(folder: Path = OUT) -> None:
    """Print what each scale of the noise is worth and the risk of each kind; write the page."""
    asked = {"delta": DELTA, "clip": 1.0, "query": "sum", "counts": True}
    curve = deniable.population.noise_curve(table(), SIZE, SCALES, **asked)
    print(f"What counts with Gaussian noise give away, at δ = {DELTA:g}:")
    for point in curve.points:
        bound = point.population_epsilon
        print(f"  noise {point.sigma:>4g}: population ε {bound.lower:.4f} to {bound.upper:.4f}, "
              f"differential privacy {point.epsilon:.4f}")  # fmt: skip
    least = next(p.sigma for p in curve.points if p.population_epsilon.upper <= LIMIT)
    print(f"The first to keep all to {LIMIT} is {least:g}. There, of each kind:")
    found = deniable.population.gaussian(table(), SIZE, sigma=least, records="all", **asked)
    for district, each in zip(DISTRICTS, found.records, strict=True):
        ends = f"{each.bound.lower:.4f} to {each.bound.upper:.4f}"
        print(f"  {district:<10} {each.count:>6,} people: population ε {ends}")
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "few-types.html"
    page.write_text(found.page(curve), encoding="utf-8")
    print(f"Who stands out and why, for those who keep the list: {page}")


if __name__ == "__main__":
    main()
