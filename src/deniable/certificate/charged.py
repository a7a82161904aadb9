"""What a certificate says of the ledger that its release was charged to."""

import attrs


@attrs.frozen
class Charged:
    """One charge: public numbers, and a digest that says nothing to who does not hold the ledger.

    How many releases, attempts or voids there were before is not here: that a charge was voided
    may depend on somebody's record.

    Parameters
    ----------
    dataset : str
        The ledger's name for these people.
    measure : str
        "epsilon" or "rho": what adds up over their releases.
    budget, charged : float
        All that may be spent on them, and what this release was charged.
    entry : str
        SHA-256 of the ledger's entry, 64 hexadecimal digits. The entry has a random number of 122
        bits in it and the digest of the one before: who holds the ledger finds it there with all
        that stands before it, and in no copy that went another way; nobody else can guess it.
    """

    dataset: str
    measure: str
    budget: float
    charged: float
    entry: str
