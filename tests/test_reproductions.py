"""The papers' figures are still drawn: the quick form of each command, into an empty folder."""

import csv
import functools
import importlib
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import vl_convert
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import laplace

from reproductions.lowy_2024.marks import TABLE
from reproductions.lowy_2024.numbers import modular_ratio
from reproductions.planted_faults import needed
from tests.cases.prose import Refusal, refusal_of

ROOT = Path(__file__).resolve().parents[1]
FIGURES = {
    "lowy_2024": {f"figure_{number}" for number in range(1, 8)},
    "tramer_2015": {"simulated_genotype", "simulated_room", "simulated_swap"},
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
        png = vl_convert.vegalite_to_png
        with pytest.MonkeyPatch.context() as patch:
            # Small pictures: to colour the points of large ones takes half of the time.
            patch.setattr(
                "vl_convert.vegalite_to_png", lambda chart, scale: png(chart, scale=scale / 4)
            )
            # Few marks and draws: every curve has several still, and what the page's tables show.
            patch.setattr("reproductions.tramer_2015.evaluation.GAMMAS", (1.5, 2.0, 4.0))
            patch.setattr("reproductions.tramer_2015.evaluation.DRAWS", 200)
            patch.setattr("sys.argv", ["reproduction", "--quick", "--out", str(out)])
            command.main()
        return out

    return folder


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


def curve(path, panel, name):
    return {float(m["x"]): m for m in rows(path) if (m["panel"], m["curve"]) == (panel, name)}


@pytest.mark.parametrize(("number", "fixed"), [(4, ""), (5, ", ε = 5"), (5, ", ε(X) = 5"), (6, "")])
def test_a_certified_value_is_in_order(results, number, fixed):
    """Lower end <= upper end <= Proposition 12 on the same parent set."""
    path = results("lowy_2024") / f"figure_{number}.csv"
    certified = curve(path, TABLE, f"ε̃, certified{fixed}")
    bounds = curve(path, TABLE, f"ε̃, Proposition 12, the first parent set{fixed}")
    assert certified
    assert certified.keys() == bounds.keys()
    for x, mark in certified.items():
        assert 0 < float(mark["low"]) <= float(mark["high"])
        assert float(mark["high"]) <= float(bounds[x]["value"]) * 1.0001


@pytest.mark.parametrize("number", [1, 2, 3])
def test_both_readings_of_a_figure_are_in_order(results, number):
    """ε(X) by sensitivity is at least the exact one, so at the same ε(X) it allows less ε."""
    path = results("lowy_2024") / f"figure_{number}.csv"
    for delta in ("Δ = (1 + C)/n", "Δ = 2C/n"):
        by_sensitivity = curve(path, TABLE, f"ε, ε(X) by sensitivity, {delta}")
        exact = curve(path, TABLE, f"ε, ε(X) exact, {delta}")
        assert by_sensitivity.keys() == exact.keys()
        for x, mark in by_sensitivity.items():
            assert float(mark["value"]) <= float(exact[x]["value"]) * 1.0001
    for reading in ("ε(X) by sensitivity", "ε(X) exact"):
        ratios = curve(path, "ε̃/ε(X)", reading)
        assert ratios
        assert all(0 < float(mark["value"]) <= 1 for mark in ratios.values())


def test_one_figure_again_leaves_the_others(results, tmp_path, monkeypatch):
    shutil.copytree(results("lowy_2024"), tmp_path / "results")
    before = {path.name: path.read_bytes() for path in (tmp_path / "results").glob("*.csv")}
    (tmp_path / "results" / "figure_3.csv").unlink()
    command = importlib.import_module("reproductions.lowy_2024.__main__")
    out = ["--quick", "--out", str(tmp_path / "results")]
    monkeypatch.setattr("sys.argv", ["reproduction", "3", *out])
    command.main()
    after = {path.name: path.read_bytes() for path in (tmp_path / "results").glob("*.csv")}
    assert after == before


def test_a_figure_that_is_not_there_is_refused(monkeypatch, capsys):
    command = importlib.import_module("reproductions.lowy_2024.__main__")
    monkeypatch.setattr("sys.argv", ["reproduction", "8", "--out", "nowhere"])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    said = capsys.readouterr().err.splitlines()[-1]
    assert refusal_of(said.partition("error: ")[2]) == Refusal("figures 1 to 7", "8", "", "")


def test_the_figures_on_file_are_of_the_paper_s_settings():
    """What errata.md says of Figure 4 stands in the committed results."""
    path = ROOT / "reproductions" / "lowy_2024" / "results" / "figure_4.csv"
    certified = curve(path, TABLE, "ε̃, certified")[10.0]
    assert float(certified["low"]) > 0.9
    bound = curve(path, TABLE, "ε̃, Proposition 12")[10.0]
    assert float(bound["value"]) - 3 * float(bound["error"]) > 0.9


def test_the_page_counts_as_the_paper_s_example_does():
    assert [str(modular_ratio(n)) for n in (3, 4, 5, 6)] == ["2", "5/4", "7/6", "38/37"]


def test_laws_of_the_sparse_vector_technique_are_integrals():
    vector, x = needed.Vector(4.0, 3.0, most=1), (0, 2)

    def chance(integrand):
        weighted = (lambda r: integrand(r + needed.THRESHOLD) * laplace.pdf(r, scale=4.0),)
        return quad(*weighted, -200, 200, points=[-1, 0, 1], limit=400)[0]

    def below(r, query):
        return laplace.cdf(r - x[query], scale=3.0)

    expected = [
        chance(lambda r: 1 - below(r, 0)),
        chance(lambda r: below(r, 0) * (1 - below(r, 1))),
        chance(lambda r: below(r, 0) * below(r, 1)),
    ]
    assert vector.law(x) == pytest.approx(expected, abs=1e-4)
    of_all, valued = (needed.Vector(4.0, 3.0, most, bins).law(x) for most, bins in ((2, 1), (1, 7)))
    assert of_all.sum() == pytest.approx(1)
    assert valued[:7].sum() == pytest.approx(expected[0], abs=1e-4)


@pytest.mark.parametrize("q", [(0.3, 0.3, 0.4), (0.1, 0.5, 0.4), (0.05, 0.05, 0.9)])
def test_runs_needed_are_those_of_the_nearest_laws_that_keep_the_claim(q):
    p, q = np.array([0.4, 0.4, 0.2]), np.array(q)

    def distance(both):
        return (p @ np.log(p / both[:3]) + q @ np.log(q / both[3:])) / 2

    limits = [{"type": "eq", "fun": lambda both: [both[:3].sum() - 1, both[3:].sum() - 1]}]
    limits += [
        {"type": "ineq", "fun": lambda both, s=s: needed.EPSILON - s * np.log(both[:3] / both[3:])}
        for s in (1, -1)
    ]
    middle = np.concatenate([(p + q) / 2] * 2)
    least = minimize(
        distance, middle, constraints=limits, bounds=[(1e-6, 1)] * 6, options={"ftol": 1e-14}
    )
    assert needed.runs_needed(p, q) == pytest.approx(np.log(20) / least.fun, rel=1e-5)


def test_no_run_is_enough_where_the_claim_holds():
    assert needed.runs_needed(np.array([0.5, 0.5]), np.array([0.52, 0.48])) == np.inf
