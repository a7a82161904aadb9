"""The papers' figures are still drawn: the quick form of each command, into an empty folder."""

import csv
import functools
import importlib
import math

import pytest

from reproductions.lowy_2024.page import modular_ratio

FIGURES = {
    "lowy_2024": {f"figure_{number}" for number in range(1, 8)},
    "tramer_2015": {"simulated_genotype", "simulated_swap"},
}


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The folder that a paper's command writes; computed once."""

    @functools.cache
    def folder(name):
        out = tmp_path_factory.mktemp(name)
        command = importlib.import_module(f"reproductions.{name}.__main__")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.argv", ["reproduction", "--quick", "--out", str(out)])
            command.main()
        return out

    return folder


def dimension(mark):
    """The part of a curve's name that says it."""
    return next((part for part in mark["curve"].split(", ") if part.startswith("d = ")), "")


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_stands_on_the_page(results, name):
    out = results(name)
    assert {path.stem for path in out.glob("*.png")} == FIGURES[name]
    page = (out / "README.md").read_text(encoding="utf-8")
    assert all(f"({figure}.png)" in page for figure in FIGURES[name])
    for path in out.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", FIGURES)
def test_every_number_is_a_number(results, name):
    for path in results(name).glob("*.csv"):
        found = rows(path)
        assert found
        for row in found:
            heights = [float(row[key]) for key in ("value", "probability", "mean") if key in row]
            assert heights
            assert all(math.isfinite(height) and height >= 0 for height in heights)


def test_the_curves_of_lowy_2024_are_ordered(results):
    """Lower end <= upper end <= Proposition 12; exact ε(X) <= ε(X) by sensitivity."""
    out = results("lowy_2024")
    for number in (4, 5, 6):
        marks = rows(out / f"figure_{number}.csv")
        bounds = {
            (mark["x"], dimension(mark)): float(mark["value"])
            for mark in marks
            if mark["curve"].startswith("Proposition 12")
        }
        certain = [m for m in marks if m["curve"].startswith(("exact", "certified"))]
        assert {(mark["x"], dimension(mark)) for mark in certain} == set(bounds)
        for mark in certain:
            most = bounds[mark["x"], dimension(mark)]
            assert float(mark["low"]) <= float(mark["high"]) <= most * 1.0001
    exact = [m for m in rows(out / "figure_3.csv") if m["curve"].startswith("ε(X)")]
    assert exact
    assert all(float(mark["high"]) <= float(mark["x"]) for mark in exact)


def test_the_page_counts_as_the_paper_s_example_does():
    assert [str(modular_ratio(n)) for n in (3, 4, 5, 6)] == ["2", "5/4", "7/6", "38/37"]
