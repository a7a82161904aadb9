"""Charts as Vega-Lite describes them: data, a mark, what its channels show, and layers of these.

Altair says the same, compares each part with Vega-Lite's schema as it is made, and takes half of
the time that a page takes; the tests make that comparison instead. Notebooks get Altair's charts.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import attrs

_TYPES = {"Q": "quantitative", "N": "nominal"}
_SECOND = ("x2", "y2")  # channels whose type is that of the first
Rows = list[Mapping[str, Any]]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


@attrs.frozen
class Chart:
    """A chart, or a part of one; each method returns another and leaves this one as it is."""

    specification: Mapping[str, Any]

    def mark(self, kind: str, /, **look: Any) -> Self:
        """Draw each row as a bar, a rule, a line…; a look of None is left to Vega-Lite."""
        known = {name: value for name, value in look.items() if value is not None}
        return self.properties(mark={"type": kind, **known})

    def encode(self, **channels: Any) -> Self:
        """Say what places and colours show: `"name:Q"`, `channel(...)`, `value(...)`; or None."""
        encoding = dict(self.specification.get("encoding", {}))
        for name, content in channels.items():
            if content is None:
                encoding.pop(name, None)
            else:
                encoding[name] = _encode(name, content)
        return self.properties(encoding=encoding)

    def filter(self, expression: str) -> Self:
        """Leave out the rows for which Vega's expression is false."""
        return self.properties(
            transform=[*self.specification.get("transform", ()), {"filter": expression}]
        )

    def properties(self, **properties: Any) -> Self:
        """Set width, height, title and whatever else the whole chart has."""
        return attrs.evolve(self, specification={**self.specification, **properties})

    def as_json(self) -> dict[str, Any]:
        """What Vega-Lite reads; rows that several parts show stand in it once."""
        datasets: dict[int, Rows] = {}
        parts = _name_data(self.specification, datasets)
        named = {f"data-{number}": rows for number, rows in enumerate(datasets.values())}
        return {"$schema": _SCHEMA, **parts, "datasets": named}


def _name_data(part: Mapping[str, Any], datasets: dict[int, Rows]) -> dict[str, Any]:
    """A part whose rows are named and not written out; the rows are added to the others."""
    result = dict(part)
    for several in ("layer", "vconcat", "hconcat"):
        if several in part:
            result[several] = [_name_data(each, datasets) for each in part[several]]
    if "data" in part:
        rows = part["data"]["values"]
        datasets.setdefault(id(rows), rows)
        result["data"] = {"name": f"data-{list(datasets).index(id(rows))}"}
    return result


def chart(rows: Sequence[Mapping[str, Any]]) -> Chart:
    """A chart of rows, which stand in it."""
    return Chart({"data": {"values": list(rows)}})


def layer(*parts: Chart) -> Chart:
    """Charts on top of each other, on common axes."""
    return Chart({"layer": [part.specification for part in parts]})


def stack(*parts: Chart) -> Chart:
    """Charts below each other."""
    return Chart({"vconcat": [part.specification for part in parts]})


def beside(*parts: Chart) -> Chart:
    """Charts side by side, each with colours and dashes of its own."""
    own = {"color": "independent", "strokeDash": "independent"}
    return Chart({"hconcat": [part.specification for part in parts], "resolve": {"scale": own}})


def channel(column: str, **properties: Any) -> dict[str, Any]:
    """A column with its type, `"name:Q"` or `"name:N"`, and how its scale, axis or legend looks.

    None is said to Vega-Lite: no title, no axis, no legend, the order of the rows.
    """
    name, _, letter = column.rpartition(":")
    return {"field": name, "type": _TYPES[letter], **properties}


def title(text: str, **look: Any) -> dict[str, Any]:
    """A line above the chart, and below it in small letters a `subtitle`."""
    return {"text": text, **look}


def value(constant: Any) -> dict[str, Any]:
    """A place in pixels, or a look, that does not depend on the row."""
    return {"value": constant}


def when(expression: str, then: Any, otherwise: Any) -> dict[str, Any]:
    """One look where Vega's expression is true, another elsewhere."""
    return {"condition": {"test": expression, "value": then}, "value": otherwise}


def _encode(name: str, content: Any) -> Any:
    if isinstance(content, list):
        return [_encode(name, each) for each in content]
    content = channel(content) if isinstance(content, str) else dict(content)
    if name in _SECOND:
        content.pop("type", None)
    return content
