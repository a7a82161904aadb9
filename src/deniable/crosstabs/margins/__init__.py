"""Margins of a crosstab that add up: split, measured, rebuilt, with error bars and rows to share.

Pure functions of public and of noisy numbers. `layout` says what a crosstab publishes, `design` how
noise is split over it, `sensitivity` how far one entity moves it, `measure` what gets noise;
`reconstruct`, `integers` and `rows` are functions of the noisy numbers alone.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
