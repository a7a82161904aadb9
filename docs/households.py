"""What households cost in noise, as a table and a picture; `python docs/households.py` writes both.

The table stands on the page below its mark, the picture beside it.
"""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import vl_convert

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, too

from deniable.correlation import Households, person_epsilon
from docs.tables import head, row, with_tables

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER / "explanation" / "what-households-do-to-a-guarantee.md"
PICTURE = FOLDER / "_static" / "households.svg"
FACTOR = 9
"""By which the odds of a belief may grow: from 10 % to 50 %."""
SIZES = (2, 4)
MOST = 8
"""People of a household in the picture."""
MODELS: dict[str, dict[str, float]] = {
    "tied in any way (group privacy)": {},
    "odds ratio at most 4": {"odds_ratio": 4},
    "odds ratio at most 2": {"odds_ratio": 2},
    "difference at most 0.1": {"difference": 0.1},
    "intra-class correlation at most 0.2": {"icc": 0.2},
    "intra-class correlation at most 0.05": {"icc": 0.05},
}


def epsilon_of(size: int, model: dict[str, float]) -> float:
    """ε of each person that keeps the household's odds within the factor."""
    return person_epsilon(math.log(FACTOR), Households(size, **model))


def noise() -> Iterator[str]:
    """The table: ε of each person, and how far off a count then is."""
    yield head(
        "how a household is tied",
        *(each for k in SIZES for each in (f"{k} people: ε of each", "count within")),
    )
    for name, model in {"each person alone": None, **MODELS}.items():
        cells = []
        for size in SIZES:
            epsilon = epsilon_of(1, {}) if model is None else epsilon_of(size, model)
            # Pr[|Laplace noise of scale 1/ε| > w] = e^(−εw) = 0.05
            cells += [f"{epsilon:.4f}", f"± {math.log(20) / epsilon:.1f}"]
        yield row(name, *cells)


def page() -> str:
    """The page with the table."""
    text = PAGE.read_text(encoding="utf-8")
    return with_tables(text, "households", {"noise": noise()})


def picture() -> str:
    """ε of each person by the size of the household, a line a model, as SVG."""
    points = [
        {"people": k, "epsilon": epsilon_of(k, model), "tie": name}
        for name, model in MODELS.items()
        for k in range(1, MOST + 1)
    ]
    tie = {  # one legend for all three
        "field": "tie",
        "type": "nominal",
        "scale": {"domain": [*MODELS]},
        "title": None,
        "legend": {"orient": "bottom", "columns": 2, "labelLimit": 300},
    }
    chart = {
        "width": 480,
        "height": 300,
        "data": {"values": points},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {
                "field": "people",
                "type": "ordinal",
                "title": "people who belong together, at most",
                "axis": {"labelAngle": 0},
            },
            "y": {"field": "epsilon", "type": "quantitative", "title": "ε of each person"},
            **dict.fromkeys(("color", "strokeDash", "shape"), tie),
        },
    }
    return vl_convert.vegalite_to_svg(json.dumps(chart)) + "\n"


def main() -> None:
    """Write the table and the picture."""
    PAGE.write_text(page(), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
