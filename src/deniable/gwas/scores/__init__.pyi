"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.scores.adjacency import MOST_INDIVIDUALS as MOST_INDIVIDUALS
from deniable.gwas.scores.adjacency import StudyAdjacency as StudyAdjacency
from deniable.gwas.scores.adjacency import sizes as sizes
from deniable.gwas.scores.distance import Line as Line
from deniable.gwas.scores.distance import Moves as Moves
from deniable.gwas.scores.distance import complete as complete
from deniable.gwas.scores.distance import outline as outline
from deniable.gwas.scores.distance import signed_distance as signed_distance
from deniable.gwas.scores.distance import signed_swap_distance as signed_swap_distance
from deniable.gwas.scores.scores import Grid as Grid
from deniable.gwas.scores.scores import Score as Score
from deniable.gwas.scores.scores import Scores as Scores
from deniable.gwas.scores.scores import allelic_sensitivity as allelic_sensitivity
from deniable.gwas.scores.scores import genotypic_sensitivity as genotypic_sensitivity
from deniable.gwas.scores.scores import public_grid as public_grid
from deniable.gwas.scores.scores import scores as scores
