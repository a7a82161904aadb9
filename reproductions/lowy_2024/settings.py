"""What the figures are drawn for: the paper's settings, and how finely we look."""

import attrs

DELTA = 0.01
SMALL = 6
"""n of the paper's enumerations, Figures 1 to 3."""
LARGE = 100
"""n of the figures on Gaussian noise."""
CLIP_OF_FIGURE_3 = 10.0
"""Ours: Figure 3 does not say where norms are cut; Figure 1 cuts here."""
SEED = 2402


@attrs.frozen
class Settings:
    """How many marks and parent sets, and how long a bracket may take."""

    enumerated: int = 100
    """T, parent sets a mark, of Figures 1 to 3."""
    noisy: int = 20
    """T of Figures 4 to 6."""
    large: int = LARGE
    spreads: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
    medians_clips: tuple[float, ...] = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    medians_columns: tuple[int, ...] = (1, 2, 5, 10, 20, 50)
    restricted: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0)
    means_clips: tuple[float, ...] = (10.0, 20.0, 50.0, 100.0, 150.0)
    means_columns: tuple[int, ...] = (1, 2, 5, 10, 20, 50)
    seconds: float = 10.0
    """For one certified bracket; most are done sooner."""
    growing: int = 3
    enumerated_sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10, 12)
    fourier_sizes: tuple[int, ...] = (1, 2, 3, 5, 10, 30, 100, 300, 1000)


QUICK = Settings(
    enumerated=2,
    noisy=2,
    large=5,
    spreads=(0.1, 1.0),
    medians_clips=(10.0, 50.0),
    medians_columns=(1, 3),
    restricted=(2.0, 10.0),
    means_clips=(10.0, 100.0),
    means_columns=(1, 2),
    seconds=600.0,  # so that the gap ends each bracket, after half a second of work at most
    growing=1,
    enumerated_sizes=(2, 6, 8),
    fourier_sizes=(2, 10, 50),
)
