"""Statistics beyond the core: variance, regression, geometric mean, running counts."""
