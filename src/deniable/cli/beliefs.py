"""`deniable explain` and `deniable calibrate`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import click

import deniable
from deniable.cli import option_groups, output
from deniable.cli.commands import Argument, Option, add
from deniable.cli.option_groups import by_name, option
from deniable.cli.output import at_least, at_most, certified, interval
from deniable.errors import InvalidArgument
from deniable.errors.validate import in_full

if TYPE_CHECKING:
    from deniable.publish.solve import AccuracyExplanation
    from deniable.theorems.analysis import Calibration, GuaranteeExplanation
    from deniable.theorems.analysis.budget import Explanation
    from deniable.theorems.analysis.households import HouseholdExplanation


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    for command in (explain, calibrate):
        add(app, output.guard(command))


_ACCURACY = by_name(
    half_width=option(
        float | None, "Instead of a budget: the 95 % half-width that a statistic may have.", "H"
    ),
    statistic=option(str, "With --half-width: its statistic, count, sum or mean.", default="count"),
    bounds=option(
        tuple[float, float] | None, "With a sum or a mean: the bounds of the values.", "LOW HIGH"
    ),
    records=option(int | None, "With a mean: the number of records, which is public.", "N"),
    cells=option(int, "With --half-width: number of groups, or of bins of a histogram.", default=1),
    rows=option(int, "With --half-width: largest number of rows of one person.", default=1),
)
"""A wanted accuracy, and of which statistic."""


@option_groups.in_place_of("household", option_groups.household_options("Ask about"))
@option_groups.in_place_of("accuracy", _ACCURACY)
def explain(
    guarantee: Annotated[
        str | None,
        Argument(metavar="[SPEC]", help="Any guarantee, such as zcdp:0.1 or approx-dp:1,1e-6."),
    ] = None,
    epsilon: Annotated[
        float | None, Option(help="The budget ε (natural logarithm), instead of SPEC.")
    ] = None,
    delta: Annotated[float | None, Option(help="δ of (ε, δ)-DP, in (0, 1).")] = None,
    exceedance: Annotated[
        float | None,
        Option(
            help="With δ, ρ, μ: probability, for each entity, that a limit on beliefs fails; "
            "100 δ if left out, and 1e-4 if the guarantee has no δ."
        ),
    ] = None,
    level: Annotated[
        float | None,
        Option(help="With --delta: report the probability that a belief exceeds this level."),
    ] = None,
    *,
    accuracy: option_groups.Gathered,
    household: option_groups.Gathered,
    adjacency: option_groups.AdjacencyOption = "replace-one",
    prior: option_groups.Prior = (0.0, 1.0),
    as_json: option_groups.Json = False,
) -> None:
    """Say what an attacker can conclude under a privacy budget, a guarantee or a wanted accuracy.

    Example: deniable explain --epsilon 1 --prior 0.05 0.5

    Example: deniable explain --half-width 10 --cells 2 --delta 1e-6 --prior 0.5 0.5

    Example: deniable explain pure-dp:0.5@add-remove --household 4 --icc 0.2
    """
    if any(value is not None for value in household.values()):
        _check_household(household, accuracy["half_width"], level)
        spec = option_groups.with_curve(guarantee or _written(epsilon, delta, adjacency))
        household["prior"] = (0.0, 0.1) if prior == (0.0, 1.0) else prior
        number = household.pop("household")
        people = deniable.explain_households(spec, number, exceedance=exceedance, **household)
        return output.print_figures(people, as_json, _household_lines(people))
    if accuracy["half_width"] is not None:
        _check_accuracy_alone(guarantee, epsilon, exceedance, level)
        made = deniable.explain_accuracy(**accuracy, delta=delta, adjacency=adjacency, prior=prior)
        return output.print_figures(made, as_json, _accuracy_lines(made, prior))
    if any(accuracy[name] != default for name, _, default in _ACCURACY.values()):
        raise InvalidArgument(
            "Expected --half-width with --statistic, --bounds, --records, --cells or --rows, got "
            "none. Say how accurate the statistic is to be, as in --half-width 10."
        )
    options: dict[str, Any] = {"exceedance": exceedance, "level": level, "prior": prior}
    if guarantee is None:
        if epsilon is None:
            raise InvalidArgument(
                "Expected SPEC, --epsilon or --half-width, got none. Write a guarantee, as in "
                '"deniable explain pure-dp:1", or --epsilon 1.'
            )
        answer = deniable.explain(epsilon, delta, adjacency=adjacency, **options)
        return output.print_figures(answer, as_json, _explained_lines(answer, prior))
    if epsilon is not None or delta is not None or adjacency != "replace-one":
        raise InvalidArgument(
            f'Expected SPEC alone, got "{guarantee}" beside --epsilon, --delta or --adjacency. '
            'Write all of it in one word, as in "deniable explain approx-dp:1,1e-6@add-remove".'
        )
    explained = deniable.explain(option_groups.with_curve(guarantee), **options)
    return output.print_figures(explained, as_json, _explained_lines(explained, prior))


def _check_household(
    household: option_groups.Gathered, half_width: float | None, level: float | None
) -> None:
    if household["household"] is None:
        raise InvalidArgument(
            "Expected --household with --odds-ratio, --icc or --difference, got none. Say how many "
            "people belong together at most, as in --household 4."
        )
    if half_width is not None or level is not None:
        raise InvalidArgument(
            "Expected --household without --half-width and --level, got one of them. Ask for one."
        )


def _written(epsilon: float | None, delta: float | None, adjacency: str) -> str:
    """A budget of options as a guarantee."""
    from deniable.theorems.analysis import Households

    if epsilon is None:
        raise InvalidArgument(
            "Expected SPEC or --epsilon, got neither. Write a guarantee, as in "
            '"deniable explain pure-dp:0.5@add-remove --household 4".'
        )
    Households.refuse_replace_one(adjacency)
    if delta is None:
        return f"pure-dp:{epsilon!r}@{adjacency}"
    return f"approx-dp:{epsilon!r},{delta!r}@{adjacency}"


def _household_lines(answer: "HouseholdExplanation") -> Iterator[tuple[str, str]]:
    from deniable.theorems.analysis import posterior_upper

    yield "guarantee for one person", answer.guarantee.spec
    yield "people who belong together", str(answer.households)
    yield "privacy loss about one of them", at_most(answer.loss)
    yield "gamma", certified(answer.gamma)
    yield from output.range_lines(answer.posterior)
    belief = f"belief {in_full(answer.adversary.high)} becomes at most"
    if answer.households.model is not None:
        wrong = at_most(posterior_upper(answer.loss_without_model, answer.adversary.high))
        yield "if the model is wrong", f"{belief} {wrong}; no release can show whether it is"
    for each in answer.tied:
        several = f"{each.size} people, all in or all out"
        people = "1 person alone" if each.size == 1 else several
        yield people, f"{belief} {at_most(each.posterior)}"
    if answer.exceedance:
        yield output.exception_line(answer.exceedance)


def _check_accuracy_alone(
    guarantee: str | None, epsilon: float | None, exceedance: float | None, level: float | None
) -> None:
    if guarantee is not None or epsilon is not None or level is not None:
        raise InvalidArgument(
            "Expected --half-width alone, got a guarantee, --epsilon or --level too. Ask for one "
            "of them."
        )
    if exceedance is not None:
        raise InvalidArgument(
            "Expected --delta with --half-width, got --exceedance, which it is here. Give --delta."
        )


def _accuracy_lines(
    answer: "AccuracyExplanation", prior: tuple[float, float]
) -> Iterator[tuple[str, str]]:
    from deniable.theorems.analysis import EACH_WAY

    yield f"{answer.statistic}, 95 % half-width", f"{at_most(answer.half_width_95)} by noise alone"
    noise = f"{answer.mechanism}, scale {in_full(answer.scale)}"
    yield "largest noise", f"{noise} (sensitivity {at_most(answer.sensitivity)})"
    delta = f", delta {in_full(answer.delta)}" if answer.delta else ""
    yield "epsilon", f"{at_most(answer.epsilon)}{delta} ({answer.adjacency})"
    if answer.rho is not None:
        yield "rho (zCDP)", at_most(answer.rho)
    if answer.mu is not None:
        yield "mu of Gaussian DP", at_most(answer.mu)
    yield from _belief_lines(answer.loss, answer.gamma, answer.gamma_outside, prior)
    yield "attack success at prior 1/2", at_most(answer.attack_success)
    yield "advantage", at_most(answer.advantage)
    for each in answer.risks:
        yield f"success of {in_full(each.baseline)} without it", f"at most {at_most(each.success)}"
    if answer.delta:
        yield output.exception_line(answer.delta, EACH_WAY)


def _explained_lines(
    answer: "Explanation | GuaranteeExplanation", prior: tuple[float, float]
) -> Iterator[tuple[str, str]]:
    """Pure and approximate DP as by their numbers; every other notion by what follows from it."""
    from deniable.theorems.analysis.budget import Explanation

    if isinstance(answer, Explanation):
        delta = f", delta {in_full(answer.delta)}" if answer.delta else ""
        yield "epsilon", f"{in_full(answer.epsilon)}{delta} ({answer.adjacency})"
    else:
        yield "guarantee", answer.guarantee.spec
        yield "says", answer.says
    if answer.range_loss is None or answer.gamma is None or answer.gamma_outside is None:
        why = "not by a privacy loss at this exceedance; derive max-posterior may say more"
        yield "beliefs", why
    else:
        yield from _belief_lines(answer.range_loss, answer.gamma, answer.gamma_outside, prior)
    rates = {"attack success at prior 1/2": answer.attack_success, "advantage": answer.advantage}
    for name, value in rates.items():
        yield name, "no theorem leads there" if value is None else at_most(value)
    if answer.delta if isinstance(answer, Explanation) else answer.exceedance:
        yield output.exception_line(answer.exceedance)
    if isinstance(answer, Explanation) and answer.level is not None:
        passed = in_full(answer.level.posterior)
        said = "with probability at most 1: epsilon alone allows such a belief"
        rarely = answer.level.probability
        yield f"belief passes {passed}", said if rarely == 1 else output.rarely(rarely)


def _belief_lines(
    loss: float, gamma: float, gamma_outside: float, prior: tuple[float, float]
) -> Iterator[tuple[str, str]]:
    """γ, and where beliefs may go: each prior once, the usual ones where any is possible."""
    from deniable.theorems.analysis import USUAL_PRIORS, posterior_ranges

    yield f"gamma, prior within {interval(*prior)}", certified(gamma)
    yield "gamma, any prior", certified(gamma_outside)
    # Nobody's belief is at the bounds of [0, 1].
    priors = USUAL_PRIORS if prior == (0.0, 1.0) else dict.fromkeys(prior)
    yield from output.range_lines(posterior_ranges(loss, priors))


@option_groups.in_place_of("household", option_groups.household_options("Limit beliefs about"))
@option_groups.in_place_of("target", option_groups.TARGET)
def calibrate(
    target: option_groups.Gathered,
    prior: option_groups.Prior = (0.0, 1.0),
    adjacency: option_groups.AdjacencyOption = "replace-one",
    delta: option_groups.GaussianDelta = None,
    *,
    household: option_groups.Gathered,
    as_json: option_groups.Json = False,
) -> None:
    """Find the largest privacy budget that keeps an attacker's belief within a target.

    Example: deniable calibrate --gamma 2 --prior 0.3 0.7

    Example: deniable calibrate --max-posterior 0.5 --prior 0.01 0.1 --adjacency add-remove
    --household 4 --icc 0.2
    """
    answer = deniable.calibrate(
        **target, prior=prior, adjacency=adjacency, delta=delta, **household
    )
    output.print_figures(answer, as_json, _calibrated_lines(answer))


def _calibrated_lines(answer: "Calibration") -> Iterator[tuple[str, str]]:
    yield from _budget_lines(answer)
    if (tied := answer.household) is not None:  # the target is about one of them
        yield "people who belong together", str(tied.households)
        yield "privacy loss about one of them", at_most(tied.loss)
        if tied.loss_without_model > tied.loss:
            wrong = at_most(tied.loss_without_model)
            yield "if the model is wrong", f"{wrong}; no release can show whether it is"
    within = f"within {interval(answer.adversary.low, answer.adversary.high)}"
    yield f"gamma, prior {within}", certified(answer.gamma)
    yield "gamma, any prior", certified(answer.gamma_outside)
    if answer.delta:
        yield output.exception_line(answer.exceedance)
    yield from (("because", f"{s.source} gives {s.target}: {s.theorem}") for s in answer.derivation)


def _budget_lines(answer: "Calibration") -> Iterator[tuple[str, str]]:
    """What to apply, first; with δ also what the privacy loss may pass, and how rarely."""
    from deniable.theorems.analysis import EpsilonTarget

    if answer.composition is None:
        yield "epsilon to apply", f"{at_least(answer.epsilon)} ({answer.adjacency})"
        return
    if answer.noise_multiplier is not None and answer.mu is not None:
        per_unit = f"Gaussian noise, per unit of L2 sensitivity, {answer.adjacency}"
        yield "noise multiplier to apply", f"{at_most(answer.noise_multiplier)} ({per_unit})"
        yield "mu of Gaussian DP", at_most(answer.mu)
    else:
        yield "rho to apply", f"{at_least(answer.composition.rho)} (zCDP, {answer.adjacency})"
    if isinstance(answer.target, EpsilonTarget):
        yield "epsilon, delta", f"{at_most(answer.epsilon)}, {at_most(answer.delta)}"
    yield output.privacy_loss_line(answer)
