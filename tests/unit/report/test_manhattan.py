import numpy as np
import pytest

from deniable.report.manhattan import WIDTH, GenomeAxis


def test_chromosomes_stand_side_by_side_in_file_order():
    axis = GenomeAxis.of(["9", "9", "X", "X"], [101, 200, 1, 300])
    nine, x = axis.chromosomes
    assert (nine.name, x.name) == ("9", "X")
    assert nine.start == 0
    assert nine.end < x.start
    assert x.end == pytest.approx(1)
    assert (x.end - x.start) / (nine.end - nine.start) == pytest.approx(3)


def test_every_variant_falls_on_its_chromosome():
    names = ["1"] * 3 + ["2"] * 3 + ["1"]
    positions = np.array([5, 9, 7, 1, 2, 3, 20])
    axis = GenomeAxis.of(names, positions)
    extents = {each.name: (each.start, each.end) for each in axis.chromosomes}
    places = axis.places(names, positions)
    for name, place in zip(names, places, strict=True):
        assert extents[name][0] < place < extents[name][1]
    assert list(np.argsort(places[[0, 2, 1, 6]])) == [0, 1, 2, 3]
    assert list(extents) == ["1", "2"]


def test_one_chromosome_fills_the_axis_and_positions_may_be_unknown():
    (only,) = GenomeAxis.of(["0", "0"], [0, 0]).chromosomes
    assert (only.start, only.end) == (0, 1)
    assert GenomeAxis.of(["0", "0"], [0, 0]).places(["0"], [0]).tolist() == [0.5]


def test_a_name_without_room_is_left_out():
    names = [f"scaffold_{index}" for index in range(60)]
    axis = GenomeAxis.of(names, np.zeros(60, dtype=int))
    shown = [each for each in axis.chromosomes if each.label]
    assert 3 < len(shown) < 60
    middles = [(each.start + each.end) / 2 for each in shown]
    assert np.diff(middles).min() * WIDTH > 8 * len("scaffold_0")
    assert GenomeAxis.of([], []).chromosomes == ()
