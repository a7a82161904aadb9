"""A page of sliders: beliefs, budgets, and what a plan's numbers are worth."""

import base64
import hashlib
import json
import os
import re
import sys
import tempfile
import webbrowser
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.guests import make_all
from deniable.explorer.certified import certified_curves
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.answer import Answer
from deniable.numerics.rounding import directed, lower
from deniable.pipeline.noise import Part, PublicPart, SelectionPart, VectorPart
from deniable.publish.budget import slack_of, weight_fractions
from deniable.publish.plan import HEADING, Plan, PlanInput, as_toml
from deniable.publish.prepare import Prepared
from deniable.publish.prepare import plan as prepared_plan
from deniable.publish.prepared_query import PreparedQuery
from deniable.report.html import PAGE_BEGINNING, legible, stylesheet, write_page


def open_in_browser(page: Path | str) -> bool:
    """Open a page, or an address, where there is a screen to show it; otherwise say so.

    A browser in a terminal would take the terminal over, so without a screen none is started.
    """
    wanted = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if not (sys.platform in ("darwin", "win32") or any(map(os.environ.get, wanted))):
        return False
    # Nothing that a browser prints, now or later, gets into what the command prints.
    kept: dict[int, int] = {}
    with ExitStack() as stack:
        for stream in (1, 2):
            with suppress(OSError):  # a stream that is closed shows nothing anyway
                kept[stream] = os.dup(stream)
                stack.callback(os.close, kept[stream])
        null = os.open(os.devnull, os.O_WRONLY)
        stack.callback(os.close, null)
        for stream, before in kept.items():
            os.dup2(null, stream)
            stack.callback(os.dup2, before, stream)
        try:
            return webbrowser.open(page if isinstance(page, str) else page.resolve().as_uri())
        except webbrowser.Error:
            return False


SCRIPTS = (
    "numbers.js", "beliefs.js", "targets.js", "noise.js", "counts.js", "variants.js",
    "trainings.js", "rules.js",
)  # fmt: skip
"""Formulas: they touch no page, so that they run anywhere."""
_PAGE_SCRIPTS = (
    "draw.js", "belief_tab.js", "plan_tab.js", "more_tabs.js", "rules_tab.js", "export.js",
    "main.js",
)  # fmt: skip
"""What shows them."""
MOST_BYTES = 96 * 1024
"""Bytes of a page, small enough for any mail; where it would pass, a plan's text is left out."""
_COMMENT = ("//", "/*", "*")  # what a line of nothing but a comment begins with
_SPACE = re.compile(r"\s*([{};,])\s*")
"""Space that no rule of a style sheet needs; what is quoted in ours holds none of these signs."""
_TOKENS = re.compile(r"""("[^"]*"|`[^`]*`)|[ ]*([=+*/<>?:&|!{}();,[\]-])[ ]*""")
"""Parts of a line of script: a text, or a sign with the blanks around it."""


def page(public: Mapping[str, Any]) -> str:
    """The whole page."""
    style = _SPACE.sub(r"\1", stylesheet(charts=False) + "\n" + _read("explorer.css"))
    code = script(*SCRIPTS, *_PAGE_SCRIPTS)
    policy = (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    # JSON in which no markup ends or begins.
    document = json.dumps(public, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    filled = {
        "csp": policy,
        "style": style,
        "made": "Made by deniable explore.",
        "public": document.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"),
        "script": code,
    }
    pieces = _read("explorer.html").split("@")
    return "".join(filled[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def script(*files: str) -> str:
    """Script files one after the other, without remarks, and without blanks around signs.

    Lines stay lines, so that a browser's messages can be read beside the files.
    """
    lines = [line.strip() for file in files for line in _read("script", file).splitlines()]
    kept = "\n".join(line for line in lines if line and not line.startswith(_COMMENT))
    # No `- -` or `+ +` stands in our scripts, which would become another sign.
    return f'"use strict";\n{_TOKENS.sub(lambda match: match[1] or match[2], kept)}\n'


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii")


def _read(*place: str) -> str:
    return resources.files("deniable.explorer").joinpath(*place).read_text("utf-8")


CONFIDENCE = 0.95
"""Coverage of the half-widths of the page, that of every report."""
_REPLACED = frozenset({"adversary", "target", "floor"})
"""Tables of a plan that the page writes itself; of one with a floor it shows what holds against
everybody."""


def plan_parts(prepared: Prepared[Plan], delta: float) -> dict[str, Any]:
    """Everything of a plan that its page holds."""
    plan = prepared.plan
    if prepared.calibration.exposure:
        raise InvalidArgument(
            "Expected a plan whose keys are listed, got one with unknown keys, of which a page "
            "without ball arithmetic says nothing. See deniable plan."
        )
    if plan.households is not None:
        raise InvalidArgument(
            "Expected a plan about one entity, got one about people who belong together, whose "
            "budget the page does not compute. See deniable plan."
        )
    kept = {name: table for name, table in (plan.published or {}).items() if name not in _REPLACED}
    rows = [query.parts for query in prepared.queries]
    fractions = weight_fractions([query.query.weight for query in prepared.queries], rows)
    shares = zip(prepared.queries, fractions, strict=True)
    return {
        "who": legible(plan.unit or plan.entity or "row"),
        "adjacency": str(plan.adjacency),
        "prior": [plan.adversary.low, plan.adversary.high],
        "target": plan.target.as_json(),
        "delta": plan.delta,
        "ledger": plan.dataset is not None,
        "queries": [_query(query, fraction) for query, fraction in shares],
        "curves": certified_curves(delta, slack_of(fractions, rows), plan.adjacency),
        "toml": as_toml(kept).removeprefix(HEADING).lstrip("\n"),
    }


def _query(prepared: PreparedQuery, fractions: tuple[Fraction, ...]) -> dict[str, Any]:
    query = prepared.query
    sliders = query.statistic.sliders(prepared.parts)
    return {
        "name": legible(query.name),
        "cells": prepared.published_cells,
        "parts": [_part(*each) for each in zip(prepared.parts, fractions, strict=True)],
        "errors": [each | {"unit": legible(each["unit"])} for each in sliders],
    }


def _part(part: Part, fraction: Fraction) -> dict[str, Any] | None:
    """The share, and what scale 1 costs in ε and in ρ; of a selection also its gap at scale 1."""
    with directed() as r:
        share = lower(r(fraction))
    match part:
        case VectorPart():
            return {"share": share, "l1": part.l1, "l2": part.l2}
        case SelectionPart():
            pure, gumbel = (NoisyTopK(1.0, part.number, noise) for noise in SelectionNoise)
            return {
                "share": share,
                "epsilon": pure.epsilon(part.sensitivity, part.monotone),
                "rho": gumbel.rho(part.sensitivity, part.monotone),
                "gap": [each.score_gap(part.candidates, CONFIDENCE) for each in (pure, gumbel)],
            }
        case PublicPart():
            return None


USUAL_DELTA = 1e-6
"""δ that the page offers where a plan names none: below one over the people of most tables."""
_NAME = "explorer.html"


@attrs.frozen(repr=False)
class Explored(Answer):
    """The page's place, and whether a browser shows it."""

    out: Path
    opened: bool

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {"out": str(self.out)}


def explore(
    plan: PlanInput | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    data: object | None = None,
) -> Explored:
    """Write a page for choosing a budget, and open it.

    It is one file without requests, of formulas and of what of a plan is public: sensitivities,
    grids, cells and shares. Its numbers are on the safe side; they guarantee nothing, which only
    a certificate does.

    Parameters
    ----------
    plan : path, str or mapping, optional
        A plan (its file, its text or its content), whose queries the page shows; its data are
        not touched.
    out : path, optional
        The page's name; it is then not opened. Left out: in a temporary folder.
    data : data frame, optional
        The table itself, as `release` takes it; only its names and types are looked at.

    Returns
    -------
    Explored
        Where the page is.

    Raises
    ------
    PlanError
        If the plan is wrong.
    InfeasibleTarget
        If no noise meets the plan's target.
    InvalidArgument
        If `out` is a folder or in none, or is a file that is no page: plans and data stay.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     explore(out=f"{folder}/budget.html").opened
    False
    """
    if out is not None:
        place = validate.new_file(validate.path(out, "a page's name"), PAGE_BEGINNING)
        write_page(explorer_page(plan, data=data), place)
        return Explored(place, opened=False)
    page = explorer_page(plan, data=data)  # first: a plan that is refused leaves no folder
    made = Path(tempfile.mkdtemp(prefix="deniable-")) / _NAME
    write_page(page, made)
    return Explored(made, open_in_browser(made))


_GUESTS = "deniable.explorer"
"""Entry points of what guests add to the page: a name, and the function that gives it."""
_OWN = ("curves", "plan")  # names of what the page itself has


def explorer_page(plan: PlanInput | None = None, *, data: object | None = None) -> str:
    """The page; without the plan's own text where that is what makes it too large."""
    public = {name: made for name, made in make_all(_GUESTS).items() if name not in _OWN}
    if plan is None:
        public["curves"] = certified_curves(USUAL_DELTA, 0.0)
    else:
        prepared = prepared_plan(plan, data=data)
        public["plan"] = plan_parts(prepared, prepared.plan.delta or USUAL_DELTA)
    html = page(public)
    if len(html.encode("utf-8")) <= MOST_BYTES or plan is None:
        return html
    return page(public | {"plan": public["plan"] | {"toml": ""}})
