"""When an answer is so extreme that it says nothing: warnings from public numbers only."""

from deniable.theorems.analysis.belief import posterior_upper

_UNLIKELY, _SURE = 0.001, 0.99
"""A limit that lets 1 in 1,000 become 99 in 100 limits nothing that anybody would call a belief."""
_OFTEN = 0.01
"""An exception of 1 in 100 releases is no longer rare."""


def belief_cautions(loss: float, attack_success: float, exceedance: float) -> tuple[str, ...]:
    """What is wrong with a limit on beliefs, in sentences; none where nothing is.

    Parameters
    ----------
    loss : float
        The privacy loss at which beliefs are read.
    attack_success : float
        Of a guess at even odds.
    exceedance : float
        How probable an output may be that tells more; 0 without δ.

    Examples
    --------
    >>> belief_cautions(1.0, 0.732, 0.0)
    ()
    >>> belief_cautions(1e6, 1.0, 0.0)[0].split(":")[0]
    'This protects nobody'
    """
    cautions = []
    if posterior_upper(loss, _UNLIKELY) >= _SURE and attack_success >= _SURE:
        cautions.append(
            "This protects nobody: a belief of 1 in 1,000 may become one of 99 in 100 or more."
        )
    if exceedance >= _OFTEN:
        cautions.append(
            "This promises little: the limit on beliefs has an exception with a probability of "
            f"up to {exceedance:.3g}."
        )
    return tuple(cautions)
