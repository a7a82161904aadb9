"""Intervals for a population, where the table is a simple random sample of it.

Functions of published numbers and of the stated sizes alone. `noise_tails`
bounds how far noise reaches, `counts` inverts tests of a number of units, `sums`
bounds totals and means, `approximate` has narrower intervals that nothing proves, and `intervals`
puts all of them beside published rows.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
