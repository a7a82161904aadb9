"""A page of sliders: beliefs, budgets, and what a plan's numbers are worth."""

import os
import tempfile
from pathlib import Path
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.numerics.answer import Answer
from deniable.publish.explorer.browser import open_in_browser
from deniable.publish.explorer.certified import certified_curves
from deniable.publish.explorer.page import within_size
from deniable.publish.explorer.plan_parts import plan_parts
from deniable.publish.explorer.trainings import training_curves
from deniable.publish.prepare import plan as prepared_plan
from deniable.rules.presets import PRESETS

USUAL_DELTA = 1e-6
"""δ that the page offers where a plan names none: below one over the people of most tables."""
_NAME = "explorer.html"
_BEGINNING = b"<!DOCTYPE html>"


@attrs.frozen(repr=False)
class Explored(Answer):
    """Where the page is, and whether a browser was asked to show it."""

    out: Path
    opened: bool

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {"out": str(self.out)}


def explore(
    plan: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    data: object | None = None,
) -> Explored:
    """Write a page on which a budget is chosen, and open it.

    It is one file without requests, of formulas and of what of a plan is public: sensitivities,
    grids, cells and shares. Its numbers are on the safe side; they guarantee nothing, which only
    a certificate does.

    Parameters
    ----------
    plan : path, optional
        A plan, whose queries the page shows; its data are not touched.
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
    place = None if out is None else _check_name(Path(out))
    html = explorer_page(plan, data=data)
    if place is not None:
        _write(place, html)
        return Explored(place, opened=False)
    made = Path(tempfile.mkdtemp(prefix="deniable-")) / _NAME
    _write(made, html)
    return Explored(made, open_in_browser(made))


def explorer_page(plan: str | os.PathLike[str] | None = None, *, data: object | None = None) -> str:
    """The page itself."""
    policies = {name: each.rule.as_json() for name, each in PRESETS.items()}
    public: dict[str, Any] = {"trainings": training_curves(), "rules": policies}
    if plan is None:
        public["curves"] = certified_curves(USUAL_DELTA, 0.0)
    else:
        prepared = prepared_plan(plan, data=data)
        public["plan"] = plan_parts(prepared, prepared.plan.delta or USUAL_DELTA)
    return within_size(public, "Made by deniable explore.")


def _check_name(place: Path) -> Path:
    """A name that a page may have: in a folder, and of nothing but another page."""
    if place.is_dir():
        raise InvalidArgument(f"Expected a page's name, got the folder {place}. Name a file.")
    if not place.parent.is_dir():
        raise InvalidArgument(
            f"Expected a page in a folder that is there, got {place}. Make the folder first."
        )
    if place.is_file() and not _is_page(place):
        raise InvalidArgument(
            f"Expected a new name or that of a page, got {place}, which is none. Name another file."
        )
    return place


def _is_page(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def _write(place: Path, html: str) -> None:
    """Write the whole page, or leave none where there was none."""
    new = not place.exists()
    try:
        place.write_text(html, encoding="utf-8", newline="\n")
    except OSError:
        if new:
            place.unlink(missing_ok=True)
        raise
