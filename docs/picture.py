"""The picture of the front page; `python docs/picture.py` draws it anew."""

import json
from pathlib import Path

import vl_convert

import deniable

PICTURE = Path(__file__).resolve().parent / "_static" / "belief.svg"
EPSILON = 1.0


def picture() -> str:
    """What ε = 1 lets an attacker believe, as `deniable.explain` draws it."""
    chart = deniable.explain(epsilon=EPSILON, prior=(0.05, 0.5)).plot()
    return vl_convert.vegalite_to_svg(json.dumps(chart.to_dict())) + "\n"


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
