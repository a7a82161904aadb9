"""`python -m reproductions.tramer_2015 --out DIR [--quick]`: tables, figures and the page."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import attrs

from reproductions._data import shared_data
from reproductions._output import write_csv, write_png
from reproductions.tramer_2015.evaluation import SIZES, Point, RoomPoint, evaluated, with_room
from reproductions.tramer_2015.figures import against_gamma, against_size
from reproductions.tramer_2015.page import page
from reproductions.tramer_2015.studies import BaseStudy, hapsample, simulated

REPLICATES = 20


def main() -> None:
    """Compute everything; hapsample only where its files are."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.tramer_2015", description=__doc__
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="a folder; results/ has what is committed"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a small simulated study, three replicates"
    )
    arguments = parser.parse_args()
    replicates = 3 if arguments.quick else REPLICATES
    sizes = (2000, 5000) if arguments.quick else SIZES
    points: list[Point] = []
    room: list[RoomPoint] = []
    for study in _studies(arguments.quick):
        points += evaluated(study, sizes, replicates, lambda share, s=study: _told(s.name, share))
        room += with_room(study, sizes, replicates)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(point.study for point in points):
        own = [point for point in points if point.study == name]
        write_csv(arguments.out / f"{name}.csv", [attrs.asdict(point) for point in own])
        for adjacency in ("genotype", "swap"):
            drawn = [p for p in own if (p.adjacency, p.noise) == (adjacency, "exponential")]
            title = f"{name}, neighbours: {adjacency}, exponential noise"
            write_png(arguments.out / f"{name}_{adjacency}.png", against_gamma(drawn, title))
        roomy = [point for point in room if point.study == name]
        write_csv(arguments.out / f"{name}_room.csv", [attrs.asdict(point) for point in roomy])
        drawn = [point for point in roomy if point.adjacency == "genotype"]
        title = f"{name}, neighbours: genotype, γ = 2, any belief"
        write_png(arguments.out / f"{name}_room.png", against_size(drawn, title))
    (arguments.out / "README.md").write_text(page(points, room, replicates), encoding="utf-8")
    print(f"Written: {arguments.out}")


def _studies(quick: bool) -> Iterator[BaseStudy]:
    folder = shared_data()
    if folder is not None and not quick:
        yield hapsample(folder)
    with tempfile.TemporaryDirectory() as made:
        size = {"individuals": 600, "variants": 400} if quick else {}
        yield simulated(Path(made), **size)


def _told(name: str, share: float) -> None:
    if sys.stderr.isatty():
        print(f"\r{name}: {share:4.0%}", end="\n" if share == 1 else "", file=sys.stderr)


if __name__ == "__main__":
    main()
