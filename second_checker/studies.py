"""Studies of genomes and their frequencies: what follows from public numbers."""

import math
from fractions import Fraction

from . import numbers
from .claims import Claims
from .numbers import SLACK, ball
from .parts import Part
from .verdicts import is_number


class StudyCertificate(Claims):
    """What is common to a study's best variants and to its frequencies."""

    def check(self) -> None:
        """The request, the guarantee, and what got noise."""
        f, c, study = self.f, self.c, self.c["study"]
        self.swap, people = self.adjacency == "swap", study["cases"] + study["controls"]
        prior = c["adversary"]["prior"]
        if c["adversary"]["source"] == "default":
            sizes = (study.get("strata") or [study]) if self.swap else []
            shares = [Fraction(s["cases"], s["cases"] + s["controls"]) for s in sizes] or [0, 1]
            near = prior[0] * (1 + SLACK) >= min(shares) and max(shares) * (1 + SLACK) >= prior[1]
            fits = near and prior[0] <= min(shares) and max(shares) <= prior[1]
            f.state(("adversary", "prior"), fits, "not the default of this adjacency")
        written = all(isinstance(x, float) for x in (*prior, c["target"]["value"]))
        whole = all(isinstance(study[key], int) for key in ("cases", "controls", "variants"))
        if not written or not whole or people > 2**26 or not is_number(self.total):
            f.refuse(("study",), "numbers that no study may have")
            return
        if any(each["first"] > each["last"] for each in c.get("chromosomes", [])):
            f.refuse(("chromosomes",), "a chromosome that ends before it begins")
        (self.selection if "selection" in c else self.frequencies)()
        self.derivation()
        f.skip(("ledger", "dataset"), "the ledger's name for these people")
        for where in (("unit",), ("adversary", "sentence"), ("assumptions",), ("not_covered",)):
            f.skip(where, "sentences of a study")

    def selection(self) -> None:
        """Which variants were chosen, and the noisy counts of their alleles."""
        f, c, s, published = self.f, self.c, self.c["selection"], self.c["statistics"]
        variants, score, top, strata = (
            c["study"]["variants"],
            s["score"],
            s["top"],
            "strata" in c["study"],
        )
        line = score in ("distance", "stratified")
        if (
            top > variants or isinstance(top, float) or strata != (score == "stratified")
            or line != (s["threshold"] is not None) or not is_number(s["part"]["epsilon"])
            or (published and not is_number(published["epsilon"]))
        ):  # fmt: skip
            f.refuse(("selection",), "what no study may ask for, or noise without a share")
            return
        f.skip(("selection", "threshold"), "where significance begins")
        names = {"stratified": "copies of an allele", "distance": "genotypes to replace"}
        names |= {"distance": "swaps of a case and a control"} if self.swap else {}
        f.equal(("selection", "score_unit"), names.get(score, f"{score} χ²"))
        self.guarantee()
        steps, step, moved = 1, 1.0, self.moved(score)
        if score != "distance":
            step = math.ldexp(1.0, math.frexp(float(moved))[1] - 21)
            error = 2 * (c["study"]["cases"] + c["study"]["controls"]) + 4096 * strata
            steps = math.ceil((moved + Fraction(error, 2**39)) / Fraction(step))
        rest = Fraction(self.total) - Fraction(published["epsilon"] if published else 0)
        part = Part("top", steps, 0, step, monotone=False)
        self.part(("selection", "part"), part, rest, top, variants)
        if published is None:
            f.equal(("statistics",), None)
        else:
            part = Part("allele count", (4 if self.swap else 2) * top, 0, 1.0)
            self.part(("statistics",), part, Fraction(self.total) / 2)
        if "ledger" in c:
            self.charged([s["part"], *([published] if published else [])])

    def moved(self, score: str) -> Fraction:
        """By how much a neighbour moves a score."""
        study = self.c["study"]
        r, s = study["cases"], study["controls"]
        n = r + s
        if score in ("allelic", "genotypic"):
            moved = Fraction(n * n, min(r, s) * (max(r, s) + 1))
            if self.swap:
                moved = Fraction(n * n, r * s) * (2 - Fraction(1, r) - Fraction(1, s))
            return moved * (2 if score == "allelic" else 1)
        if score == "trend":
            return min(Fraction(n), Fraction(4 * n * n, r * s))
        moves = [Fraction(2 if score == "stratified" and self.swap else 1)]
        for each in study.get("strata", []) if not self.swap else []:
            a, b = int(each["cases"]), int(each["controls"])
            n = a + b
            moves.append(
                Fraction(2 * max(a, b), n) + Fraction(a * b * (n - 1), n * n * (2 * n - 1))
            )
        return max(moves)

    def frequencies(self) -> None:
        """The counts of all alleles, one vector."""
        f, c, counted = self.f, self.c, self.c["counted"]
        of, part, variants = counted["of"], counted["part"], c["study"]["variants"]
        number = variants * (2 if of == "both" else 1)
        moved = number if self.swap else variants
        if (self.swap and of == "everybody") or not part["sensitivity"]:
            f.refuse(("counted",), "frequencies that neighbours agree on, or without noise")
            return
        if not self.pure:
            self.slack = (moved / ball(part["sensitivity"]["value"]) ** 2).sqrt()
        self.guarantee()
        due = Part("allele count", 2 * moved, 4 * moved, 1.0)
        self.part(("counted", "part"), due, Fraction(self.total))
        scale, width, rare = part["scale"], counted["half_width_95_all"], Fraction(1, 20 * number)
        fits = isinstance(scale, float) and isinstance(width, float)
        fits = fits and numbers.half_width_fits(width, 1, scale, self.pure, rare)
        f.state(("counted", "half_width_95_all"), fits, "not what all errors stay within")
        f.skip(("compared",), "the theory of what attackers reach")
        r, s = c["study"]["cases"], c["study"]["controls"]
        people = {"everybody": r + s, "both": min(r, s), "cases": r, "controls": s}[of]
        f.equal(("compared", "people"), people)
        f.skip(("beacon",), "answers of a Beacon")
        if "ledger" in c:
            self.charged([part])
