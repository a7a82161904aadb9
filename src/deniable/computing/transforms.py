r"""Fast Fourier transforms of real sequences, with a bound on what rounding does to them.

**The bound.** Let n = 2^a·3^b·5^c. NumPy and SciPy transform such a length by PocketFFT's passes
of radix 4, 2, 3 and 5: in exact arithmetic each pass is a unitary map times √r, a DFT of r numbers
followed by factors of modulus 1. What a pass computes is off, in the 2-norm and relative to its
exact result, with u = 2⁻⁵³, by at most

- 8u + √8·u for the factors: each is a product of two table entries that are right to 2.5u, and a
  product of complex numbers is off by √8·u (Higham's Lemma 3.5);
- for the r numbers √2·5·√3·u < 12.3u (r = 3) and √2·7·√5·u < 22.2u (r = 5), since at most 5 and 7
  roundings, those of the constants included, lie between a number that goes in and one that comes
  out, and by Cauchy–Schwarz; 4u for r = 4 (two additions, no constant), √2·u for r = 2.

Together these are at most 12.3u, 23.2u, 14.9u and 33.1u a pass for r = 2, 3, 4 and 5: less than 15u
for each unit of log₂ r. Passes are unitary, so that their errors add up; products of errors are far
below a hundredth of them. This is Theorem 24.2 of [higham-2002]_, which is stated for radix 2,
carried to the other three. A length with a larger prime factor goes another way through the library
(a convolution, or a sum of as many terms as the prime has units), and is refused here.

The way back has the same passes and one division by n. Underflow loses far less than 10⁻³⁰⁰.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.numerics.rounding import UNIT

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]


def transform_length(least: int) -> int:
    """Return the least length from `least` on whose prime factors are 2, 3 and 5."""
    # As scipy.fft.next_fast_len, whose import takes as long as all of NumPy's and ours.
    bits = range(least.bit_length())
    odds: set[int] = {3**b * 5**c for b in bits for c in bits}
    return min(odd << (-(-least // odd) - 1).bit_length() for odd in odds)


def transform_error(length: int) -> float:
    """Bound the rounding of a transform there or back relative to its result, in the 2-norm."""
    # higham-2002, Theorem 24.2, for radix 2. No single number is off by more than the 2-norm.
    # Refused if the length has a prime factor beyond 5, of which nothing is proved.
    if length < 1 or pow(2 * 3 * 5, length.bit_length(), length):
        raise InvalidArgument(
            f"Expected a length whose prime factors are 2, 3 and 5, got {length}. "
            "Take the next one from transform_length."
        )
    # By the argument above 15 u for each unit of log₂ n, and 1 u for a division, each rounded up.
    return (16 * math.log2(length) + 2) * UNIT


def transform(values: Floats) -> Complexes:
    """Return Σ_k v_k e^(−2πijk/n), j <= n/2, along the last axis; (…, n) -> (…, n // 2 + 1)."""
    transform_error(values.shape[-1])
    return np.asarray(np.fft.rfft(values))


def inverse_transform(coefficients: Complexes, length: int) -> Floats:
    """Return the real sequence with these coefficients; (…, n // 2 + 1) -> (…, n)."""
    transform_error(length)
    return np.asarray(np.fft.irfft(coefficients, length))
