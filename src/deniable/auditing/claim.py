"""What is claimed of a target, as ε and δ between the neighbours that an audit tells apart."""

from typing import Any

import attrs

from deniable.errors import InvalidArgument, NoDerivation, validate
from deniable.notions import Advantage, ApproxDP, AttackSuccess, PopulationPrivacy, Setting
from deniable.notions.notation import parse
from deniable.theorems.attacks import attack_success_to_advantage
from deniable.theorems.derive import derive

DEFAULT_DELTA = 1e-6
"""δ at which a claim without one, such as zcdp, is read: the default of `deniable training`."""
PARENT_SET = "parent-set"
"""The neighbours of population privacy: samples of a parent set with a record and without it."""
ADJACENCIES = ("replace-one", "add-remove", PARENT_SET)
"""What the bit of an audit may tell apart."""


@attrs.frozen
class Claim:
    """A claim as it is written, and what it says at δ.

    Parameters
    ----------
    text : str
        As on the command line.
    epsilon, delta : float
        Of (ε, δ)-differential privacy, or of population privacy; natural logarithm.
    """

    text: str
    epsilon: float
    delta: float


def claim(text: str, adjacency: str, delta: float | None = None) -> Claim:
    """The ε and δ of a claim between such neighbours.

    Parameters
    ----------
    text : str
        Any notion, written as for `derive`.
    adjacency : {"replace-one", "add-remove", "parent-set"}
        What the audit tells apart.
    delta : float, optional
        δ at which the claim is read, in [0, 1); the claim's own if it has one, else 0 where that
        follows, else 1e-6.

    Raises
    ------
    InvalidArgument
        If the claim is written wrong, or says nothing of these neighbours.

    Examples
    --------
    >>> claim("pure-dp:1.0@add-remove", "replace-one").epsilon
    2.0
    >>> claim("advantage:0.2", "replace-one")
    Claim(text='advantage:0.2', epsilon=0.0, delta=0.2)
    """
    notion: Any = parse(text)
    if delta == 1:
        raise InvalidArgument("Expected 0 <= delta < 1, got delta=1.0. It would allow everything.")
    if isinstance(notion, AttackSuccess):
        notion = attack_success_to_advantage(notion)
    if isinstance(notion, Advantage):
        return _of_advantage(text, notion, adjacency, delta)
    if getattr(notion, "delta", 0.0) == 1:
        raise _silent(text, adjacency)
    word = "population" if adjacency == PARENT_SET else "approx-dp"
    suffix = "" if adjacency == PARENT_SET else f"@{adjacency}"
    own = getattr(notion, "delta", None)
    tried = [delta] if delta is not None else [own] if own is not None else [0.0, DEFAULT_DELTA]
    for each in tried:
        at = validate.probability(each, "delta")
        try:
            target = derive(notion, f"{word}:?,{at!r}{suffix}").target
        except NoDerivation:
            continue
        if isinstance(target, ApproxDP | PopulationPrivacy):
            return Claim(text, target.epsilon, at)
    raise _silent(text, adjacency)


def claimed_adjacency(text: str) -> str:
    """Between which neighbours a claim is made.

    Examples
    --------
    >>> claimed_adjacency("pure-dp:1.0@add-remove"), claimed_adjacency("population:0.5")
    ('add-remove', 'parent-set')
    """
    notion: Any = parse(text)
    if isinstance(notion, PopulationPrivacy):
        return PARENT_SET
    said = getattr(notion, "adjacency", None) or getattr(notion, "setting", Setting.REPLACE_ONE)
    return PARENT_SET if said == Setting.POPULATION else str(said)


def _of_advantage(text: str, notion: Advantage, adjacency: str, delta: float | None) -> Claim:
    """An advantage is δ at ε = 0: both are the largest difference of two probabilities."""
    if (PARENT_SET if notion.setting is Setting.POPULATION else notion.setting) != adjacency:
        raise _silent(text, adjacency)
    if notion.value == 1:
        raise _silent(text, adjacency)
    if delta is not None and delta < notion.value:
        raise InvalidArgument(
            f"Expected no delta, or one of at least {notion.value!r}, with {text}, got "
            f"delta={delta!r}. An advantage says nothing of smaller ones; leave it out."
        )
    return Claim(text, 0.0, notion.value if delta is None else delta)


def _silent(text: str, adjacency: str) -> InvalidArgument:
    return InvalidArgument(
        f"Expected a claim that says something of neighbours by {adjacency}, got {text!r}. Claim "
        f"such as pure-dp:1.0{'' if adjacency == 'replace-one' else '@add-remove'}; "
        "`deniable derive` shows what follows from what."
    )
