"""A count with Laplace noise, for `deniable audit counting:release`."""


def release(data, rng):
    """Return how many are ill, with noise of scale 1."""
    return sum(data) + rng.laplace(scale=1.0)


release.neighbours = ([0, 1, 1, 0], [1, 1, 1, 0])
