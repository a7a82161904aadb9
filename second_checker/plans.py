"""What follows from a plan, and whether a certificate says it.

Everything is recomputed from ``plan`` (of format 1, which has none, from the certificate's own
request) and from three numbers that are rounded: ε or ρ, shares, scales. Those are compared by
what must hold of them: no share sums beyond the budget, no scale is below what its share pays for.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

from . import numbers
from .schemas import Where, is_number, same
from .verdicts import Findings

PROTECTED = (
    "The protected unit is {0}everything that one value of “{1}” owns in the table. ",
    "The protected unit is one row of the table: no column names an entity. ",
)
HIDDEN = {
    "add-remove": "Whether one {0} is there at all stays hidden, "
    "and so does how many {1} there are.",
    "replace-one": "Exchanging one {0} for another stays hidden; how many {1} there are is public.",
}
THEOREMS = {
    ("pure-dp", "positive-membership"): "pure_dp_to_positive_membership "
    "(tramer-2015, Theorem 2; add-remove: li-2013, Theorem 4.5)",
    ("pure-dp", "max-posterior"): "pure_dp_to_max_posterior (tramer-2015, Equation 9)",
    ("zcdp", "privacy-loss-tail"): "zcdp_to_privacy_loss_tail (bun-steinke-2016, Lemma 3.5)",
    ("privacy-loss-tail", "positive-membership"): "privacy_loss_tail_to_positive_membership "
    "(tramer-2015, Theorem 2, but for rare outputs)",
    ("privacy-loss-tail", "max-posterior"): "privacy_loss_tail_to_max_posterior "
    "(tramer-2015, Equation 9, but for rare outputs)",
}
ULPS = Fraction(1, 2**50)
"""A few units of a float's last place."""
UNIT = Fraction(1, 2**40)
"""In which a ledger counts."""
WITHHELD = (("data", "source"), ("adversary", "population"), ("ledger", "file"), ("ledger", "url"))
PARAMETERS = {
    "count": ("scaled",),
    "entities": (),
    "sum": ("bounds",),
    "mean": ("bounds", "nulls", "size_is_public"),
    "histogram": ("edges", "scaled"),
    "quantile": ("bounds", "quantile", "candidates"),
    "top": ("categories", "number"),
}
COMMON = {
    "name",
    "statistic",
    "group_by",
    "keys",
    "where",
    "max_contribution",
    "weight",
    "precision",
}
OWN = {
    "count": set(),
    "entities": set(),
    "sum": {"column", "bounds"},
    "mean": {"column", "bounds", "nulls"},
    "histogram": {"column", "edges", "quantiles"},
    "quantile": {"column", "bounds", "quantile", "candidates"},
    "top": {"column", "number"},
}
"""Keys of queries, of all and of each statistic."""
CAPPED = ("count", "sum", "histogram")
TARGETS = ("gamma", "max_posterior", "attack_success", "advantage", "identifiability", "epsilon")


class PlanCertificate:
    """One certificate of a plan on a table, and what was found of it."""

    def __init__(self, certificate: dict[str, Any], findings: Findings) -> None:
        self.c = certificate
        self.f = findings
        self.plan: dict[str, Any] | None = certificate.get("plan")
        self.adjacency = certificate["unit"]["adjacency"]
        self.pure = certificate["guarantee"]["rho"] is None
        self.total = certificate["guarantee"]["epsilon" if self.pure else "rho"]

    def check(self) -> None:
        """Compare everything that this checker can recompute."""
        if self.plan is not None:
            self.asked_for(self.plan)
        else:
            self.as_written()
        rows = self.c["limits"]["rows_per_entity"]
        if rows is not None and (isinstance(rows, float) or rows > 2**31):
            self.f.refuse(("limits", "rows_per_entity"), "no number that a plan may ask for")
            return
        self.unit()
        if is_number(self.total):
            self.guarantee()
            self.shares()
            for i, query in enumerate(self.c["queries"]):
                if self.cells(i):
                    for k in range(len(query["parts"])):
                        self.part(i, k)
        else:
            self.f.refuse(("guarantee",), "the budget is infinite")
        self.derivation()
        self.sentences()
        if "ledger" in self.c:
            self.ledger(self.c["ledger"])
        if "population" in self.c:
            self.f.cannot(
                ("population",), "the promise to whoever knows the list; the floor is recomputed"
            )

    # What was asked for

    def asked_for(self, plan: dict[str, Any]) -> None:
        """Names, keys and limits: word by word what the plan says."""
        f = self.f
        data = plan.get("data", {})
        if "source" not in data:
            f.refuse(("plan", "data"), "a published plan says that its source is withheld")
        for table, key in WITHHELD:
            if plan.get(table, {}).get(key, "withheld") != "withheld":
                f.refuse(("plan", table, key), "a place that a published plan withholds")
        f.equal(("unit", "entity"), data.get("entity"))
        f.equal(("unit", "adjacency"), data.get("adjacency", "replace-one"))
        f.equal(("unit", "word"), data.get("unit"))
        f.equal(("adversary", "prior"), floats(plan.get("adversary", {}).get("prior", [0, 1])))
        rows = plan.get("limits", {}).get("rows_per_entity")
        f.equal(("limits", "rows_per_entity"), rows)
        listed = plan.get("adversary", {}).get("knows") == "population"
        target = plan.get("floor" if listed else "target", {})
        if listed != ("population" in self.c):
            f.refuse(("population",), "there without its plan, or the other way round")
        kinds = [kind for kind in TARGETS if kind in target]
        if len(kinds) != 1:
            f.refuse(("plan", "floor" if listed else "target"), "not one target")
            return
        value, worlds = target[kinds[0]], None
        if kinds[0] == "identifiability":
            value, worlds = value["rho"], value["worlds"]
        f.equal(("target",), {"kind": kinds[0], "value": float(value), "worlds": worlds})
        f.equal(("guarantee", "delta"), floats(target.get("delta", 0)))
        if ("delta" in target) == self.pure and "noise" not in target:
            f.refuse(("guarantee", "rho"), "ρ is for plans with a δ, and for these alone")
        queries = plan.get("query", [])
        if len(queries) != len(self.c["queries"]):
            f.refuse(("queries",), "not as many as the plan has")
            return
        names = [query.get("name") for query in queries]
        if len(set(names)) != len(names) or "" in names:
            f.refuse(("plan", "query"), "a name stands twice, or is none")
        for i, query in enumerate(queries):
            self.query(i, query, plan)

    def as_written(self) -> None:
        """Without a plan: numbers that need not be whole stand with a point all the same."""
        places: list[Where] = [("adversary", "prior"), ("target", "value"), ("guarantee", "delta")]
        for i, query in enumerate(self.c["queries"]):
            places.append(("queries", i, "max_contribution"))
            known = [key for key in ("bounds", "edges", "nulls", "quantile") if key in
                     query["parameters"]]  # fmt: skip
            places += [("queries", i, "parameters", key) for key in known]
        for where in places:
            if not same(self.f.value(where), floats(self.f.value(where)), written=True):
                self.f.refuse(where, "a number without a point")

    def query(self, i: int, query: dict[str, Any], plan: dict[str, Any]) -> None:
        """One query's request."""
        f, where, statistic = self.f, ("queries", i), query.get("statistic")
        strange = set(query) - COMMON - OWN.get(statistic, set(query))
        used = {*query.get("group_by", []), *([query.get("column")] if statistic == "top" else [])}
        if statistic in OWN and (strange or set(query.get("keys", {})) - used - {"file", "type"}):
            f.refuse(("plan", "query", i), "keys that this statistic does not have")
        for key, default in (("name", None), ("statistic", None), ("column", None), ("where", [])):
            f.equal((*where, key), query.get(key, default))
        f.equal((*where, "max_contribution"), floats(query.get("max_contribution")))
        if "precision" in query:
            f.skip((*where, "weight"), "weights that follow from a wanted precision")
        else:
            f.equal((*where, "weight"), floats(query.get("weight", 1)))
        groups = []
        for column in query.get("group_by", []):
            keys = query.get("keys", {}).get(column, plan.get("keys", {}).get(column))
            if not isinstance(keys, list):
                f.cannot((*where, "group_by"), "keys that are no list")
                return
            groups.append({"column": column, "keys": keys})
        f.equal((*where, "group_by"), groups)
        parameters: dict[str, Any] | None = None
        if statistic in ("count", "histogram"):
            parameters = {"scaled": "max_contribution" in query}
        elif statistic == "entities":
            parameters = {}
        elif statistic in ("sum", "mean", "quantile"):
            parameters = {"bounds": floats(query.get("bounds"))}
        if statistic == "histogram" and "quantiles" not in query:
            parameters = {"edges": floats(query.get("edges")), **(parameters or {})}
        elif statistic == "mean":
            parameters |= {
                "nulls": floats(query.get("nulls")),
                "size_is_public": self.size_is_public(self.c["queries"][i]),
            }  # fmt: skip
        elif statistic == "quantile":
            parameters |= {
                "quantile": floats(query.get("quantile", 0.5)),
                "candidates": query.get("candidates", 1001),
            }  # fmt: skip
        elif statistic == "top":
            keys = query.get("keys", {}).get(query.get("column"))
            keys = keys or plan.get("keys", {}).get(query.get("column"))
            parameters = {"categories": keys, "number": query.get("number")}
        if parameters is None or "quantiles" in query:
            f.cannot((*where, "parameters"), f"the numbers of a {statistic} as this one")
            return
        f.equal((*where, "parameters"), parameters)

    def cells(self, i: int) -> bool:
        """Whether a query makes sense, and how many numbers it publishes: groups times bins."""
        query = self.c["queries"][i]
        usual = {"count", "entities", "sum", "mean", "histogram", "quantile", "top"}
        if query["statistic"] not in usual or "threshold" in query:
            self.f.cannot(("queries", i), f"the numbers of a {query['statistic']} as this one")
            return True
        parameters = query["parameters"]
        own = set(PARAMETERS[query["statistic"]])
        fits = (
            set(parameters) - ({"quantiles"} if query["statistic"] == "histogram" else set()) == own
            and parameters.get("scaled", False) == ("scaled" in own and self.scaled(query))
            and parameters.get("size_is_public", False) == self.size_is_public(query)
            and not (self.scaled(query) and query["statistic"] not in CAPPED)
            and (query["column"] is None) == (query["statistic"] in ("count", "entities"))
            and query["column"] != ""
            and all(one_kind(group["keys"]) for group in query["group_by"])
            and increasing(parameters.get("edges", []))
            and increasing(parameters.get("bounds", []))
            and one_kind(parameters.get("categories", [""]))
            and parameters.get("number", 1) <= len(parameters.get("categories", [""]))
            and parameters.get("candidates", 2) >= 2
            and 0 < parameters.get("quantile", 0.5) < 1
        )
        if not fits:
            self.f.refuse(("queries", i), "keys, bounds or a column that no plan can ask for")
            return False
        number = math.prod(len(group["keys"]) for group in query["group_by"])
        number *= max(1, len(query["parameters"].get("edges", [])) - 1)
        self.f.equal(("queries", i, "cells"), number)
        return same(query["cells"], number)

    def scaled(self, query: dict[str, Any]) -> bool:
        """Whether what an entity adds is scaled down."""
        return query["max_contribution"] is not None

    def size_is_public(self, query: dict[str, Any]) -> bool:
        """Whether all rows take part in a mean, and their number is public."""
        return (
            self.adjacency == "replace-one"
            and self.c["unit"]["entity"] is None
            and not query["group_by"]
            and not query["where"]
            and query["parameters"].get("nulls") is not None
        )

    def unit(self) -> None:
        """The sentence on what is protected, where it is one that the examples show."""
        entity, word = self.c["unit"]["entity"], self.c["unit"]["word"]
        hidden = HIDDEN[self.adjacency]
        if entity is not None:
            first = PROTECTED[0].format("" if word is None else f"one {word}, ", entity)
            self.f.equal(("unit", "sentence"), first + hidden.format(f"“{entity}”", "of them"))
        elif word is None:
            self.f.equal(("unit", "sentence"), PROTECTED[1] + hidden.format("row", "rows"))
        else:
            self.f.skip(("unit", "sentence"), "the words where rows have a word of their own")

    # Numbers for the whole

    def guarantee(self) -> None:
        """ε or ρ from the target, and everything that follows from it."""
        f, g, target = self.f, self.c["guarantee"], self.c["target"]
        low, high = self.c["adversary"]["prior"]
        kind = target["kind"]
        where: Where = ("guarantee",)
        if low > high or (target["worlds"] is None) == (kind == "identifiability"):
            f.refuse(("adversary",), "a range that is none, or worlds without need")
            return
        if "exposure" in g:
            f.cannot((*where, "exposure"), "keys that nobody knew beforehand")
        epsilon = g["epsilon"]
        if not is_number(epsilon) or epsilon > 10_000:
            f.cannot((*where, "epsilon"), "an ε as large as this")
            return
        belief = kind in ("gamma", "max_posterior", "identifiability")
        limit = numbers.loss_for(kind, target["value"], (low, high), target["worlds"])
        if kind == "identifiability" and self.adjacency == "add-remove":
            limit = None if limit is None else limit / 2  # an exchange is two changes
            belief = False
        if self.pure:
            fits = limit is not None and (
                epsilon == target["value"] if kind == "epsilon" else numbers.applies(epsilon, limit)
            )
            f.state((*where, "epsilon"), fits, "not the ε that the target allows")
            f.equal((*where, "rho"), None)
            f.equal((*where, "exceedance"), 0.0)
            f.equal((*where, "delta"), 0.0)
            odds = numbers.belief(epsilon, Fraction(1, 2))
            f.bound((*where, "attack_success"), odds)
            f.bound((*where, "advantage"), 2 * odds - 1)
        elif belief:
            fits = limit is not None and numbers.applies(epsilon, limit)
            f.state((*where, "epsilon"), fits, "not the ε that the target allows")
            f.equal((*where, "exceedance"), g["delta"])
            if 0 < g["delta"] < 1:
                holds = numbers.applies(g["rho"], numbers.rho_for(epsilon, g["delta"]))
                holds = holds and bool(
                    numbers.ball(g["exceedance"]) >= numbers.exceeds(g["rho"], epsilon)
                )
                f.state((*where, "rho"), holds, "not the ρ that ε and the exceedance allow")
            else:
                f.refuse((*where, "delta"), "Gaussian noise needs a δ")
            if g["rho"] > 0:
                most = numbers.advantage(g["rho"])
                f.bound((*where, "advantage"), most)
                f.bound((*where, "attack_success"), (1 + most) / 2)
        else:
            f.cannot(
                (*where, "rho"), "ρ for targets with a δ that are no belief, or of an exchange"
            )
            return
        f.bound((*where, "gamma"), numbers.factor(epsilon, low, high))
        f.bound((*where, "gamma_outside"), numbers.ball(epsilon).exp())

    def shares(self) -> None:
        """What parts spend sums to no more than the budget, exactly."""
        name = "epsilon" if self.pure else "rho"
        spent = Fraction(0)
        for i, query in enumerate(self.c["queries"]):
            for k, part in enumerate(query["parts"]):
                if part["mechanism"] is not None:
                    if not is_number(part[name]):
                        self.f.refuse(("queries", i, "parts", k, name), "no share")
                        return
                    spent += Fraction(part[name])
        if spent > Fraction(self.total):
            self.f.refuse(("guarantee",), f"shares sum to more than {self.total}")

    # One part

    def part(self, i: int, k: int) -> None:
        """A part's share, mechanism, scale, sensitivity and half-width."""
        f, query = self.f, self.c["queries"][i]
        part, where = query["parts"][k], ("queries", i, "parts", k)
        expected = self.expected_parts(query)
        if expected is None:
            f.cannot(where, f"what a {query['statistic']} as this one measures")
            self.scale(part, where)
            return
        if len(expected) != len(query["parts"]):
            f.refuse((*where[:-1],), "not as many as the statistic has")
            return
        label, needed, norm, step, monotone, fraction = expected[k]
        f.equal((*where, "label"), label)
        if needed is None:
            for key in part:
                if key != "label":
                    f.equal((*where, key), None)
            return
        choice = query["statistic"] in ("quantile", "top")
        mechanism = {
            (True, True): "noisy-top-k-exponential", (True, False): "noisy-top-k-gumbel",
            (False, True): "discrete-laplace", (False, False): "discrete-gaussian",
        }[choice, self.pure]  # fmt: skip
        if part["mechanism"] != mechanism:
            f.refuse((*where, "mechanism"), f"not {mechanism}")
            return
        f.equal((*where, "mechanism"), mechanism)
        f.equal((*where, "step"), step)
        f.equal((*where, "sensitivity", "norm"), norm)
        f.equal((*where, "sensitivity", "monotone"), monotone)
        value = part["sensitivity"]["value"]
        square = needed[0] ** 2 * needed[1]
        if norm == "l2":  # the root of a whole number, rounded up
            fits = isinstance(value, float) and square <= Fraction(value) ** 2
            fits = fits and Fraction(value) ** 2 <= square * (1 + ULPS)
        else:
            fits = same(value, int(needed[0]), written=True)
        f.state((*where, "sensitivity", "value"), fits, "not what one entity may change")
        self.share(i, part, where, fraction)
        self.scale(part, where)
        self.half_width(query, part, where)

    def expected_parts(self, query: dict[str, Any]) -> list[Any] | None:
        """Label, sensitivity (steps, and what is under a root), norm, step, monotone, share."""
        entity = self.c["unit"]["entity"] is not None
        rows = self.c["limits"]["rows_per_entity"] if entity else 1
        swap = self.adjacency == "replace-one"
        statistic, cells = query["statistic"], query["cells"]
        contribution, parameters = query["max_contribution"], query["parameters"]
        if cells < 1 or "threshold" in query or (rows is None and contribution is None):
            return None
        if contribution is not None and not entity:
            return None
        norm = "l1" if self.pure else "l2"
        many = cells > 1

        def apart(reach: int) -> tuple[int, int]:
            """What moves by as much in one cell, where an exchange may reach two."""
            if not (swap and many):
                return reach, 1
            return (2 * reach, 1) if self.pure else (reach, 2)

        if statistic == "count" or (statistic == "histogram" and "quantiles" not in parameters):
            if contribution is None:
                return [(statistic, apart(rows), norm, 1.0, None, Fraction(1))]
            reach = math.floor(Fraction(contribution) * 2**20)
            return [(statistic, apart(reach), norm, 2.0**-20, None, Fraction(1))]
        if statistic == "entities" and contribution is None:
            most = min(cells, (2 if swap else 1) * min(rows, cells))
            needed = (most, 1) if self.pure else (1, most)
            return [("entities", needed, norm, 1.0, None, Fraction(1))]
        if statistic == "sum":
            low, high, step = whole_steps(parameters["bounds"])
            reach, between = rows, rows
            if contribution is None:
                reach = rows * max(abs(low), abs(high))
                between = rows * (max(high, 0) - min(low, 0))
            else:
                reach = math.floor(Fraction(contribution) / Fraction(step))
                between = reach * (2 if low < 0 < high else 1)
            needed = apart(reach)
            if swap and between**2 > needed[0] ** 2 * needed[1]:
                needed = (between, 1)
            return [("sum", needed, norm, step, None, Fraction(1))]
        if statistic == "mean" and contribution is None:
            low, high, step = whole_steps(parameters["bounds"])
            reach = rows * -((low - high) // 2)
            half = Fraction(1) if parameters["size_is_public"] else Fraction(1, 2)
            total = ("sum", (rows * (high - low) if swap else reach, 1), norm, step, None, half)
            if parameters["size_is_public"]:
                return [total, ("size", None, None, None, None, None)]
            return [total, ("count", apart(rows), norm, 1.0, None, half)]
        if statistic == "quantile" and contribution is None:
            part = fraction_of(parameters["quantile"])
            if part is None:
                return None
            n, d = part.numerator, part.denominator
            reach = rows * max(n, d - n)
            if swap:
                reach = 2 * reach if many else rows * d
            return [("quantile", (reach, 1), "linf-sum", 1 / d, False, Fraction(1))]
        if statistic == "top" and contribution is None:
            return [("top", (rows, 1), "linf-sum", 1.0, not swap, Fraction(1))]
        return None

    def share(self, i: int, part: dict[str, Any], where: Where, fraction: Fraction) -> None:
        """A part's share of the budget is that of its weight, rounded down."""
        name, other = ("epsilon", "rho") if self.pure else ("rho", "epsilon")
        self.f.equal((*where, other), None)
        if not is_number(part[name]):
            return
        if any("precision" in query for query in (self.plan or {}).get("query", [])):
            self.f.skip((*where, name), "shares by a wanted precision; only that they sum up")
            return
        weights = [Fraction(query["weight"]) for query in self.c["queries"]]
        due = Fraction(self.total) * weights[i] / sum(weights) * fraction
        least = due * (1 - ULPS) - (2 * UNIT if "ledger" in self.c else 0)
        fits = least <= Fraction(part[name]) <= due
        self.f.state((*where, name), fits, "not the share of its weight")

    def scale(self, part: dict[str, Any], where: Where) -> None:
        """A part's noise is as large as its share and its sensitivity demand."""
        if part["mechanism"] is None:
            return
        spent = part["epsilon"] if self.pure else part["rho"]
        if not is_number(spent) or spent <= 0 or part["step"] is None:
            self.f.refuse((*where, "scale"), "noise without a share or a step")
            return
        sensitivity = part["sensitivity"]
        step = Fraction(part["step"])
        if part["label"] == "quantile":  # a tenth is meant, and no float is one
            step = 1 / Fraction(round(1 / step))
        moved = Fraction(sensitivity["value"]) * step
        scale = Fraction(part["scale"])
        choices = 1
        if part["mechanism"].startswith("noisy-top-k"):
            choices = self.c["queries"][where[1]]["parameters"].get("number", 1)
            moved *= 1 if sensitivity["monotone"] else 2
        if part["mechanism"] == "discrete-gaussian":
            cost = moved**2 / (2 * scale**2)
        elif part["mechanism"] == "noisy-top-k-gumbel":
            cost = choices * (moved / scale) ** 2 / 8
        else:
            cost = choices * moved / scale
        factor = Fraction(1)
        if "population" in self.c:
            factor = Fraction(self.c["population"]["noise_factor"])
            cost *= factor if self.pure else factor**2
        spent = Fraction(spent)
        holds = cost <= spent * (1 if factor == 1 else 1 + ULPS)
        fits = holds and cost >= spent * (1 - ULPS)
        self.f.state((*where, "scale"), fits, "not the noise that its share pays for")

    def half_width(self, query: dict[str, Any], part: dict[str, Any], where: Where) -> None:
        """The half-width of each published number follows from its noise alone."""
        width, step, scale = part["half_width_95"], part["step"], part["scale"]
        if not all(isinstance(x, float) for x in (width, step, scale)):
            self.f.refuse((*where, "half_width_95"), "no number")
            return
        if part["mechanism"] == "discrete-laplace":
            fits = numbers.laplace_half_width(width, step, scale)
        elif part["mechanism"] == "discrete-gaussian":
            fits = numbers.gaussian_half_width(width, step, scale)
        else:
            parameters = query["parameters"]
            candidates = parameters.get("candidates") or len(parameters["categories"])
            fits = numbers.choice_half_width(
                width, scale, candidates, parameters.get("number", 1),
                part["mechanism"] == "noisy-top-k-gumbel",
            )  # fmt: skip
        self.f.state((*where, "half_width_95"), fits, "not what 95 of 100 stay within")

    # Words

    def derivation(self) -> None:
        """Each link: its numbers, labels and theorem; ε or ρ first, the target last."""
        f, g, links = self.f, self.c["guarantee"], self.c["derivation"]
        kind = self.c["target"]["kind"]
        if kind == "epsilon" and self.pure:
            f.state(("derivation",), links == [], "nothing is to be derived of an ε")
            return
        if kind not in ("gamma", "max_posterior", "identifiability"):
            f.skip(("derivation",), "chains to a success or an advantage, or to an ε with a δ")
            return
        public = "@add-remove" if self.adjacency == "add-remove" else ""
        value = self.c["target"]["value"]
        low, high = self.c["adversary"]["prior"]
        goal = {"gamma": "positive-membership", "max_posterior": "max-posterior"}.get(kind, kind)
        if kind == "identifiability" or (kind == "gamma" and (low, high) == (0, 1)):
            f.skip(("derivation",), "labels where every belief is meant, or worlds")
            return
        tail = "" if self.pure else f",{g['exceedance']!r}"
        label = f"@{short(low) if kind == 'gamma' else 0}-{short(high)}"
        chain = [("pure-dp", f"{g['epsilon']!r}{public}")]
        if not self.pure:
            loss = f"{g['epsilon']!r},{g['exceedance']!r}{public}"
            chain = [("zcdp", f"{g['rho']!r}{public}"), ("privacy-loss-tail", loss)]
        chain.append((goal, f"{float(value)!r}{tail}{public}{label}"))
        expected = [
            {"from": ":".join(a), "to": ":".join(b), "theorem": THEOREMS[a[0], b[0]]}
            for a, b in itertools.pairwise(chain)
        ]
        f.equal(("derivation",), expected)

    def sentences(self) -> None:
        """Assumptions and limits, in the words that the examples show for a table with entities."""
        unit, rows = self.c["unit"], self.c["limits"]["rows_per_entity"]
        usual = {"count", "entities", "sum", "mean", "histogram", "quantile", "top"}
        plain = all(query["statistic"] in usual for query in self.c["queries"])
        keys = {"data", "adversary", "target", "limits", "query", "floor", "ledger"}
        if self.plan is not None:
            plain = plain and set(self.plan) <= keys
            plain = plain and set(self.plan["data"]) <= {"source", "entity", "unit", "adjacency"}
        if (unit["entity"] is None) != (rows is None) or not plain:
            for key in ("assumptions", "not_covered"):
                self.f.skip((key,), "sentences for plans unlike the examples")
            return
        general = ASSUMPTIONS if rows is not None else ASSUMPTIONS[:4]
        own = [sentence.format(unit["entity"], rows) for sentence in general]
        self.f.equal(("assumptions",), own)
        self.f.equal(("not_covered",), list(NOT_COVERED))

    def ledger(self, ledger: dict[str, Any]) -> None:
        """What the release was charged: its shares in whole units."""
        f, asked = self.f, (self.plan or {}).get("ledger", {})
        if self.plan is not None:
            f.equal(("ledger", "dataset"), asked.get("dataset"))
        name = "epsilon" if self.pure else "rho"
        spent = sum(
            (Fraction(part[name]) for query in self.c["queries"] for part in query["parts"]
             if is_number(part[name])), Fraction(0),
        )  # fmt: skip
        if ledger["measure"] == "epsilon" and not self.pure:
            f.refuse(("ledger", "measure"), "Gaussian noise cannot be charged in ε")
            return
        if ledger["measure"] == "rho" and self.pure:
            spent = spent**2 / 2
        charged = Fraction(ledger["charged"])
        parts = sum(len(query["parts"]) for query in self.c["queries"])
        fits = charged % UNIT == 0 and spent <= charged <= spent + (parts + 1) * UNIT
        f.state(("ledger", "charged"), fits, "not what the shares are in whole units")
        if Fraction(ledger["budget"]) < charged:
            f.refuse(("ledger", "budget"), "less than was charged")


def floats(value: Any) -> Any:
    """Numbers as certificates write those that need not be whole."""
    if isinstance(value, list):
        return [floats(each) for each in value]
    return float(value) if is_number(value) else value


def one_kind(keys: list[Any]) -> bool:
    """Whether keys are there, of one kind and each once."""
    kinds = {"number" if is_number(key) else type(key).__name__ for key in keys}
    return len(kinds) == 1 and not any(
        same(keys[i], keys[k]) for i in range(len(keys)) for k in range(i)
    )


def fraction_of(quantile: float) -> Fraction | None:
    """A quantile as it was meant: a binary fraction of 20 digits, or six decimals."""
    exact, decimal = Fraction(quantile), Fraction(repr(quantile))
    if exact.denominator <= 2**20:
        return exact
    return decimal if 10**6 % decimal.denominator == 0 else None


def increasing(values: list[Any]) -> bool:
    """Whether each number is larger than the one before it."""
    return all(a < b for a, b in itertools.pairwise(values))


def whole_steps(bounds: list[float]) -> tuple[int, int, float]:
    """Bounds in steps, to the nearest one, and the step."""
    low, high = (Fraction(bound) for bound in bounds)
    step = grid(max(abs(low), abs(high)))
    return round(low / Fraction(step)), round(high / Fraction(step)), step


def grid(largest: Fraction) -> float:
    """The step of sums: the least power of two that leaves bounds at most 2²⁴ steps."""
    power = math.ceil(math.log2(largest)) - 24
    while largest > 2**24 * Fraction(2) ** power:
        power += 1
    while largest <= 2**24 * Fraction(2) ** (power - 1):
        power -= 1
    return float(Fraction(2) ** power)


def short(x: float) -> str:
    """A number as labels have it: 0.1, and 0 for 0.0."""
    return repr(float(x)).removesuffix(".0")


ASSUMPTIONS = (
    "Before the release, the adversary's beliefs about different entities are independent of one "
    "another, apart from the number of entities where that is public.",
    "The adversary may know everything else: all other entities' rows, the plan, this program.",
    "Everything in the plan besides the table's values is public: names, keys, bounds, edges, "
    "conditions, the target.",
    "Noise comes from the operating system's secure random numbers and is forgotten after use; "
    "nothing but the files of this release leaves the house.",
    "Rows whose “{0}” is NULL are left out.",
    "Of one “{0}”, at most {1} rows are used, chosen by a secret random order before any filter.",
)
NOT_COVERED = (
    "Entities that belong together: if several entities are all in the data or all out of it (a "
    "family, one person under two ids), what is learned of the group can exceed what this "
    "certificate states for one.",
    "A plan made from the data: if keys, bounds, edges or candidates were chosen by looking at "
    "this table, that choice is a release of its own, without protection.",
    "Other releases: what was or will be published from the same entities, by anyone, adds to what "
    "this release shows. This certificate speaks of this plan alone.",
    "Wrong entity ids: whoever appears under two ids is protected as two entities, each by itself; "
    "rows that carry somebody else's id are protected as the other's.",
)
