"""Margins of a crosstab that add up: split, measured, rebuilt, with error bars and rows to share.

Pure functions of public and of noisy numbers. `layout` says what a crosstab publishes and
what gets noise, `design` how noise is split over it, `sensitivity` how far one entity moves it;
`reconstruct` and `rows` are functions of the noisy numbers alone.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
