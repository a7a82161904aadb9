"""Every command that writes, under every fault, as a table: `tests/cases/faults.py` says how."""

import sys

from tests.cases.faults import by_hand

if __name__ == "__main__":
    sys.exit(by_hand(sys.argv[1:]))
