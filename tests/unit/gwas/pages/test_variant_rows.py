"""The table of published variants, read back from the page."""

import re
from html.parser import HTMLParser

import attrs
import numpy as np
import pytest

from deniable.gwas.pages import variant_rows
from deniable.gwas.publication import CountNoise, noisy_alleles
from tests.cases.sample_study import SIZE, released, study_certificate


class Table(HTMLParser):
    """Texts of cells by row, and the classes inside each row."""

    def __init__(self, source):
        super().__init__()
        self.rows, self.classes, self._cell = [], [], None
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
            self.classes.append(set())
        if tag in ("td", "th"):
            self.rows[-1].append([])
            self._cell = self.rows[-1][-1]
        self.classes[-1].add(dict(attributes).get("class")) if self.classes else None

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


def number(word):
    return float(word.replace(",", "").replace("−", "-"))


def show_rows(counts, noise):
    """Rows of the table for pairs of noisy counts, and what was published of each."""
    values = list(noisy_alleles(np.array(counts).T.ravel(), SIZE.cases, SIZE.controls, noise))
    variants = [
        attrs.evolve(each, noisy=noisy)
        for each, noisy in zip(released(len(counts)), values, strict=True)
    ]
    table = Table(variant_rows(study_certificate(top=len(counts), statistics=True), variants))
    return list(zip(table.rows[1:], table.classes[1:], values, strict=True))


COUNTS = [[0, 88], [700, 400], [-30, -5], [2004, 4100], [650, 1290]]


@pytest.mark.parametrize("noise", [CountNoise(35, 55), CountNoise(400, 610), CountNoise(0, 0)])
def test_numbers_have_ends_and_those_that_noise_explains_are_faint(noise):
    for cells, classes, noisy in show_rows(COUNTS, noise):
        chi_squared, above, *_ = cells[5:]
        least, most = map(number, chi_squared[1].split(" to "))
        width = noisy.chi_squared_high - noisy.chi_squared_low
        assert least == pytest.approx(noisy.chi_squared_low, abs=0.06 * width + 1e-4)
        assert most == pytest.approx(noisy.chi_squared_high, abs=0.06 * width + 1e-4)
        assert above == ["yes" if noisy.above_noise else "no"]
        assert ("faint" in classes) is not noisy.above_noise
        assert (least > 0) is noisy.above_noise


def test_a_chi_squared_has_no_more_decimals_than_its_ends_deserve():
    (_, _, first), *_ = [(c, k, n) for c, k, n in show_rows(COUNTS, CountNoise(35, 55))]
    assert first.chi_squared == pytest.approx(44, abs=1)
    cells = show_rows(COUNTS, CountNoise(35, 55))[0][0]
    assert re.fullmatch(r"\d+", cells[5][0])
    assert re.fullmatch(r"\d+ to \d+", cells[5][1])


def test_without_statistics_there_are_names_only():
    shown = variant_rows(study_certificate(), released())
    assert [len(row) for row in Table(shown).rows] == [5] * 4
    assert "<p" not in shown
