import re

import pytest

from deniable.report.icons import icon_array
from deniable.report.style import PALETTE


def filled(svg: str) -> dict[str, int]:
    groups = re.findall(r'<g fill="([^"]+)"[^>]*>(.*?)</g>', svg)
    return {colour: inside.count("<use ") for colour, inside in groups}


@pytest.mark.parametrize(
    ("total", "before", "after"), [(100, 5, 13), (100, 0, 100), (1000, 4, 12), (100, 7, 7)]
)
def test_as_many_icons_as_it_says(total, before, after):
    svg = icon_array(total, before, after, "i", "title", "description")
    assert filled(svg) == {
        PALETTE["accent"]: before,
        PALETTE["target"]: after - before,
        PALETTE["paper"]: total - after,
    }


def test_the_array_is_an_image_with_a_text():
    svg = icon_array(100, 5, 13, "i", "After: 13 in 100", "a <b>")
    assert 'role="img" aria-labelledby="i-title i-desc"' in svg
    assert '<title id="i-title">After: 13 in 100</title>' in svg
    assert "a &lt;b&gt;" in svg


def test_no_two_icons_share_a_place():
    places = re.findall(r'x="(\d+)" y="(\d+)"', icon_array(1000, 4, 12, "i", "t", "d"))
    assert len(set(places)) == 1000
