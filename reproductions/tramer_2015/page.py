"""The page: what the paper says, what we measured, under which adjacency."""

from collections.abc import Iterable, Sequence

from reproductions._output import markdown_table
from reproductions.tramer_2015.evaluation import Point, RoomPoint

_REFERENCE = {
    (5000, 2.0, "any"): 0.086,
    (5000, 2.0, "half"): 0.877,
    (7500, 2.0, "any"): 0.784,
    (7500, 2.0, "half"): 0.999,
    (10_000, 1.5, "any"): 0.247,
    (10_000, 2.0, "any"): 0.992,
}
"""What an independent computation on hapsample found (20 other replicates, Gumbel noise)."""

_ENOUGH = 0.9
_ROOM_WORDS = (
    "the probability that the causal pair is among M released, against the number of individuals; "
    "a panel a score, a line an M of 2, 3 or 5 and a noise. It rises with individuals and falls "
    "with M."
)
_WORDS = (
    "The probability of exactly the causal pair against γ; a panel a score, a line a number of "
    "individuals and an adversary. It rises with γ and with individuals, soonest for the distance."
)
_LAWS = {"gumbel": "Gumbel", "exponential": "exponential"}

_HEAD = """# Genome studies with bounded priors (tramer-2015)

Written by `python -m reproductions.tramer_2015 --out DIR`. Two causal variants among about 10,000;
studies of N individuals, half of them cases, are drawn with replacement from a base study of 2,000,
{replicates} times each. A mark is the mean over the replicates of the *exact* probability that the
two released variants are the causal pair; ± is two standard errors.

- **any belief** (D_B): the adversary may believe anything beforehand, so ε = ln γ.
- **belief ½** (D_B^½): the adversary gives a person even odds, so ε = ln(2γ − 1).
- Noise: every round with scale 2MΔ/ε, M = 2. The paper's numbers are for Gumbel noise (the
  exponential mechanism); `deniable gwas release` uses exponential noise, which is never less
  useful.

**The paper's evaluation figures (Sections 4.2 and 4.3) are in no text that we have.** What is said
here of them was told to us and not compared with it; what is drawn are our own curves, in the
setting as we understand it. See the
[bibliography](../../../docs/reference/bibliography.md#tramer-2015).

## The headline: 10,000 participants or 7,500

At γ = 2 the adversary who may believe anything needs 10,000 participants, the one with prior ½ only
7,500, says the paper. With the genotypic χ², the sensitivity of one replaced **genotype** and
Gumbel noise:

{headline}
{verdict}

The mismatch: prior ½ is what an adversary believes who knows the list of participants and asks who
is a **case**. Two such studies differ in a swap of a case and a control, not in a genotype, and a
swap moves the χ² up to twice as far. What the prior is about and what the sensitivity protects are
two different things in the paper. The same computation with the swap's own sensitivity:

{swapped}
Two readings are consistent: *genotype* with any belief, and *swap* with belief ½.

## Gumbel or exponential noise, and room for more than the pair

Two laws choose M variants. *Gumbel*: noise of scale s on every score, and the M largest at once.
That is the exponential mechanism repeated M times, each time without those already chosen: one and
the same law, so there is no "one shot" and "peeling" to tell apart. *Exponential*: exponential
noise of the same scale and the same ε, drawn anew in each round (permute-and-flip for one variant);
another law, which releases use.

Both need scale 2MΔ/ε: each round has ε/M. With M = 3 or 5 there is room for others beside the
causal pair, and more noise. The probability that both causal variants are among the M released, at
γ = 2 and any belief, genotypic χ² and genotype neighbours (2,000 simulated releases of each
replicate; ± is two standard errors over replicates):

{room}
![{study}: {room_words}]({study}_room.png)

More room does not make up for more noise: at M = 5 χ² releases the pair hardly ever at 10,000
participants, where M = 2 nearly always does. Who wants five variants needs more participants, or
the distance score.

## The distance score

The distance to significance has sensitivity 1 (in genotypes under *genotype*, in swaps under
*swap*) and needs far fewer participants:

{distance}
"""


def page(points: Sequence[Point], room: Sequence[RoomPoint], replicates: int) -> str:
    """Markdown, with the figures beside it."""
    first = points[0].study
    main = [point for point in points if point.study == first]
    text = _HEAD.format(
        replicates=replicates,
        study=first,
        room=_with_room(room, first, "genotypic", "genotype"),
        room_words=_ROOM_WORDS,
        headline=_by_size(_pick(main, "genotypic", "genotype", "gumbel"), reference=first),
        verdict=_verdict(_pick(main, "genotypic", "genotype", "gumbel")),
        swapped=_by_size(_pick(main, "genotypic", "swap", "gumbel")),
        distance="\n".join(
            f"Neighbours: {adjacency}.\n\n"
            + _by_size(_pick(main, "distance", adjacency, "exponential"))
            for adjacency in ("genotype", "swap")
        ),
    )
    return text + "".join(_studies(points, room))


def _studies(points: Sequence[Point], room: Sequence[RoomPoint]) -> Iterable[str]:
    yield "## Study by study\n\n"
    for study in dict.fromkeys(point.study for point in points):
        what = (
            "HAP-SAMPLE's study, which the paper used"
            if study == "hapsample"
            else "a study made by `deniable gwas simulate`, two equally strong causal variants"
        )
        numbers = f"All numbers: [{study}.csv]({study}.csv)."
        yield f"### {study}\n\n{what[0].upper()}{what[1:]}. {numbers}\n\n"
        own = [point for point in points if point.study == study]
        for adjacency in ("genotype", "swap"):
            yield f"Genotypic χ², Gumbel noise, neighbours: {adjacency}.\n\n"
            yield _by_size(_pick(own, "genotypic", adjacency, "gumbel")) + "\n"
            yield "All scores, exponential noise:\n\n"
            yield f"![{study}, neighbours: {adjacency}. {_WORDS}]({study}_{adjacency}.png)\n\n"
        yield "The causal pair among M released, γ = 2, any belief, genotype neighbours "
        yield f"([{study}_room.csv]({study}_room.csv) has swaps too), genotypic χ²:\n\n"
        yield _with_room(room, study, "genotypic", "genotype") + "\nDistance:\n\n"
        yield _with_room(room, study, "distance", "genotype") + "\n"
        yield f"![{study}: {_ROOM_WORDS}]({study}_room.png)\n\n"


def _pick(points: Iterable[Point], score: str, adjacency: str, noise: str) -> list[Point]:
    return [
        point
        for point in points
        if (point.score, point.adjacency, point.noise) == (score, adjacency, noise)
    ]


def _by_size(points: Sequence[Point], reference: str | None = None) -> str:
    cells = {(p.individuals, p.gamma, p.prior): p for p in points}
    columns = [(1.5, "any"), (1.5, "half"), (2.0, "any"), (2.0, "half")]
    head = ["N", *(f"γ = {g:g}, {'any belief' if w == 'any' else 'belief ½'}" for g, w in columns)]
    rows = []
    for size in sorted({p.individuals for p in points}):
        row = [f"{size:,}"]
        for gamma, whom in columns:
            point = cells[size, gamma, whom]
            known = _REFERENCE.get((size, gamma, whom)) if reference == "hapsample" else None
            beside = "" if known is None else f" (elsewhere {known:.3f})"
            row.append(f"{point.probability:.3f} ± {2 * point.standard_error:.3f}{beside}")
        rows.append(row)
    return markdown_table(head, rows)


def _with_room(points: Iterable[RoomPoint], study: str, score: str, adjacency: str) -> str:
    cells = {
        (p.individuals, p.top, p.noise): p
        for p in points
        if (p.study, p.score, p.adjacency) == (study, score, adjacency)
    }
    kinds = sorted({(top, noise) for _, top, noise in cells}, key=lambda kind: (kind[0], kind[1]))
    head = ["N", *(f"M = {top}, {_LAWS[noise]}" for top, noise in kinds)]
    rows = []
    for size in sorted({size for size, *_ in cells}):
        found = [cells[size, *kind] for kind in kinds]
        each = [f"{p.probability:.3f} ± {2 * p.standard_error:.3f}" for p in found]
        rows.append([f"{size:,}", *each])
    return markdown_table(head, rows)


def _verdict(points: Sequence[Point]) -> str:
    needed = {
        whom: min(
            (p.individuals for p in points
             if p.gamma == 2.0 and p.prior == whom and p.probability >= _ENOUGH),
            default=None,
        )
        for whom in ("any", "half")
    }  # fmt: skip
    words = {
        whom: "more than all sizes tried" if size is None else f"{size:,} participants"
        for whom, size in needed.items()
    }
    return (
        f"Measured on {points[0].study}, with probability {_ENOUGH} as “enough”: any belief needs "
        f"{words['any']}, belief ½ needs {words['half']} (of the sizes in the table)."
    )
