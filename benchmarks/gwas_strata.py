"""How often a release names the causal variants where cases come from two populations unevenly.

A study of 1,000 people from each of two populations, at F_ST .02, with two causal variants among
2,000. 70 and 30 in 100 of the populations are cases, or 50 and 50. Each score's probability that
the two are what is released is exact, by the law of the choice; the mean of some studies is shown.
Some seconds.
"""

import numpy as np

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.gwas.association.statistics import allelic_chi_squared, genomic_inflation
from deniable.gwas.genotypes import GenotypeCounts, Strata, strata_sizes, sum_over_strata
from deniable.gwas.owner.utility import selection_mechanism, set_probability
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import Score, scores

PEOPLE, VARIANTS, CAUSAL = sized(1_000, 40), sized(2_000, 40), (0, 1)
"""In each population; all variants, and which of them are causal."""
F_ST, ODDS_RATIO, FREQUENCY = 0.02, 1.6, 0.35
"""Between the populations; of a copy; of the causal alleles."""
SHARES = {"uneven": (0.7, 0.3), "even": (0.5, 0.5)}
"""Of each population who are cases."""
BUDGETS = tuple(np.log([1.5, 2.0, 3.0]))
STUDIES = sized(20, 1)
"""That are drawn: among them the probabilities differ much."""


def main() -> None:
    """Print a line a study, adjacency and score."""
    heads = "  ".join(f"ε={epsilon:<5.2f}" for epsilon in BUDGETS)
    print(f"{'shares':>7} {'λ':>5} {'adjacency':>9} {'score':>10}  {heads}")
    for name, shares in SHARES.items():
        made = [study(np.random.default_rng(seed), shares) for seed in range(STUDIES)]
        inflation = np.mean([genomic_inflation(allelic_chi_squared(each)) for each, _ in made])
        for adjacency in StudyAdjacency:
            for score in (Score.DISTANCE, Score.ALLELIC, Score.STRATIFIED):
                powers = np.mean([found(*each, score, adjacency) for each in made], axis=0)
                shown = "  ".join(f"{each:<7.3f}" for each in powers)
                print(f"{name:>7} {inflation:5.2f} {adjacency:>9} {score:>10}  {shown}")


def found(
    counts: GenotypeCounts, strata: Strata, score: Score, adjacency: StudyAdjacency
) -> list[float]:
    """At each budget, how likely the causal variants are what is released; the lower end."""
    within = strata if score is Score.STRATIFIED else None
    ranked = scores(counts, score=score, adjacency=adjacency, strata=within)
    top = len(CAUSAL)
    laws = [selection_mechanism(ranked, top, float(epsilon)) for epsilon in BUDGETS]
    return [set_probability(ranked.steps, CAUSAL, law).lower for law in laws]


def study(rng: np.random.Generator, shares: tuple[float, float]) -> tuple[GenotypeCounts, Strata]:
    """Counts of the whole study, and its sums within populations."""
    ancestral = rng.uniform(0.1, 0.9, VARIANTS)
    ancestral[list(CAUSAL)] = FREQUENCY
    # Balding and Nichols: frequencies of a population about those of its ancestors.
    spread = (1 - F_ST) / F_ST
    groups = []
    for share in shares:
        frequency = rng.beta(ancestral * spread, (1 - ancestral) * spread)
        copies = rng.binomial(2, frequency[:, None], (VARIANTS, PEOPLE))
        liability = np.log(ODDS_RATIO) * copies[list(CAUSAL)].sum(axis=0) + rng.logistic(
            size=PEOPLE
        )
        cases = liability >= np.sort(liability)[-round(share * PEOPLE)]
        groups.append([genotypes(copies[:, who]) for who in (cases, ~cases)])
    table = np.array(groups).transpose(2, 0, 1, 3)  # variants, populations, status, genotypes
    whole = table.sum(axis=1)
    called = table.sum(axis=-1)
    sizes = strata_sizes(called[0, :, 0].tolist(), called[0, :, 1].tolist())
    sums = sum_over_strata(table[..., 1] + 2 * table[..., 2], called)
    return GenotypeCounts(*(complete(whole[:, status]) for status in (0, 1))), Strata(sizes, *sums)


def genotypes(copies: np.ndarray) -> np.ndarray:
    """People with 0, 1 and 2 copies; (n_variants, n_people) -> (n_variants, 3)."""
    return np.stack([(copies == number).sum(axis=1) for number in range(3)], axis=1)


def complete(counts: np.ndarray) -> np.ndarray:
    """With a column of missing calls, of which there are none."""
    return np.pad(counts, ((0, 0), (0, 1)))


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
