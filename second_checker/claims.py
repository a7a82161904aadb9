"""What certificates of every kind claim: of everything together, and of one part with noise."""

import contextlib
import itertools
from fractions import Fraction
from typing import Any

from . import numbers
from .numbers import NEAR, SLACK, Spent, applies, ball
from .parts import Part
from .verdicts import Findings, Where, is_number, written_alike

BELIEF = {"gamma": "positive-membership", "max_posterior": "max-posterior"}
TRAMER, EQUATION = "tramer-2015, Theorem 2", "tramer-2015, Equation 9"
THEOREMS = {
    ("pure-dp", "positive-membership"): TRAMER + "; add-remove: li-2013, Theorem 4.5",
    ("pure-dp", "max-posterior"): EQUATION,
    ("zcdp", "privacy-loss-tail"): "bun-steinke-2016, Lemma 3.5",
    ("approx-zcdp", "privacy-loss-tail"): "bun-steinke-2016, Section 8; proof in the docstring",
    ("discrete-gaussian", "gaussian-dp"): "one grid step between discrete and continuous",
    ("gaussian-dp", "privacy-loss-tail"): "balle-wang-2018, Theorem 8, and the hockey-stick tail",
    ("privacy-loss-tail", "positive-membership"): TRAMER + ", but for rare outputs",
    ("privacy-loss-tail", "max-posterior"): EQUATION + ", but for rare outputs",
}
NOISE = {
    (1, True): ("noisy-top-k-exponential", "linf-sum"), (0, True): ("discrete-laplace", "l1"),
    (1, False): ("noisy-top-k-gumbel", "linf-sum"), (0, False): ("discrete-gaussian", "l2"),
}  # fmt: skip
"""Mechanism and norm, by whether it is a choice and pure."""
UNIT = Fraction(1, 2**40)
"""In which a ledger counts."""


class Claims:
    """One certificate, and what was found of it."""

    def __init__(self, certificate: dict[str, Any], findings: Findings) -> None:
        self.c, self.f, self.g = certificate, findings, certificate["guarantee"]
        self.adjacency = certificate["unit"]["adjacency"]
        self.public = "@add-remove" if self.adjacency == "add-remove" else ""
        self.pure = self.g["rho"] is None
        self.total = self.g["epsilon" if self.pure else "rho"]
        self.slack: Any = None
        self.limit: Any = None

    def guarantee(self) -> None:
        """ε or ρ from the target, and everything that follows from it."""
        f, g, target, where = self.f, self.g, self.c["target"], ("guarantee",)
        low, high = self.c["adversary"]["prior"]
        kind, worlds, epsilon = target["kind"], target.get("worlds"), g["epsilon"]
        if low > high or (worlds is None) == (kind == "identifiability"):
            f.refuse(("adversary",), "a range that is none, or worlds without need")
            return
        if not isinstance(epsilon, float) or epsilon > 10_000:
            f.cannot((*where, "epsilon"), "an ε as large as this")
            return
        limit = numbers.loss_for(kind, target["value"], (low, high), worlds)
        exchange = kind == "identifiability" and bool(self.public)
        if exchange:
            limit = None if limit is None else limit / 2  # an exchange is two changes
        if limit is None:
            f.refuse((*where, "epsilon"), "a target that no noise meets")
            return
        if self.pure:
            fits = applies(epsilon, limit, SLACK if kind != "epsilon" else Fraction(0))
            f.state((*where, "epsilon"), fits, "not the ε that the target allows")
            f.equal((*where, "rho"), None)
            most = 2 * numbers.belief(epsilon, Fraction(1, 2)) - 1
        elif kind == "epsilon" or exchange:
            f.cannot((*where, "rho"), "ρ for an ε with a δ, or for exchanges under add-remove")
            return
        elif not 0 < g["delta"] < 1 or not 0 < g["rho"] < 1000 or isinstance(g["rho"], int):
            f.refuse((*where, "rho"), "Gaussian noise needs a ρ and a δ")
            return
        else:
            self.limit, most = limit, self.concentrated(kind, epsilon, limit)
        f.equal((*where, "delta"), 0.0 if self.pure else g["delta"])
        f.equal((*where, "exceedance"), g["delta"])
        f.bound((*where, "advantage"), most)
        f.bound((*where, "attack_success"), (1 + most) / 2)
        f.bound((*where, "gamma"), numbers.factor(epsilon, low, high))
        f.bound((*where, "gamma_outside"), ball(epsilon).exp())

    def concentrated(self, kind: str, epsilon: float, limit: Any) -> Any:
        """The largest ρ that the target allows, and the least ε that it has; the advantage."""
        f, g, delta, value = self.f, self.g, ball(self.g["delta"]), ball(self.c["target"]["value"])
        spent = Spent(g["rho"], self.slack, g.get("exposure", 0))
        more, less = spent._replace(rho=g["rho"] * ball(1 + NEAR)), epsilon * ball(1 - NEAR)
        fits = bool(spent.exceeds(epsilon) <= delta) and bool(spent.exceeds(less) > delta)
        f.state(("guarantee", "epsilon"), fits, "not the loss of ρ")
        most = spent.advantage()
        if kind in ("attack_success", "advantage"):
            value = value if kind == "advantage" else 2 * value - 1
            kept = delta.min(value) / 64
            fits = bool(most <= value) and bool(more.advantage() > value)
        else:
            kept = delta / 2 * -(-ball(0.02) * limit).expm1()
            fits = bool(ball(epsilon) <= limit) and bool(more.exceeds(limit.mid()) > delta)
        f.state(("guarantee", "rho"), fits, "not the ρ that the target allows")
        if "exposure" in g:
            fits = applies(g["exposure"], kept, NEAR)
            f.state(("guarantee", "exposure"), fits, "not the part of δ that is for unknown keys")
        return most

    def derivation(self) -> None:
        """Each link: its numbers, labels and theorem; ε or ρ first, the target last."""
        f, g, links, target = self.f, self.g, self.c["derivation"], self.c["target"]
        kind, public, x, e = target["kind"], self.public, g["exceedance"], g["epsilon"]
        if kind not in BELIEF:
            if kind == "epsilon" and self.pure:
                f.equal(("derivation",), [])
            f.skip(("derivation",), "chains to a success, an advantage, worlds, an ε with a δ")
            return
        said: list[list[float]] = []
        with contextlib.suppress(ValueError):
            for link in links:
                text = link["from"].partition(":")[2].partition("@")[0]
                said.append([float(each) for each in text.split(",")])
        if not said or len(said) != len(links):
            f.refuse(("derivation",), "numbers that are none")
            return
        if self.slack is None and any("total of noise" in each for each in f.missing):
            f.skip(("derivation",), "chains from noise that is not known")
            return
        low, high = self.c["adversary"]["prior"]
        if self.limit is not None and applies(said[-1][0], self.limit) and said[-1][0] > e:
            e = said[-1][0]  # what was searched for, of which the guarantee is the least
        chain = [("pure-dp", f"{e!r}")] if self.pure else [("zcdp", f"{g['rho']!r}")]
        if "exposure" in g:
            chain = [("approx-zcdp", f"{g['rho']!r},{g['exposure']!r}")]
        elif links[0]["from"].startswith("discrete-gaussian:") and self.slack is not None:
            mu, claimed = (2 * ball(g["rho"])).sqrt(), [*said[0][1:], *(said[1:] or [[]])[0]]
            if len(claimed) != 3 or not all(
                map(numbers.claims, claimed, (self.slack, mu, mu * self.slack))
            ):
                f.refuse(("derivation",), "not the Gaussian curve of this noise")
                return
            chain = [("discrete-gaussian", f"{g['rho']!r},{claimed[0]!r}")]
            chain.append(("gaussian-dp", f"{claimed[1]!r},{claimed[2]!r}"))
        if not self.pure:
            chain.append(("privacy-loss-tail", f"{e!r},{x!r}"))
        first, last = (repr(float(bound)).removesuffix(".0") for bound in (low, high))
        label = f"@{first if kind == 'gamma' else 0}-{last}"
        label = "" if kind == "gamma" and (low, high) == (0, 1) else label
        chain.append((BELIEF[kind], f"{float(target['value'])!r}{'' if self.pure else f',{x!r}'}"))
        texts = [f"{name}:{text}{public}" for name, text in chain]
        texts[-1] += label
        expected = []
        for i, (a, b) in enumerate(itertools.pairwise(name for name, _ in chain)):
            theorem = f"{a}_to_{b} ".replace("-", "_") + f"({THEOREMS[a, b]})"
            expected.append({"from": texts[i], "to": texts[i + 1], "theorem": theorem})
        f.equal(("derivation",), expected)

    def part(
        self, where: Where, due: Part, share: Fraction | None, number: int = 1, choices: int = 0
    ) -> None:
        """A part's share, mechanism, scale, sensitivity and half-width."""
        f, part = self.f, self.f.value(where)
        f.equal((*where, "label"), due.label)
        if due.step is None:
            f.equal(where, {**dict.fromkeys(part), "label": due.label})
            return
        mechanism, norm = NOISE[bool(choices), self.pure]
        if due.cells:
            mechanism = f"zero-sum-{mechanism}"
        if part["mechanism"] != mechanism or not part["sensitivity"]:
            f.refuse((*where, "mechanism"), f"not {mechanism}")
            return
        name, other = ("epsilon", "rho") if self.pure else ("rho", "epsilon")
        f.equal((*where, "mechanism"), mechanism)
        f.equal((*where, "step"), due.step)
        f.equal((*where, other), None)
        f.equal((*where, "sensitivity", "norm"), norm)
        f.equal((*where, "sensitivity", "monotone"), due.monotone)
        value, spent, scale = part["sensitivity"]["value"], part[name], part["scale"]
        fits = written_alike(value, due.l1)
        if norm == "l2":  # the root of a number, rounded up
            fits = isinstance(value, float) and numbers.claims(value, ball(due.square).sqrt())
        f.state((*where, "sensitivity", "value"), fits, "not what one entity may change")
        if not isinstance(spent, float) or spent <= 0 or not isinstance(scale, float):
            f.refuse((*where, "scale"), "noise without a share")
            return
        if share is None:
            f.skip((*where, name), "shares by a wanted precision; only that they sum up")
        else:
            least = share * (1 - SLACK) - (2 * UNIT if "ledger" in self.c else 0)
            f.state((*where, name), least <= Fraction(spent) <= share, "not its share")
        step = Fraction(due.step)
        if due.label == "quantile":  # a tenth is meant, and no float is one
            step = 1 / Fraction(round(1 / step))
        moved = Fraction(value) * step / Fraction(scale)
        cost = moved if self.pure else moved**2 / 2
        if choices and not due.monotone:
            cost *= number * (2 if self.pure else 1)
        elif choices:
            cost *= number * (1 if self.pure else Fraction(1, 4))
        factor = Fraction(self.c.get("population", {}).get("noise_factor", 1))
        cost, paid = cost * (factor if self.pure else factor**2), Fraction(spent)
        rounded = factor != 1 or due.label == "quantile"
        fits = paid * (1 - SLACK) <= cost <= paid * (1 + SLACK * rounded)
        f.state((*where, "scale"), fits, "not the noise that its share pays for")
        width, at = part["half_width_95"], (*where, "half_width_95")
        if due.label in ("crosstab", "tree"):
            f.equal(at, None)
        elif due.label == "running_count":
            f.skip(at, "half-widths of running counts")
        elif not isinstance(width, float):
            f.refuse(at, "no number")
        elif choices:
            fits = numbers.choice_half_width(width, scale, choices, number, not self.pure)
            f.state(at, fits, "not what 95 of 100 choices stay within")
        elif due.cells and scale * due.cells > numbers.LARGEST_SUM:
            f.skip(at, "half-widths of wide noise that adds up to zero")
        elif due.cells:
            fits = numbers.zero_sum_half_width_fits(width, scale, due.cells)
            f.state(at, fits, "not what 95 of 100 stay within")
        else:
            fits = numbers.half_width_fits(width, due.step, scale, self.pure)
            f.state(at, fits, "not what 95 of 100 stay within")

    def charged(self, parts: list[dict[str, Any]]) -> None:
        """What a ledger was charged: shares in whole units, and the exposure."""
        f, ledger, name = self.f, self.c["ledger"], "epsilon" if self.pure else "rho"
        if not ledger["dataset"].isprintable() or ledger["dataset"] != ledger["dataset"].strip():
            f.refuse(("ledger", "dataset"), "no line of text without blanks at its ends")
        spent = sum((Fraction(p[name]) for p in parts if is_number(p[name])), Fraction(0))
        if ledger["measure"] == "epsilon" and not self.pure:
            f.refuse(("ledger", "measure"), "Gaussian noise cannot be charged in ε")
        elif ledger["measure"] == "rho" and self.pure:
            spent = spent**2 / 2
        amounts = [("charged", "budget", UNIT, spent, (len(parts) + 1) * UNIT)]
        if "exposure" in self.g or "exposure" in ledger:
            kept, unit = Fraction(self.g.get("exposure", 0)), Fraction(1, 2**50)
            amounts.append(("exposure", "exposure_budget", unit, kept, unit))
        for key, budget, unit, due, more in amounts:
            charged, most = Fraction(ledger.get(key, 0)), Fraction(ledger.get(budget, 0))
            fits = charged % unit == 0 and due <= charged <= due + more
            f.state(("ledger", key), fits, "not what this release costs in whole units")
            if most < charged or (key == "exposure" and most % unit):
                f.refuse(("ledger", budget), "less than was charged")
