"""What tables of margins and their errors are exactly."""

from fractions import Fraction

from deniable.crosstabs.margins import error_terms


def fractions(table):
    """The cells, the last column running fastest."""
    return [Fraction(number, table.denominator) for number in table.numerators.reshape(-1).tolist()]


def variance(design, margin, noise_variance=1):
    """The variance of each cell of a margin, for independent noise of this variance."""
    terms = error_terms(design, margin)
    return Fraction(noise_variance) * sum(c * c * number for c, number in terms.items())
