"""Values that somebody may write into their own row, by what a plan declares of the column.

`PLAIN` are what everybody has. `ODD` are what an adversary would try, as Python's objects, and
`RAW` what a typed column may store besides: bits of days and moments, and bytes that are no text.
"""

import datetime

import pyarrow as pa

from tests.cases import odd_values
from tests.cases.odd_values import NO_TEXT, OBJECTS, VALUES
from tests.cases.odd_values import TEXTS as TEXTS

_DAY, _NOON = datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 12)
_A_DAY, _AN_HOUR = datetime.timedelta(days=1), datetime.timedelta(hours=1)

PLAIN = {
    "integer": (0, 1, 2, 3, -1, 7),
    "number": (0.0, 0.5, 1.0, 1.5, 2.0, -1.0, 10.0),
    "text": ("a", "b", "c", ""),
    "boolean": (True, False),
    "date": (_DAY, _DAY + _A_DAY, _DAY - 3 * _A_DAY),
    "timestamp": (_NOON, _NOON + _AN_HOUR, _NOON - _AN_HOUR),
}

ODD = {kind: (*values, *values, *OBJECTS) for kind, values in VALUES.items()}
"""Those of the kind stand here twice, or few of them would come up among so many others."""


def _numbers(name: str, of: pa.DataType) -> list[int]:
    return [each for each in odd_values.RAW[name].view(of).to_pylist() if each is not None]


_DAYS = _numbers("date32[day]", pa.int32())
_TICKS = [*_numbers("date64[ms]", pa.int64()), *_numbers("timestamp[us]", pa.int64())]
RAW = {
    "integer": (), "number": (), "text": NO_TEXT, "boolean": (),
    "date": (*_DAYS, *_TICKS), "timestamp": tuple(_TICKS),
}  # fmt: skip
