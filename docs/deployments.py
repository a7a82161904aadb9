"""docs/reference/deployments.md: registered deployments; `python docs/deployments.py` writes it.

The facts stand in docs/deployments.json: what the registry's files say of each deployment's name,
curators, year, unit and parameters, at the commit that the file names.
"""

import json
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from pathlib import Path
from typing import Any

from deniable import explain_guarantee

HERE = Path(__file__).resolve().parent
FACTS, PAGE = HERE / "deployments.json", HERE / "reference" / "deployments.md"
EXCEEDANCE = 1e-3
"""At which the beliefs of all claims with δ or ρ are read, so that rows can be compared."""
PRIORS = (0.01, 0.5)
HEAD = """# Registered deployments, in beliefs

This page says what an attacker can conclude under the claim of each deployment in a public
registry, or why nobody can say. `python docs/deployments.py` writes it from the facts in the
[registry](https://github.com/{repository}) (MIT licence) at commit `{short}`: {count}
deployments.

Read a row like this: if an attacker is 1 % or 50 % sure, before the release, that one *unit* is
in the data, their belief after the release is between the two numbers. A claim with ε alone has
no exception. For a claim with δ or ρ the numbers hold except with probability 0.1 % for each
unit, for both ends together. The last column gives the largest probability that a guess at even
odds is right. Numbers are rounded outwards.

Each claim is the deployer's, as the registry records it; Deniable has checked none of them. A
claim is about *one unit* and, unless the registry says more, about one release. "User-day"
protects one day of a user, so a year of days is 365 such units, and their losses add up. The
registry does not say for every claim whether a unit is added, removed or replaced; the numbers
hold for the neighbours of the claim. One claim is registered as pure but has a δ; we use the δ.
[What published claims mean in
beliefs](../explanation/what-published-claims-let-one-believe.md) discusses a few of them in
detail.

| deployment | by | since | unit | claim | from 1 % | from 50 % | guess |
|---|---|---|---|---|---|---|---|
"""
UNSAID = """
## Claims that cannot be converted into beliefs

| deployment | by | since | why |
|---|---|---|---|
"""


def claim(facts: dict[str, Any]) -> str:
    """The guarantee in words of Deniable, or why there is none."""
    parameters = facts["parameters"]
    delta = parameters.get("delta", 0)
    if "rho" in parameters:
        return f"zcdp:{parameters['rho']}"
    if "epsilon" not in parameters:
        return "The registry has no parameters for it."
    if isinstance(delta, str):
        return "δ depends on the number of records, which the registry does not give."
    if delta:
        return f"approx-dp:{parameters['epsilon']},{delta}"
    return f"pure-dp:{parameters['epsilon']}"


def row(facts: dict[str, Any]) -> str:
    """A line of either table."""
    said = claim(facts)
    first = [facts["name"], ", ".join(facts["curators"]), str(facts["year"])]
    if " " in said:
        return _line([*first, said])
    exceedance = None if said.startswith("pure") else EXCEEDANCE
    ends = []
    for prior in PRIORS:
        answer = explain_guarantee(said, exceedance=exceedance, prior=(prior, prior))
        (belief,) = answer.posterior
        ends.append(
            f"{percent(belief.lower, ROUND_FLOOR)} to {percent(belief.upper, ROUND_CEILING)}"
        )
    assert answer.attack_success is not None
    guess = percent(answer.attack_success, ROUND_CEILING)
    return _line([*first, facts["unit"] or "not stated", f"`{said}`", *ends, guess])


def percent(probability: float, rounding: str) -> str:
    """A probability in per cent, three digits, rounded to the safe side."""
    if rounding == ROUND_FLOOR and probability < 1e-5:
        return "0 %"
    digits = Context(prec=3, rounding=rounding).create_decimal(100 * probability)
    return f"{digits.normalize():f} %"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(each.split()).replace("|", "\\|") for each in cells) + " |\n"


def page() -> str:
    """The whole page."""
    facts = json.loads(FACTS.read_text("utf-8"))
    rows = sorted(facts["deployments"], key=lambda each: (each["year"], each["name"]))
    head = HEAD.format(repository=facts["repository"], short=facts["commit"][:12], count=len(rows))
    said = [each for each in rows if " " not in claim(each)]
    unsaid = [each for each in rows if " " in claim(each)]
    return head + "".join(map(row, said)) + UNSAID + "".join(map(row, unsaid))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
