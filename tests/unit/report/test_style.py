import re
from itertools import product

import pytest

from deniable.report import style
from deniable.report.style import PALETTE, stylesheet


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("palette", "role", "ground"),
    list(product([PALETTE, style._DARK], ["ink", "muted", "accent", "target"], ["paper", "panel"])),
)
def test_text_has_enough_contrast(palette, role, ground):
    assert contrast(palette[role], palette[ground]) >= 4.5


@pytest.mark.parametrize("palette", [PALETTE, style._DARK])
def test_bars_and_the_band_can_be_told_from_the_page(palette):
    assert contrast(palette["bar"], palette["ink"]) >= 3
    assert palette["band"] != palette["paper"]


def test_both_palettes_have_the_same_roles():
    assert PALETTE.keys() == style._DARK.keys()
    assert len(set(PALETTE.values())) == len(PALETTE)


def test_the_style_sheet_asks_for_nothing_outside_and_knows_every_variable():
    css = stylesheet()
    assert "url(" not in css
    assert "@import" not in css
    assert set(re.findall(r"var\(--(\w+)\)", css)) <= PALETTE.keys()
    assert css.count("{") == css.count("}")
