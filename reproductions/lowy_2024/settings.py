"""What the figures are drawn for. The paper's own choices are not all known; these are ours."""

import attrs

DELTA = 0.01
RESTRICTED = 10.0
"""ε(X) where a figure holds it fixed, by restricted sensitivity as in the paper's figures."""
CLIP = 10.0
CANDIDATES = 32
COLUMNS = 5
SMALL = 6
"""n of the paper's enumerations."""
LARGE = 100
"""n of the figures on Gaussian noise."""
SEED = 2402


@attrs.frozen
class Settings:
    """How many marks, how many parent sets, and how long the crowd bound may take for each."""

    replicates: int = 20
    readings: int = 200
    spreads: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
    clips: tuple[float, ...] = (2.0, 5.0, 10.0, 20.0, 30.0, 50.0)
    restricted: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0, 20.0)
    enumerated: tuple[int, ...] = (6, 12)
    sizes: tuple[int, ...] = (10, 30, 100, 300)
    exact_sizes: tuple[int, ...] = (10, 30, 100, 300, 1000)
    columns: tuple[int, ...] = (1, 2, 5, 10, 20, 50)
    large: int = LARGE
    enumerated_sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 15)
    fourier_sizes: tuple[int, ...] = (1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10_000)
    growing: int = 3
    crowd_seconds: float = 30.0


QUICK = Settings(
    replicates=2,
    readings=10,
    spreads=(0.5, 2.0),
    clips=(10.0, 50.0),
    restricted=(2.0, 10.0),
    enumerated=(6,),
    sizes=(5,),
    exact_sizes=(5, 20),
    columns=(1, 2),
    large=5,
    enumerated_sizes=(2, 6, 8),
    fourier_sizes=(2, 10, 50),
    growing=1,
    crowd_seconds=0.3,
)
