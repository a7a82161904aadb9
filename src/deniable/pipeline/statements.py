"""What can be said of a release or a budget: one table of statements for every regime's questions.

A statement is a function of the certificate alone, or of what was fixed when a ledger's dataset was
made. Whether it is computed or rests on trust, the certificate's schema says.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import attrs

from deniable.certificate.model import read_sentences
from deniable.certificate.tables import unit_sentence
from deniable.errors import NotApplicable
from deniable.errors.validate import in_full
from deniable.ledger import units
from deniable.ledger.beliefs import after_everything
from deniable.ledger.dataset import Dataset, Measure
from deniable.notions import GaussianDP, Notion, PureDP
from deniable.pipeline.risk import budget_of
from deniable.theorems import analysis
from deniable.theorems.derive import derive


class Status(StrEnum):
    """What a statement is worth, the weakest first."""

    NOT_COVERED = "not covered"
    ON_TRUST = "on trust"
    COMPUTED = "computed"


@attrs.frozen
class Figure:
    """A number on its safe side: at least `lower`, at most `upper`, both where it is enclosed."""

    of: str
    lower: float | None = None
    upper: float | None = None


@attrs.frozen
class Statement:
    """What is said in sentences and figures, on what these rest, and what that is worth.

    `assumption` is empty where nothing is assumed; `how` says how it is recomputed, or why not.
    """

    title: str
    says: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    assumption: str = ""
    status: Status = Status.COMPUTED
    how: str = ""

    def as_json(self) -> dict[str, Any]:
        """Every field under its name, of figures the bounds that are known."""
        return attrs.asdict(
            self,
            filter=lambda _, value: value is not None,
            value_serializer=lambda _, __, value: str(value) if isinstance(value, str) else value,
        )


Table = dict[str, Statement]
"""Statements by the names that regimes use."""


def weakest(statements: Iterable[Statement]) -> Status:
    """What several statements are worth together; nothing is covered where there is none.

    >>> weakest([Statement("a"), Statement("b", status=Status.ON_TRUST)]), weakest([])
    (<Status.ON_TRUST: 'on trust'>, <Status.NOT_COVERED: 'not covered'>)
    """
    worths = {each.status for each in statements}
    return min(worths, key=list(Status).index, default=Status.NOT_COVERED)


def exactly(of: str, value: float) -> Figure:
    """A number that is stated as it is."""
    return Figure(of, value, value)


def on_trust(title: str, says: Sequence[str], how: str) -> Statement:
    """What is somebody's word, and why it is not recomputed."""
    return Statement(title, tuple(says), status=Status.ON_TRUST, how=how)


EVEN = "The attacker starts at even odds, and may know everything else."
_SAID_OF_RISK = (
    "An attacker who guesses the secret with the first probability without the release guesses it "
    "with at most the second with the release. This covers singling out, attribute inference, "
    "re-identification of a record, and reconstruction."
)


def belief_figures(loss: float, low: float, high: float) -> Iterator[Figure]:
    """Yield the range of the usual beliefs, and of both ends of the adversary's."""
    priors = {*analysis.USUAL_PRIORS, low, high} - {0.0, 1.0}  # nobody's belief is there
    for each in analysis.posterior_ranges(loss, sorted(priors)):
        yield Figure(f"belief after, from {in_full(each.prior)} before", each.lower, each.upper)


def moves(claim: str, exceedance: float) -> str:
    """How far a belief moves: an exceedance is of rises, or of falls, not of both together."""
    most = f"probability at most {in_full(exceedance)}"
    rare = f", except with {most} for a rise, and the same for a fall"
    return f"The largest change of the belief that {claim}{rare if exceedance else ''}."


def factor_figures(within: float, outside: float, low: float, high: float) -> tuple[Figure, ...]:
    """γ for beliefs in a range, and for any."""
    yours = f"γ, of beliefs between {in_full(low)} and {in_full(high)}"
    return (Figure(yours, upper=within), Figure("γ, of any belief", upper=outside))


def guess_figures(success: float, advantage: float) -> tuple[Figure, ...]:
    """What the best guess at membership reaches."""
    return (
        Figure("right guesses at even odds", upper=success),
        Figure("true less false positives", upper=advantage),
    )


def risk_statements(
    notions: Callable[[], Sequence[Notion]],
    baselines: Sequence[float] | None,
    candidates: int | None,
    about: str,
    how: str,
) -> Iterator[tuple[str, Statement]]:
    """Yield the statements about any secret, and about one of so many candidates."""
    title, words = "Success of the best attack on", f"deniable risk {how}"
    wanted: list[tuple[str, str, str, Sequence[float] | None, int | None]]
    wanted = [("risk", "a secret", words, baselines, None)]
    if candidates is not None:
        words_of_one = f"{words} --candidates {candidates} --baseline {1 / candidates!r}"
        wanted.append(("attribute", "an attribute", words_of_one, [1 / candidates], candidates))
    try:
        given = notions()
        for name, of, command, odds, number in wanted:
            risks = analysis.risks_of(given, odds, number, about)
            figures = tuple(
                Figure(f"success, from {in_full(r.baseline)} without the release", upper=r.success)
                for r in risks.risks
            )
            rests = f"{risks.assumption} {about}"
            yield name, Statement(f"{title} {of}", (_SAID_OF_RISK,), figures, rests, how=command)
    except NotApplicable as error:
        yield "risk", Statement(f"{title} a secret", (str(error),), status=Status.NOT_COVERED)


def mu_figures(epsilon: float, adjacency: str) -> Iterator[Figure]:
    """μ of Gaussian DP, which a pure guarantee has."""
    notion = derive(PureDP(epsilon, adjacency), "gaussian-dp").target
    assert isinstance(notion, GaussianDP)
    yield Figure("μ of Gaussian differential privacy", upper=notion.mu)


def target_words(target: analysis.Target | None, low: float, high: float) -> tuple[str, ...]:
    """State the requested limit and the prior beliefs, in sentences."""
    wanted = "No limit was requested: the parameters are what came out."
    if target is not None:
        numbers = {key: value for key, value in target.as_json().items() if value is not None}
        kind, value = numbers.pop("kind").replace("_", " "), numbers.pop("value")
        with_others = "".join(f", {key} {number}" for key, number in numbers.items())
        wanted = f"The requested limit is {kind} {in_full(value)}{with_others}."
    beliefs = f"between {in_full(low)} and {in_full(high)}"
    return (wanted, f"Prior beliefs are assumed to lie {beliefs}.")


NEIGHBOURS: dict[str, str] = read_sentences(__file__)["neighbours"]
SYMBOLS = {"epsilon": "ε", "rho": "ρ"}
BELIEVED = "What an attacker can conclude about one unit"
NEVER = "Never: the limits hold for every output."
OF_EACH = "For each unit by itself, over the noise and what the attacker does not know."
EITHER = f"This holds for limits on rises, and the same for limits on falls. {OF_EACH}"
OWNS_SEVERAL = "A person who owns several units is not protected as one."
RIGHT_BELIEFS = "The person who chose these prior beliefs decides whether they are the right ones."
SEVERAL = "Several releases about the same people"
CHARGED = "Every release about these people is charged, and every void in the ledger is true."
MAY_KNOW = "What the attacker may know"
BY_DEFINITION = "it follows from the definition of differential privacy"
NOT_SHOWN = "a release does not show how the data are held"
_SIGNERS = (
    "A certificate does not name who published, decided or signed. deniable check --signed-by KEYS "
    "verifies whose signature a release has."
)
SIGNATURE = Statement("Who is responsible", (_SIGNERS,), status=Status.NOT_COVERED)
_HOLDER = (
    "Central model: the holder of the data, who runs the release, is trusted. Its readers are not."
)
TRUSTED = on_trust("Who is trusted", [_HOLDER], NOT_SHOWN)
KNOWLEDGE = (
    "The limits hold whatever else the attacker knows or will learn: other data sets, all other "
    "people's data, this program. They hold for any computation on the release, at any cost."
)


def _parameters(dataset: Dataset) -> tuple[str, list[Figure]]:
    """The notion that a budget is of, and its numbers; the first is that of ε or ρ."""
    amount = units.at_most(dataset.budget)
    first = Figure(f"{SYMBOLS[str(dataset.measure)]}, of all releases together", upper=amount)
    pure = dataset.measure is Measure.EPSILON
    if dataset.exposure:
        exposure = float(units.exposure(dataset.exposure))
        further = [Figure("exposure (δ), of all releases together", upper=exposure)]
        return f"Approximate {'' if pure else 'zero-concentrated '}DP.", [first, *further]
    if pure:
        return "Pure DP.", [first, *mu_figures(amount, str(dataset.adjacency))]
    return "Zero-concentrated DP.", [first]


def _of_whom(dataset: Dataset) -> Iterator[str]:
    """State who belongs together, where the dataset says it."""
    if dataset.households is None:
        return
    if dataset.by_household:
        yield f"The unit is a household of up to {dataset.households.size} people, all in or out."
        yield "What an attacker learns about one member follows from twice the ε, or 4 times the ρ."
    elif isinstance(dataset.target, analysis.EpsilonTarget):
        yield f"People belong together: {dataset.households}. The ε is each person's."
    else:
        yield (
            f"The limit is on beliefs in one of several people who belong together: "
            f"{dataset.households}. All other figures are about one person alone."
        )


def of_budget(
    dataset: Dataset, baselines: Sequence[float] | None = None, candidates: int | None = None
) -> Table:
    """All that can be said of everything that is ever published from a dataset.

    It depends on what was fixed when the dataset was made, and not on its charges, of which only
    its keeper may know.
    """
    everything, notions = after_everything(dataset), budget_of(dataset)
    low, high = dataset.adversary.low, dataset.adversary.high
    beliefs, symbol = everything.beliefs, SYMBOLS[str(dataset.measure)]
    fixed, by_ledger = "it is fixed in the ledger", "deniable ledger show"
    independent = (
        "Before the first release, the attacker's beliefs about different people are independent "
        f"of one another. {CHARGED}"
    )
    variant, parameters = _parameters(dataset)
    never = EITHER if beliefs.exceedance else NEVER
    sentence = unit_sentence(dataset.entity, dataset.adjacency, dataset.unit)
    exception = Figure("probability of an exception", upper=beliefs.exceedance)
    factor = factor_figures(beliefs.gamma, beliefs.gamma_outside, low, high)
    guess = guess_figures(everything.attack_success, everything.advantage)
    adjacency = str(dataset.adjacency)
    rows: list[tuple[str, str, Sequence[str], Sequence[Figure], str, str]] = [
        ("unit", "What is protected", [sentence], [], OWNS_SEVERAL, fixed),
        ("neighbours", f"Neighbours: {adjacency}", [NEIGHBOURS[adjacency]], [], "", fixed),
        ("parameters", "Privacy parameters", [variant], parameters, CHARGED, fixed),
        ("beliefs", BELIEVED, [moves("a given one is in the data", beliefs.exceedance)],
         [*belief_figures(beliefs.loss, low, high)], independent, by_ledger),
        ("factor", "Largest factor on a belief", [], factor, independent, by_ledger),
        ("guess", "Membership: who is in the data", [], guess, f"{EVEN} {CHARGED}", by_ledger),
        ("exception", "Probability that a limit on beliefs fails", [never], [exception],
         independent, by_ledger),
        ("knowledge", MAY_KNOW, [KNOWLEDGE], [], independent, BY_DEFINITION),
        ("several releases", SEVERAL, ["Every number here is for all releases together, however "
         "they share the budget."],
         [Figure(f"{symbol}, of all that is ever published", upper=parameters[0].upper)], CHARGED,
         by_ledger),
        ("target", "Requested limit",
         [*target_words(dataset.target, low, high), *_of_whom(dataset)], [], RIGHT_BELIEFS,
         fixed),
    ]  # fmt: skip
    table = {
        name: Statement(title, tuple(says), tuple(figures), rests, how=how)
        for name, title, says, figures, rests, how in rows
    }
    keeper = "the ledger's keeper vouches for it"
    table["assumptions"] = on_trust("What it rests on", (independent,), keeper)
    table |= {"trusted parties": TRUSTED, "signature": SIGNATURE}
    given = "LEDGER" + "".join(f" --baseline {each!r}" for each in baselines or ())
    return table | dict(risk_statements(lambda: notions, baselines, candidates, CHARGED, given))
