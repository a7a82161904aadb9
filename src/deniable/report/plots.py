"""Charts of answers for notebooks: Altair objects, which a notebook draws and others may change."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, cast, get_args

from deniable.errors import InvalidArgument, validate
from deniable.errors.validate import in_full
from deniable.numerics.answer import PlotKind
from deniable.numerics.bound import Bound
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE
from deniable.report.sentences import at_most
from deniable.theorems.analysis import explain_guarantee, posterior_lower, posterior_upper
from deniable.theorems.derive import Derivation

_STEPS = 100  # points of a curve: smooth at the size it is drawn
_COLOURS = tuple(PALETTE[role] for role in ("accent", "target", "muted", "ink"))
"""Colours of budgets by turns; dashes tell them apart on paper."""
_DASHES = ([1, 0], [8, 4], [2, 3], [10, 3, 2, 3])  # pixels drawn and left out, by turns

Point = tuple[float, float]


class Budgeted(Protocol):
    """An answer that reads beliefs at a privacy loss."""

    @property
    def loss(self) -> float | Bound | None:
        """The privacy loss, natural logarithm; None where nothing bounds one."""

    def as_json(self) -> dict[str, Any]:
        """Return the answer as JSON, with ε and δ or the total."""


def budget_chart(answer: object, *others: object, kind: PlotKind = "posterior") -> Any:
    """Beliefs, or what attacks miss, of several budgets."""
    if validate.one_of(kind, get_args(PlotKind), "kind") == "posterior":
        return posterior_chart(answer, *others)
    answers = [_find_budgeted(each) for each in (answer, *others)]
    curves = []
    for label, each in zip(_labels(answers), answers, strict=True):
        if (points := getattr(each, "trade_off", None)) is None:
            wanted = "answers with a trade-off, such as of explain"
            raise InvalidArgument(f"Expected {wanted}, got {label}.")
        curves.append((label, points))
    return trade_off_chart(curves)


def posterior_chart(answer: object, *others: object) -> Any:
    """Belief after against belief before, a band a budget."""
    answers = [_find_budgeted(each) for each in (answer, *others)]
    curves = []
    for label, each in zip(_labels(answers), answers, strict=True):
        loss = each.loss.upper if isinstance(each.loss, Bound) else each.loss
        if loss is None:
            raise InvalidArgument(
                f"Expected a guarantee that bounds a privacy loss, got {label}. No theorem leads "
                'there; kind="trade-off" may show more.'
            )
        for prior in (step / _STEPS for step in range(_STEPS + 1)):
            low, high = posterior_lower(loss, prior), posterior_upper(loss, prior)
            curves.append({"before": prior, "low": low, "high": high, "budget": label})
    base = vega.chart(curves).encode(
        x=belief_axis("before", 1.0, "Belief before, %"), color=_by_budget(answers, _COLOURS)
    )
    filled = base.encode(color=None, fill=_by_budget(answers, _COLOURS, with_legend=False))
    after = belief_axis("low", 1.0, "Belief after, %")
    tooltips = [vega.channel(f"{field}:Q", format=".4f") for field in ("before", "low", "high")]
    dashes = _by_budget(answers, _DASHES)
    layers = [
        filled.mark("area", opacity=0.12).encode(y=after, y2="high:Q"),
        line([(0.0, 0.0), (1.0, 1.0)], PALETTE["rule"], dash=[], width=1.5),
        base.mark("line", strokeWidth=1.5).encode(y="low:Q", strokeDash=dashes, tooltip=tooltips),
        base.mark("line", strokeWidth=3).encode(y="high:Q", strokeDash=dashes, tooltip=tooltips),
    ]
    return finish(vega.layer(*layers).properties(width=SIDE, height=SIDE))


def verdict_chart(_verdict: object, label: str, curve: Sequence[Point]) -> Any:
    """The trade-off of one mechanism that was judged."""
    return trade_off_chart([(label, curve)])


def trade_off_chart(curves: Sequence[tuple[str, Sequence[Point]]]) -> Any:
    """The least share of members that an attack misses, against the share of others it flags.

    Curves fall in steps that are below every attack: the point on the right holds to its left.
    """
    rows = [
        {"flagged": x, "missed": y, "budget": label} for label, points in curves for x, y in points
    ]
    base = vega.chart(rows).encode(
        x=belief_axis("flagged", 1.0, "Others wrongly flagged, %"),
        y=belief_axis("missed", 1.0, "Members missed, %"),
        color=_by_budget(curves, _COLOURS),
        strokeDash=_by_budget(curves, _DASHES),
        tooltip=[vega.channel(f"{field}:Q", format=".4f") for field in ("flagged", "missed")],
    )
    layers = [
        line([(0.0, 1.0), (1.0, 0.0)], PALETTE["rule"], dash=[], width=1.5),
        base.mark("line", strokeWidth=3, interpolate="step-before"),
    ]
    return finish(vega.layer(*layers).properties(width=SIDE, height=SIDE))


def _find_budgeted(answer: Any) -> Budgeted:
    """The answer, or the plan or the training within it, that has a budget."""
    if isinstance(answer, Derivation):
        return explain_guarantee(answer.target)
    within = (getattr(answer, name, None) for name in ("prepared", "explanation"))
    budgeted: Any = next((each for each in (answer, *within) if hasattr(each, "loss")), None)
    if budgeted is None:
        wanted = "answers with a budget, such as of explain"
        raise InvalidArgument(f"Expected {wanted}, got {type(answer).__name__}.")
    return cast(Budgeted, budgeted)


def budget_label(answer: Budgeted) -> str:
    """What a budget is called in a legend."""
    content = answer.as_json()
    if "epsilon" not in content:
        return str(content["guarantee"] if "guarantee" in content else content["to"]["spec"])
    delta = f", δ {in_full(content['delta'])}" if content.get("delta") else ""
    return f"ε {at_most(float(content['epsilon']))}{delta}"


def _labels(answers: Sequence[Budgeted]) -> Iterator[str]:
    """Names that differ, in order."""
    seen: dict[str, int] = {}
    for each in answers:
        label = budget_label(each)
        seen[label] = seen.get(label, 0) + 1
        yield label if seen[label] == 1 else f"{label} ({seen[label]})"


def _by_budget(
    answers: Sequence[object], values: Sequence[Any], *, with_legend: bool = True
) -> Any:
    """A look for each budget by turns, with one legend where there are several."""
    legend = {"title": None} if with_legend and len(answers) > 1 else None
    looks = [values[index % len(values)] for index in range(len(answers))]
    return vega.channel("budget:N", scale={"range": looks}, sort=None, legend=legend)
