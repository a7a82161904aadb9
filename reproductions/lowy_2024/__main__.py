"""`python -m reproductions.lowy_2024 [FIGURE …] --out DIR [--quick]`: figures and the page."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from reproductions._output import write_csv, write_png
from reproductions.lowy_2024.figures import figure
from reproductions.lowy_2024.growth import figure_7
from reproductions.lowy_2024.marks import Mark, read
from reproductions.lowy_2024.median import figure_1, figure_2, figure_3
from reproductions.lowy_2024.noisy_mean import figure_4, figure_5, figure_6
from reproductions.lowy_2024.page import page
from reproductions.lowy_2024.settings import QUICK, Settings

FIGURES: dict[int, Callable[[Settings], Iterable[Mark]]] = {
    1: figure_1,
    2: figure_2,
    3: figure_3,
    4: figure_4,
    5: figure_5,
    6: figure_6,
    7: figure_7,
}


def main() -> None:
    """Compute the figures asked for; the page is written from all that are there."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.lowy_2024", description=__doc__)
    parser.add_argument("figures", type=int, nargs="*", metavar="FIGURE", help="1 to 7; all")
    parser.add_argument(
        "--out", type=Path, required=True, help="a folder; results/ has what is committed"
    )
    parser.add_argument("--quick", action="store_true", help="few marks, small parent sets")
    arguments = parser.parse_args()
    if unknown := set(arguments.figures) - set(FIGURES):
        parser.error(f"Expected figures 1 to 7, got {min(unknown)}.")
    settings = QUICK if arguments.quick else Settings()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for number in arguments.figures or FIGURES:
        began = time.process_time()
        marks = list(FIGURES[number](settings))
        write_csv(_numbers(arguments.out, number), [attrs.asdict(mark) for mark in marks])
        write_png(arguments.out / f"figure_{number}.png", figure(number, marks), scale=1.5)
        _told(f"Figure {number}: {time.process_time() - began:.0f} s of CPU")
    there = {n: _numbers(arguments.out, n) for n in FIGURES}
    found = {number: read(path) for number, path in there.items() if path.is_file()}
    (arguments.out / "README.md").write_text(page(found), encoding="utf-8")
    print(f"Written: {arguments.out}")


def _numbers(out: Path, number: int) -> Path:
    return out / f"figure_{number}.csv"


def _told(line: str) -> None:
    if sys.stderr.isatty():
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
