"""Charts as SVG: the marks, scales and axes of Vega-Lite that our pages use.

Vega draws the same, and tests compare each mark and tick. But it brings a browser's engine, which
takes a third of the time that a small release takes, and a quarter of its memory.
"""

import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import attrs

from deniable.report.html import PALETTE, text

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
_SIZE = 13  # pixels of a letter's height, in labels and titles
_LINE = 15  # height of a line of a label, in pixels
_TICK = 5  # length of a tick, in pixels
_LABEL = 7  # from an axis to its labels, in pixels
_TITLE = 10  # from labels to the title of an axis, in pixels
_GAP = 4  # least space between labels, in pixels
_APART = 40  # pixels between ticks whose number nobody chose, at least and about
_PADDING = 5  # around a chart, in pixels
_BETWEEN = 20  # between charts, in pixels
_SWATCH = 25  # length of a line in a legend, in pixels
_POINT = 30  # area of a point's square that nobody chose, in square pixels
_BASELINES = {"top": 0.79, "middle": 0.3, "bottom": -0.21}  # shifts of a text, in its height
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_NARROW, _WIDE = frozenset("ijlftrI.,:;!|'()[] "), frozenset("mwMWGOQ@%&—…→")
_NICE = 10  # intervals into which a domain is divided, where it is widened to round numbers
_WIDENINGS = 10  # each can make the step coarser; two or three are usual
_PLAIN = 1e15  # from here on a label in full is wider than the chart
_DECIMALS = 12  # more in a label are written as a power of ten
_MINUS = "\N{MINUS SIGN}"

Row = Mapping[str, Any]
Box = tuple[float, float, float, float]  # left, top, right and bottom, in pixels


@attrs.frozen
class Numbers:
    """A scale of numbers, linear or logarithmic, that ends after `length` pixels."""

    domain: tuple[float, float]
    length: float
    inverted: bool = False  # a y axis: numbers grow upwards
    logarithmic: bool = False

    def position(self, value: Any) -> float:
        """Return a number's place in pixels; one value alone stands in the middle."""
        low, high, value = (  # halves, for a domain may be wider than the largest float
            math.log(each) if self.logarithmic else each / 2 for each in (*self.domain, value)
        )
        share = (value - low) / (high - low) if high != low else 0.5
        return self.length * (1 - share if self.inverted else share)

    def ticks(self, count: int) -> list[float]:
        """Return round numbers within the domain, about `count`."""
        low, high = sorted(self.domain)
        step = _tick_step(low, high, count)
        if not step:
            return [low]
        first, last = math.ceil(_in_steps(low, step)), math.floor(_in_steps(high, step))
        return [float(step * i) for i in range(first, last + 1)]

    def digits(self, count: int) -> int:
        """Return the decimals that tell `count` ticks apart."""
        step = _tick_step(min(self.domain), max(self.domain), count)
        exponent: Any = step.normalize().as_tuple().exponent
        return max(0, -int(exponent)) if step else 0


@attrs.frozen
class Names:
    """A scale of names from top to bottom, each in a band of `step` pixels."""

    names: Sequence[Any]
    step: float

    def position(self, value: Any) -> float:
        """Return the middle of a name's band, in pixels."""
        return self.step * (self.names.index(value) + 0.5)


def _tick_step(low: float, high: float, count: int) -> Decimal:
    """Return 1, 2 or 5 times a power of ten that makes about `count` steps; 0 for no width."""
    if not 0 < (rough := high / count - low / count) < math.inf:
        return Decimal(0)
    power = math.floor(math.log10(rough))
    error = float(Decimal(rough).scaleb(-power))
    # Halfway, as ratios, between the multiples.
    factor = next((f for f, below in ((10, 5), (5, 2), (2, 1)) if error >= math.sqrt(f * below)), 1)
    return Decimal(factor).scaleb(power)


def _in_steps(value: float, step: Decimal) -> Decimal:
    """A value in steps; one that a rounding keeps from being a multiple is one."""
    steps = Decimal(value) / step
    return round(steps, 9) if abs(steps) < _PLAIN else round(steps, 0)


def widen(low: float, high: float) -> tuple[float, float]:
    """Widen a domain to round numbers."""
    before = None
    for _ in range(_WIDENINGS):
        step = _tick_step(low, high, _NICE)
        if not step or step == before:
            break
        first, last = math.floor(_in_steps(low, step)), math.ceil(_in_steps(high, step))
        limits = float(step * first), float(step * last)
        if not all(map(math.isfinite, limits)):
            break
        (low, high), before = limits, step
    return low, high


def percent(value: float) -> str:
    """A share in percent, with four significant digits."""
    return trim(value * 100, 4)


def trim(value: float, digits: int) -> str:
    """A number of some significant digits without zeros at its end."""
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-6 <= abs(value) < _PLAIN:  # as other programs write them
        text = f"{Decimal(text).normalize():f}"
    return text.replace("e-0", "e-").replace("e+0", "e+").replace("-", _MINUS)


def full(value: float, digits: int = 0, *, grouped: bool = True) -> str:
    """A number with its thousands apart and so many decimals."""
    if abs(value) >= _PLAIN or digits > _DECIMALS:
        return trim(value, 3)
    text = f"{value:,.{digits}f}" if grouped else f"{value:.{digits}f}"
    return ("0" if not float(text.replace(",", "")) and not digits else text).replace("-", _MINUS)


Scale = Numbers | Names


@attrs.frozen
class _Part:
    """One mark, the rows that it shows, and by what."""

    rows: Sequence[Row]
    mark: Mapping[str, Any]
    encoding: Mapping[str, Any]


@attrs.define
class _Canvas:
    """Shapes, and the box that they take."""

    shapes: list[str] = attrs.field(factory=list)
    box: Box = (math.inf, math.inf, -math.inf, -math.inf)

    def add(self, shape: str, *points: tuple[float, float]) -> None:
        """Draw a shape that reaches these points."""
        self.shapes.append(shape)
        left, top, right, bottom = self.box
        xs, ys = zip(*points, strict=True)
        self.box = min(left, *xs), min(top, *ys), max(right, *xs), max(bottom, *ys)

    def path(self, d: str, points: Sequence[tuple[float, float]], **look: Any) -> None:
        self.add(f'<path d="{d}"{_attributes(look)}/>', *points)

    def line(self, x: float, y: float, x2: float, y2: float, **look: Any) -> None:
        segment = {"x1": _n(x), "y1": _n(y), "x2": _n(x2), "y2": _n(y2)}
        self.add(f"<line{_attributes(segment | look)}/>", (x, y), (x2, y2))

    def write(
        self, words: str, x: float, y: float, size: float = _SIZE, align: str = "left",
        baseline: str = "alphabetic", *, upright: bool = False, **look: Any,
    ) -> None:  # fmt: skip
        """Write one line of text, or from below to above where it is `upright`."""
        down = _BASELINES.get(baseline, 0) * size
        width = measure(words, size)
        start = {"left": 0.0, "center": -width / 2, "right": -width}[align]
        top, bottom = down - 0.8 * size, down + 0.2 * size
        corners = [(start, top), (start + width, bottom)]
        if upright:
            place = {"transform": f"translate({_n(x)},{_n(y)}) rotate(-90) translate(0,{_n(down)})"}
            corners = [(b, -a) for a, b in corners]
        else:
            place = {"x": _n(x), "y": _n(y + down)}
        style = {"text-anchor": _ANCHORS[align], "font-size": f"{_n(size)}px", **look}
        shape = f"<text{_attributes(place | style)}>{text(words)}</text>"
        self.add(shape, *((x + a, y + b) for a, b in corners))

    def take(self, other: "_Canvas", right: float, down: float) -> None:
        """Draw another canvas within this one."""
        left, top, far, bottom = other.box
        place = f'<g transform="translate({_n(right)},{_n(down)})">{"".join(other.shapes)}</g>'
        self.add(place, (left + right, top + down), (far + right, bottom + down))


def draw(chart: Mapping[str, Any]) -> tuple[float, float, str]:
    """Return the width and height of a chart, in pixels, and its shapes."""
    canvas = _compose(chart)
    padded = _Canvas()
    padded.take(canvas, math.ceil(_PADDING - canvas.box[0]), math.ceil(_PADDING - canvas.box[1]))
    width, height = (math.ceil(end) + _PADDING for end in padded.box[2:])
    return width, height, f'<g font-family="{FONT}">{"".join(padded.shapes)}</g>'


def _compose(chart: Mapping[str, Any]) -> _Canvas:
    """A chart alone, or several beside or below each other, on axes that begin together."""
    if "vconcat" not in chart and "hconcat" not in chart:
        return _draw_plot(chart)
    canvas, end = _Canvas(), 0.0
    for each in chart.get("vconcat") or chart["hconcat"]:
        plot = _compose(each)
        first, last = plot.box[1::2] if "vconcat" in chart else plot.box[::2]
        at = end - first + _BETWEEN if canvas.shapes else 0.0
        canvas.take(plot, *((0.0, at) if "vconcat" in chart else (at, 0.0)))
        end = at + last
    if "title" in chart:
        _write_title(canvas, chart["title"], (canvas.box[0] + canvas.box[2]) / 2)
    return canvas


def _draw_plot(chart: Mapping[str, Any]) -> _Canvas:
    """A grid, axes upon it, and upon these the marks in their order."""
    parts = list(_parts(chart))
    ys = _find_names(parts, "y")
    width, height = chart["width"], chart["height"]
    step = height["step"] if isinstance(height, Mapping) else height / max(len(ys), 1)
    height = step * max(len(ys), 1) if ys or isinstance(height, Mapping) else height
    scales: dict[str, Scale] = {}
    for channel, length in (("x", width), ("y", height)):
        if channel == "y" and ys:
            scales[channel] = Names(ys, step)
        elif any("field" in part.encoding.get(channel, ()) for part in parts):
            scales[channel] = _numbers(parts, channel, length)
    canvas = _Canvas(box=(0.0, 0.0, width, height))
    axes = [_Axis.of(parts, channel, scale, width, height) for channel, scale in scales.items()]
    for axis in axes:
        axis.draw_grid(canvas)
    for axis in axes:
        axis.draw(canvas)
    for part in parts:
        _MARKS[part.mark["type"]](canvas, _Marks(part, scales, width, height))
    _write_legend(canvas, parts)
    if "title" in chart:
        _write_title(canvas, chart["title"], width / 2)
    return canvas


def _parts(chart: Mapping[str, Any]) -> Iterator[_Part]:
    if "layer" in chart:
        for each in chart["layer"]:
            yield from _parts(each)
        return
    rows: Sequence[Row] = chart["data"]["values"]
    for transform in chart.get("transform", ()):
        name = re.fullmatch(r"isValid\(datum\.(\w+)\)", transform["filter"])
        assert name, transform  # no other filter is written in this package
        rows = [row for row in rows if row[name[1]] is not None]
    mark = dict(chart["mark"])
    yield _Part(rows, mark, chart.get("encoding", {}))
    if mark.pop("point", False):  # a line that shows its points
        look = {"type": "point", "filled": True, "opacity": 1, "color": mark.get("color")}
        yield _Part(rows, look, chart["encoding"])


def _definitions(parts: Sequence[_Part], channel: str) -> list[Mapping[str, Any]]:
    """What the parts say of a channel that shows a column."""
    return [part.encoding[channel] for part in parts if "field" in part.encoding.get(channel, ())]


def _find_names(parts: Sequence[_Part], channel: str) -> list[Any]:
    """Names of a channel, in the order of their rows; none where it shows numbers."""
    names: dict[Any, None] = {}
    for part in parts:
        definition = part.encoding.get(channel, {})
        if "field" in definition and definition["type"] == "nominal":
            names |= dict.fromkeys(row[definition["field"]] for row in part.rows)
    return list(names)


def _numbers(parts: Sequence[_Part], channel: str, length: float) -> Numbers:
    """The scale of all numbers that the parts show by a channel."""
    definitions = [known.get("scale") or {} for known in _definitions(parts, channel)]
    settings: dict[str, Any] = {}
    for each in reversed(definitions):
        settings |= each
    is_log = settings.get("type") == "log"
    values = settings.get("domain") or [
        float(row[part.encoding[each]["field"]])
        for part in parts
        for each in (channel, f"{channel}2")
        if "field" in part.encoding.get(each, ())
        for row in part.rows
        if row[part.encoding[each]["field"]] is not None
    ]
    if "domain" not in settings and settings.get("zero", not is_log):
        values.append(0.0)
    nice = settings.get("nice", "domain" not in settings)
    if nice or "domain" not in settings:
        low, high = min(values, default=0.0), max(values, default=1.0)
        values = widen(low, high) if nice else (low, high)
    return Numbers((values[0], values[1]), length, channel == "y", is_log)


@attrs.frozen
class _Axis:
    """An axis: its scale, how it looks, its title, and its ticks with their labels."""

    scale: Scale
    look: Mapping[str, Any] | None
    title: str | None
    vertical: bool
    across: float  # how far its grid reaches, in pixels
    end: float  # how long it is, in pixels

    @classmethod
    def of(
        cls, parts: Sequence[_Part], channel: str, scale: Scale, width: float, height: float
    ) -> "_Axis":
        """The axis of a channel, as the first part that says something of it wants it."""
        definitions = _definitions(parts, channel)
        empty: Mapping[str, Any] = {}
        look = next((each["axis"] for each in definitions if "axis" in each), empty)
        names = list(dict.fromkeys(each["field"] for each in definitions))
        titles = [each["title"] for each in definitions if "title" in each]
        title = (look or {}).get("title", titles[0] if titles else ", ".join(names))
        vertical = channel == "y"
        across, end = (width, height) if vertical else (height, width)
        return cls(scale, look, title, vertical, across, end)

    def ticks(self) -> list[tuple[float, list[str]]]:
        """Places in pixels, and the lines of each label; labels that would overlap are empty."""
        assert self.look is not None
        if isinstance(self.scale, Names):
            return [
                (self.scale.position(each), [
                    cut(line, self.look.get("labelLimit", 180)) for line in str(each).split("\n")
                ])
                for each in self.scale.names
            ]  # fmt: skip
        count = self.look.get("tickCount") or math.ceil(self.end / _APART)
        values = self.look.get("values") or self.scale.ticks(count)
        places = [self.scale.position(value) for value in values]
        labels = [self._label(value, self.scale.digits(count)) for value in values]
        apart = self.look.get("labelSeparation", _GAP)
        every = next(n for n in itertools.count(1) if self._fit(places[::n], labels[::n], apart))
        return [
            (place, [label] if i % every == 0 else [])
            for i, (place, label) in enumerate(zip(places, labels, strict=True))
        ]

    def _fit(self, places: Sequence[float], labels: Sequence[str], apart: float) -> bool:
        """Whether labels keep apart from each other."""
        sizes = [_SIZE if self.vertical else measure(label, _SIZE) for label in labels]
        neighbours = itertools.pairwise(sorted(zip(places, sizes, strict=True)))
        return all(x + w / 2 + apart <= x2 - w2 / 2 for (x, w), (x2, w2) in neighbours)

    def _label(self, value: float, digits: int) -> str:
        assert self.look is not None
        if "labelExpr" in self.look:
            return percent(value)
        form = self.look.get("format")
        if form == ".3~g":
            return trim(value, 3)
        return full(value, 0 if form else digits, grouped=form != "d")

    def draw_grid(self, canvas: _Canvas) -> None:
        if self.look is None or isinstance(self.scale, Names) or not self.look.get("grid", True):
            return
        for place, _ in self.ticks():
            segment = (
                (0, place, self.across, place) if self.vertical else (place, 0, place, self.across)
            )
            canvas.line(*segment, stroke=PALETTE["rule"])

    def draw(self, canvas: _Canvas) -> None:
        """Draw the line of the axis, its ticks, their labels and its title."""
        if self.look is None:
            return
        ticks, color, ink = self.ticks(), PALETTE["muted"], PALETTE["ink"]
        base = 0.0 if self.vertical else self.across
        if self.vertical:
            canvas.line(0, 0, 0, self.end, stroke=color)
        else:
            canvas.line(0, base, self.end, base, stroke=color)
        far = 0.0
        for place, lines in ticks:
            if self.vertical:
                canvas.line(-_TICK, place, 0, place, stroke=color)
                for i, line in enumerate(lines):
                    y = place + _LINE * (i - (len(lines) - 1) / 2)
                    canvas.write(line, -_LABEL, y, align="right", baseline="middle", fill=ink)
                    far = max(far, measure(line, _SIZE))
            else:
                canvas.line(place, base, place, base + _TICK, stroke=color)
                for line in lines:
                    canvas.write(
                        line, place, base + _LABEL, align="center", baseline="top", fill=ink
                    )
        if self.title and self.vertical:
            x = -_LABEL - far - _TITLE
            canvas.write(self.title, x, self.end / 2, align="center", upright=True, fill=ink)
        elif self.title:
            y = base + _LABEL + _SIZE + _TITLE
            canvas.write(self.title, self.end / 2, y, align="center", baseline="top", fill=ink)


@attrs.frozen
class _Marks:
    """A part with the scales that place its rows."""

    part: _Part
    scales: Mapping[str, Scale]
    width: float
    height: float

    def place(self, row: Row, channel: str, otherwise: float | None = None) -> float | None:
        """Return where a channel puts a row, in pixels; None for a row without a value."""
        definition = self.part.encoding.get(channel)
        if definition is None:
            return otherwise
        if "field" not in definition:
            return float(definition["value"])
        if (value := row[definition["field"]]) is None:
            return None
        return self.scales[channel.rstrip("2")].position(value)

    def zero(self, channel: str) -> float:
        """Return where bars and areas begin that have no other end."""
        scale = self.scales[channel]
        assert isinstance(scale, Numbers)
        low, high = sorted(scale.domain)
        return scale.position(min(max(0.0, low), high))

    def color(self, row: Row, channel: str) -> str | None:
        definition = self.part.encoding.get(channel)
        if definition is None:
            return None
        if "field" in definition:
            value = row[definition["field"]]
            scale = definition.get("scale")
            return str(_by_name(scale, value) if scale else value)
        if (condition := definition.get("condition")) and row[
            condition["test"].removeprefix("datum.")
        ]:
            return str(condition["value"])
        return str(definition["value"])

    def look(self, row: Row, *, filled: bool) -> dict[str, Any]:
        """Return fill, stroke, width, dashes and opacity of a row's shape."""
        mark = self.part.mark
        color = self.color(row, "color") or mark.get("color")
        fill = self.color(row, "fill") or mark.get("fill") or (color if filled else "none")
        stroke = mark.get("stroke") or (None if filled else color)
        dash = mark.get("strokeDash")
        if "strokeDash" in self.part.encoding and mark["type"] == "line":
            definition = self.part.encoding["strokeDash"]
            dash = _by_name(definition["scale"], row[definition["field"]])
        return {
            "fill": fill,
            "stroke": stroke,
            "stroke-width": mark.get("strokeWidth") if stroke else None,
            "stroke-dasharray": ",".join(map(str, dash)) if dash and dash != [1, 0] else None,
            "opacity": mark.get("opacity"),
        }

    def places(self, row: Row, channels: Sequence[str]) -> list[float] | None:
        """Return where a row is by these channels, or None where it has no value by one."""
        edges = {"x": 0.0, "x2": self.width, "y": 0.0, "y2": self.height}
        places = [self.place(row, channel, edges[channel]) for channel in channels]
        return None if None in places else [each for each in places if each is not None]

    def rows(self, *channels: str) -> Iterator[tuple[Row, list[float]]]:
        """Each row that has them with its places; without a channel from end to end."""
        for row in self.part.rows:
            if (places := self.places(row, channels)) is not None:
                yield row, places


def _by_name(scale: Mapping[str, Any], value: Any) -> Any:
    return scale["range"][scale["domain"].index(value)]


def _draw_rects(canvas: _Canvas, marks: _Marks) -> None:
    for row, (left, right, top, bottom) in marks.rows("x", "x2", "y", "y2"):
        _draw_rect(canvas, marks, row, left, right, top, bottom)


def _draw_bars(canvas: _Canvas, marks: _Marks) -> None:
    """Horizontal bars, from their other end or from zero."""
    half = marks.part.mark["height"] / 2
    far = ["x2"] if "x2" in marks.part.encoding else []
    for row, (x, y, *other) in marks.rows("x", "y", *far):
        end = other[0] if other else marks.zero("x")
        _draw_rect(canvas, marks, row, x, end, y - half, y + half)


def _draw_rect(
    canvas: _Canvas, marks: _Marks, row: Row, x: float, x2: float, y: float, y2: float
) -> None:
    (left, right), (top, bottom) = sorted((x, x2)), sorted((y, y2))
    size = {"x": _n(left), "y": _n(top), "width": _n(right - left), "height": _n(bottom - top)}
    look = marks.look(row, filled=True)
    canvas.add(f"<rect{_attributes(size | look)}/>", (left, top), (right, bottom))


def _draw_areas(canvas: _Canvas, marks: _Marks) -> None:
    """A surface from one curve to another, or to zero; a row without a value divides it."""
    far = ["y2"] if "y2" in marks.part.encoding else []
    for run in _runs(marks, ["x", "y", *far]):
        upper = [(x, y) for _, (x, y, *_) in run]
        lower = [(x, other[0] if other else marks.zero("y")) for _, (x, _, *other) in run]
        step = marks.part.mark.get("interpolate", "linear")
        back = {"step-after": "step-before", "step-before": "step-after"}.get(step, step)
        d = f"M{_through(upper, step)}L{_through(lower[::-1], back)}Z"
        canvas.path(d, upper + lower, **marks.look(run[0][0], filled=True))


def _draw_lines(canvas: _Canvas, marks: _Marks) -> None:
    """A curve for each colour, from left to right or in a given order."""
    for run in _runs(marks, ["x", "y"]):
        points = [(x, y) for _, (x, y) in run]
        d = f"M{_through(points, marks.part.mark.get('interpolate', 'linear'))}"
        canvas.path(d, points, **marks.look(run[0][0], filled=False))


def _runs(marks: _Marks, channels: Sequence[str]) -> Iterator[list[tuple[Row, list[float]]]]:
    """Rows of one curve at a time, as long as each has its places."""
    encoding = marks.part.encoding
    by = encoding["color"]["field"] if "field" in encoding.get("color", ()) else None
    order = encoding.get("order", encoding["x"])["field"]
    for name in dict.fromkeys(row[by] if by else None for row in marks.part.rows):
        rows = [row for row in marks.part.rows if not by or row[by] == name]
        rows = [row for row in rows if row[order] is not None]
        run: list[tuple[Row, list[float]]] = []
        for row in sorted(rows, key=lambda row: float(row[order])):
            places = marks.places(row, channels)
            if places is not None:
                run.append((row, places))
            elif run:
                yield run
                run = []
        if run:
            yield run


def _through(points: Sequence[tuple[float, float]], interpolate: str) -> str:
    """The path's words from point to point, along straight lines or steps."""
    words, before = [], points[0]
    for x, y in points:
        if interpolate == "step-after" and (x, y) != before:
            words.append(f"{_n(x)},{_n(before[1])}")
        elif interpolate == "step-before" and (x, y) != before:
            words.append(f"{_n(before[0])},{_n(y)}")
        words.append(f"{_n(x)},{_n(y)}")
        before = x, y
    return "L".join(words)


def _draw_points(canvas: _Canvas, marks: _Marks) -> None:
    mark = marks.part.mark
    half = math.sqrt(mark.get("size", _POINT)) / 2
    for row, (x, y) in marks.rows("x", "y"):
        look = marks.look(row, filled=mark.get("filled", False))
        corners = [(x - half, y), (x, y - half), (x + half, y), (x, y + half)]
        if mark.get("shape") == "diamond":
            canvas.path(f"M{_through(corners, 'linear')}Z", corners, **look)
        else:
            place = {"cx": _n(x), "cy": _n(y), "r": _n(half)}
            canvas.add(f"<circle{_attributes(place | look)}/>", *corners)


def _draw_rules(canvas: _Canvas, marks: _Marks) -> None:
    """Lines between two ends, or through the whole chart where a channel is missing."""
    encoding = marks.part.encoding
    for row, (x, x2, y, y2) in marks.rows("x", "x2", "y", "y2"):
        right = x2 if "x2" in encoding or "x" not in encoding else x
        bottom = y2 if "y2" in encoding or "y" not in encoding else y
        canvas.line(x, y, right, bottom, **marks.look(row, filled=False))


def _draw_ticks(canvas: _Canvas, marks: _Marks) -> None:
    mark = marks.part.mark
    half = mark.get("size", 15) / 2
    for row, (x, y) in marks.rows("x", "y"):
        look = marks.look(row, filled=False) | {"stroke-width": mark.get("thickness", 1)}
        if mark.get("orient") == "horizontal":
            canvas.line(x - half, y, x + half, y, **look)
        else:
            canvas.line(x, y - half, x, y + half, **look)


def _draw_texts(canvas: _Canvas, marks: _Marks) -> None:
    mark, size = marks.part.mark, marks.part.mark.get("fontSize", 11)
    for row, (x, y) in marks.rows("x", "y"):
        words = str(row[marks.part.encoding["text"]["field"]])
        look = marks.look(row, filled=True) | {"font-weight": mark.get("fontWeight")}
        canvas.write(
            cut(words, mark.get("limit", math.inf), size),
            x + mark.get("dx", 0), y + mark.get("dy", 0), size,
            mark.get("align", "center"), mark.get("baseline", "middle"), **look,
        )  # fmt: skip


_MARKS: dict[str, Callable[[_Canvas, _Marks], None]] = {
    "rect": _draw_rects, "bar": _draw_bars, "area": _draw_areas, "line": _draw_lines,
    "point": _draw_points, "rule": _draw_rules, "tick": _draw_ticks, "text": _draw_texts,
}  # fmt: skip


def _write_title(canvas: _Canvas, title: Any, middle: float) -> None:
    heading: Mapping[str, Any] = {"text": title} if isinstance(title, str) else title
    y = canvas.box[1] - _TITLE
    size, color = heading.get("fontSize", _SIZE), heading.get("color", PALETTE["ink"])
    bold: dict[str, Any] = {"font-weight": "bold"}
    if subtitle := heading.get("subtitle"):
        canvas.write(subtitle, middle, y, align="center", fill=color)
        y -= _LINE
    canvas.write(heading["text"], middle, y, size, "center", fill=color, **bold)


def _write_legend(canvas: _Canvas, parts: Sequence[_Part]) -> None:
    """Write what each colour means below the chart, a line each."""
    definitions = [each for each in _definitions(parts, "color") if each.get("legend")]
    if not definitions:
        return
    dashes = _definitions(parts, "strokeDash")[0]["scale"]
    top = canvas.box[3] + _TITLE
    for i, (name, color) in enumerate(zip(*definitions[0]["scale"].values(), strict=True)):
        y = top + 1.3 * _LINE * (i + 0.5)
        dash = ",".join(map(str, _by_name(dashes, name)))
        look: dict[str, Any] = {"stroke": color, "stroke-width": 2, "stroke-dasharray": dash}
        canvas.line(0, y, _SWATCH, y, **look)
        canvas.write(name, _SWATCH + _LABEL, y, baseline="middle", fill=PALETTE["ink"])


def measure(words: str, size: float) -> float:
    """Bound the width of a line of text in pixels, for fonts as wide as DejaVu Sans."""
    em = sum(
        0.0 if unicodedata.combining(each) or each == "\u200b"
        else 1.05 if each in _WIDE or unicodedata.east_asian_width(each) in "WF"
        else 0.42 if each in _NARROW
        else 0.72 if each.isupper()
        else 0.64
        for each in words
    )  # fmt: skip
    return em * size


def cut(words: str, limit: float, size: float = _SIZE) -> str:
    """A text that takes at most so many pixels, with … where something is left out."""
    if measure(words, size) <= limit:
        return words
    while words and measure(f"{words}…", size) > limit:
        words = words[:-1]
    return f"{words}…"


def _n(number: float) -> str:
    """A number of pixels in hundredths, without zeros at its end."""
    if not math.isfinite(number):
        raise ValueError("Expected finite numbers in a chart, got another one.")
    return f"{number + 0.0:.2f}".rstrip("0").rstrip(".")


def _attributes(look: Mapping[str, Any]) -> str:
    return "".join(f' {name}="{value}"' for name, value in look.items() if value is not None)
