"""The step between exact numbers and noise: a release is charged to a ledger.

What is charged is what its noise costs, in whole units; it is kept before the first noise is drawn,
and spent from then on, whatever becomes of the release.
"""

from __future__ import annotations

import os
import warnings
from fractions import Fraction

import attrs

from deniable.certificate.files import AnyCertificate
from deniable.certificate.model import Certificate, Charged, Unit
from deniable.errors import BudgetExceeded, InvalidArgument, NotApplicable, OpenCharge
from deniable.ledger import units
from deniable.ledger.book import beyond
from deniable.ledger.charge import State
from deniable.ledger.costs import Spent, cost_of, delta_that_fits, what_fits
from deniable.ledger.dataset import Dataset, Measure, People, check_people, line
from deniable.ledger.ledger import Ledger
from deniable.ledger.units import Spending
from deniable.notions import Adjacency
from deniable.theorems.analysis import IdentifiabilityTarget

_UNKNOWN = "0" * 64  # what stands for an entry's digest before there is one, of the same length


@attrs.frozen
class Account:
    """The account that a release is charged to, and what the entry says.

    `what` is a label for people; with `once` no other charge of the dataset, unless it is void, may
    have it.
    """

    ledger: Ledger
    dataset: str
    what: str
    plan_sha256: str | None = None
    once: bool = False

    def others(self, charge: str | None = None) -> bool:
        """Whether there is another charge with this label, beside one."""
        last = {
            entry.id: entry.state
            for entry in self.ledger.entries(self.dataset)
            if entry.what == self.what and entry.id != charge
        }
        return any(state is not State.VOID for state in last.values())


_TWICE = (
    "Expected a release that was not continued yet, got one that was: the same periods would be "
    "measured twice. Continue the later release, or begin anew; where nothing of it was released, "
    "void its charge first."
)


@attrs.define
class Bill:
    """A release that fits its dataset, what it costs, and what became of its charge.

    `charge` is the charge's ID, once it was made, and `entry` the SHA-256 of its entry. The ledger
    was told of the release where it `is_entered`.
    """

    account: Account
    dataset: Dataset
    cost: Spending
    certificate: Certificate
    charge: str | None = None
    entry: str = _UNKNOWN
    is_entered: bool = False

    def stated(self, certificate: AnyCertificate) -> AnyCertificate:
        """The certificate with what it was charged; without the entry as long as there is none."""
        block = attrs.evolve(build_charge(self.dataset, self.cost), entry=self.entry)
        return attrs.evolve(certificate, ledger=block)

    def pay(self) -> None:
        """Charge it unless that was done.

        Nothing is written where others spent meanwhile what was left, or the ledger was replaced
        since its dataset was read. Where the label is to stand there once, and another charge has
        it, this one is void.
        """
        if self.charge is not None:
            return
        account = self.account
        if not account.once:
            self._warn_of_open()
        try:
            entry = account.ledger.charge(
                self.dataset,
                self.cost.units,
                what=account.what,
                plan_sha256=account.plan_sha256,
                exposure=self.cost.exposure,
            )
        except BudgetExceeded:
            self.check_left()  # the same refusal, with what would fit now
            raise
        if account.once and account.others(entry.id):
            account.ledger.void(entry.id, "another was charged at the same moment")
            raise InvalidArgument(_TWICE)
        self.charge, self.entry = entry.id, entry.sha256

    def _warn_of_open(self) -> None:
        """Warn of what an earlier run of the same label was charged and never released."""
        account = self.account
        charges = account.ledger.open_charges(self.dataset.name, account.what)
        if charges:
            more = "" if len(charges) == 1 else f" and {len(charges) - 1} more"
            warnings.warn(
                f"{account.ledger.shown} has a charge of “{account.what}” that was never entered "
                f"as released: {charges[0]}{more}. If no release of it is underway nothing of it "
                "was released, and deniable ledger void gives it back.",
                OpenCharge,
                stacklevel=2,
            )

    def enter_as_released(self, statement_sha256: str) -> None:
        """Tell the ledger, which refuses if the charge was voided meanwhile."""
        if self.charge is not None:
            self.account.ledger.released(self.charge, statement_sha256)
            self.is_entered = True

    @property
    def unreleased(self) -> str | None:
        """What to do about a charge whose release failed; None where none was made."""
        if self.charge is None:
            return None
        charged = f"It was charged to {self.account.ledger.shown} before that, as {self.charge}"
        if self.is_entered:
            return f"{charged}, is entered as released, and stays spent."
        return f"{charged}, and nothing of it was released: deniable ledger void gives it back."

    def check_left(self) -> None:
        """Refuse what does not fit what is left, with a target or a delta that would."""
        left = self.dataset.spending - self.account.ledger.spending(self.dataset.name)
        if not self.cost.fits(left):
            refused = beyond(self.dataset, self.cost, left)
            raise BudgetExceeded(f"{refused} {self._remedy(left)}")

    def _remedy(self, left: Spending) -> str:
        """What would fit: a smaller target, a smaller delta, or both."""
        certificate = self.certificate
        if not certificate.parts:
            return "What others have drawn already cannot cost less."
        target, adversary = certificate.target, certificate.adversary
        delta, pure_noise = certificate.guarantee.delta or None, certificate.guarantee.rho is None
        unknown_keys, fitting = bool(self.cost.exposure), []
        tied = certificate.guarantee.household
        if self.cost.units > left.units:
            most = what_fits(
                self.dataset,
                left.units,
                target,
                adversary,
                delta,
                unknown_keys=unknown_keys,
                pure_noise=unknown_keys and pure_noise,
                households=None if tied is None else tied.households,
            )
            if most is None:
                return "Nothing would fit."
            worlds = (
                f" with worlds = {most.worlds}" if isinstance(most, IdentifiabilityTarget) else ""
            )
            fitting.append(f"{most.kind} <= {most.value:g}{worlds}")
        if self.cost.exposure > left.exposure and delta is not None:
            smaller = delta_that_fits(
                self.dataset, left.exposure, target, adversary, delta, pure_noise=pure_noise
            )
            if smaller is None:
                return "Nothing would fit; listed keys need no exposure."
            fitting.append(f"delta <= {smaller:g}")
        return f"{' with '.join(fitting)} would fit."


def bill(account: Account, certificate: Certificate, people: People, spends: Spent) -> Bill:
    """What a release costs a dataset, refused while nothing is spent if it does not fit.

    Or if the dataset is of other people, or under other neighbours; if the label is to stand there
    once and does already; if the release is Gaussian and the budget an ε; or if keys are unknown
    and there is no budget of exposure.
    """
    dataset = account.ledger.dataset(account.dataset)
    check_people(dataset, people)
    result = Bill(account, dataset, cost_of(dataset, spends), certificate)
    result.check_left()
    if account.once and account.others():
        raise InvalidArgument(_TWICE)
    return result


def account_of(
    ledger: Ledger | str | os.PathLike[str] | None, dataset: str | None, *words: str | None
) -> Account | None:
    """An account from arguments; None where neither is given."""
    if ledger is None and dataset is None:
        return None
    if ledger is None or dataset is None:
        got = "a ledger alone" if dataset is None else "a dataset alone"
        raise InvalidArgument(f"Expected a ledger and its dataset, got {got}. Give both.")
    book = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    return Account(book, dataset, label(*words))


CONTINUES = "continues "
"""What the label of a continuation begins with, and no other: by it a second one is seen."""


def label(*words: str | None) -> str:
    """The first of these that a ledger can show, shortened to a line; "release" where none can."""
    text = line(*words, instead="release")
    return f"release “{text}”" if text.lstrip().startswith(CONTINUES.strip()) else text


def people_of(certificate: Certificate) -> People:
    """Return the people whom a certificate is about, by its unit.

    A kind that says its unit in words of its own replaces one record of a public number of them,
    and what is replaced is the dataset's word for one: "genotype", "swap".
    """
    unit = certificate.unit
    if isinstance(unit, Unit):
        return People(unit.entity, unit.word, unit.adjacency, unit.members)
    return People(None, unit.adjacency, Adjacency.REPLACE_ONE)


def spent_by_parts(certificate: Certificate) -> Spent:
    """The shares of everything that draws, added up exactly, and all the exposure allowed."""
    amounts = (Fraction(part.epsilon or part.rho or 0.0) for part in certificate.parts)
    measures = {Measure.EPSILON for part in certificate.parts if part.epsilon is not None}
    measures |= {Measure.RHO for part in certificate.parts if part.rho is not None}
    if len(measures) != 1:
        raise NotApplicable("Expected shares in epsilon or in rho to charge, got others.")
    exposure = Fraction(certificate.guarantee.exposure)
    return Spent(measures.pop(), sum(amounts, Fraction(0)), exposure)


def build_charge(dataset: Dataset, cost: Spending) -> Charged:
    """The block of a certificate for such a cost, without the entry's digest."""
    budget, cost_of_it = units.at_least(dataset.budget), units.at_least(cost.units)
    block = Charged(dataset.name, str(dataset.measure), budget, cost_of_it, _UNKNOWN)
    return _with_exposure(block, cost.exposure, dataset.exposure or 0)


def _with_exposure(block: Charged, charged: int, budget: int) -> Charged:
    """Add the exposure charged and its budget; leave both out where there was none."""
    if not charged:
        return attrs.evolve(block, exposure=None, exposure_budget=None)
    return attrs.evolve(
        block,
        exposure=float(units.exposure(charged)),
        exposure_budget=float(units.exposure(budget)),
    )


def recompute_charge(claimed: Charged | None, dataset: str, spends: Spent) -> Charged:
    """What a certificate has to say of its ledger; measure, budget and entry are its own word."""
    measure, amount, exposure = spends
    expected = claimed or Charged(dataset, str(measure), 0.0, 0.0, _UNKNOWN)
    if expected.measure == Measure.RHO and measure is Measure.EPSILON:
        amount = amount**2 / 2
    elif expected.measure != measure:  # a Gaussian release on a budget in ε
        expected = attrs.evolve(expected, measure=str(measure))
    costs = units.at_least(units.to_units(amount))
    budget = max(expected.budget, costs)
    block = attrs.evolve(expected, dataset=dataset, charged=costs, budget=budget)
    exposed = units.to_exposure(exposure)
    stated = expected.exposure_budget or 0.0
    return _with_exposure(block, exposed, max(units.to_exposure(stated), exposed))
