"""`python -m reproductions.lowy_2024 [--out DIR] [--quick]`: figures, tables and the page."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from reproductions._output import write_csv, write_png
from reproductions.lowy_2024.figures import figure
from reproductions.lowy_2024.growth import figure_7
from reproductions.lowy_2024.marks import Mark
from reproductions.lowy_2024.median import figure_1, figure_2, figure_3
from reproductions.lowy_2024.noisy_mean import figure_4, figure_5, figure_6
from reproductions.lowy_2024.page import page
from reproductions.lowy_2024.readings import (
    figure_1_readings,
    figure_2_readings,
    figure_4_readings,
)
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
    """Compute everything; each figure is written as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.lowy_2024", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--quick", action="store_true", help="few marks, small parent sets")
    arguments = parser.parse_args()
    settings = QUICK if arguments.quick else Settings()
    arguments.out.mkdir(parents=True, exist_ok=True)
    marks: dict[int, list[Mark]] = {}
    for number, drawn in FIGURES.items():
        began = time.monotonic()
        marks[number] = list(drawn(settings))
        write_csv(
            arguments.out / f"figure_{number}.csv", [attrs.asdict(mark) for mark in marks[number]]
        )
        write_png(arguments.out / f"figure_{number}.png", figure(number, marks[number]), scale=1.5)
        _told(f"Figure {number}: {time.monotonic() - began:.0f} s")
    readings = [
        *figure_1_readings(settings),
        *figure_2_readings(settings),
        *figure_4_readings(settings),
    ]
    write_csv(arguments.out / "readings.csv", [attrs.asdict(each) for each in readings])
    text = page(marks, readings, settings)
    (arguments.out / "README.md").write_text(text, encoding="utf-8")
    print(f"Written: {arguments.out}")


def _told(line: str) -> None:
    if sys.stderr.isatty():
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
