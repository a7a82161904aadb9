#!/bin/bash
# What: SDMX writes a month as 2020-01 or, where periods are reported, as 2020-M01; the third third of a year is 2020-T3.
#   sdmx1 2.28.0 turns time periods into dates for `to_pandas(..., datetime=...)`. It takes 2020-M12 for twelve seconds
#   past the New Year of 2020, and 2020-T3 for March. With freq="M" all twelve months are January, with freq="Q" all
#   quarters are the first. The guess is pandas'. 2020-Q4 and 2020-12 are right, and 2020-S2 and 2020-W01 are
#   refused. Nothing is said. Here a year's deaths, 100 in January and 210 in December, fall on one day.
# Hurt: anyone who sums, plots or seasonally adjusts monthly counts of people from a source that writes 2020-M01.
# We: export no time dimension; a period is a code like any other. Map the codes to dates yourself.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sdmx1==2.28.0 pandas==2.3.3
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io
import sys
from importlib.metadata import version

import pandas as pd
import sdmx

print("sdmx1", version("sdmx1"), "pandas", version("pandas"))
base = "http://www.sdmx.org/resources/sdmxml/schemas/v2_1"
names = {"message": "message", "common": "common", "generic": "data/generic"}
spaces = " ".join(f'xmlns:{name}="{base}/{place}"' for name, place in names.items())


def read(periods, **options):
    """Read a message of SDMX-ML 2.1 with one series, 100 deaths in the first period and ten more in each later one."""
    observations = "".join(
        f'<generic:Obs><generic:ObsDimension value="{period}"/><generic:ObsValue value="{100 + 10 * place}"/>'
        "</generic:Obs>"
        for place, period in enumerate(periods)
    )
    message = f"""<?xml version="1.0" encoding="UTF-8"?>
<message:GenericData {spaces}>
<message:Header><message:ID>D</message:ID><message:Test>false</message:Test>
<message:Prepared>2021-02-01T00:00:00</message:Prepared><message:Sender id="S"/>
<message:Structure structureID="D" dimensionAtObservation="TIME_PERIOD"><common:Structure>
<Ref agencyID="S" id="D" version="1.0"/></common:Structure></message:Structure></message:Header>
<message:DataSet structureRef="D"><generic:Series><generic:SeriesKey><generic:Value id="AREA" value="01"/>
</generic:SeriesKey>{observations}</generic:Series></message:DataSet></message:GenericData>"""
    return sdmx.to_pandas(sdmx.read_sdmx(io.BytesIO(message.encode())).data[0], **options)


def converted(periods, freq=None):
    choice = {"dim": "TIME_PERIOD", "freq": freq} if freq else "TIME_PERIOD"
    table = read(periods, datetime=choice)
    return [str(label) for label in table.index], table


reported = [f"2020-M{month:02}" for month in range(1, 13)]
calendar = [f"2020-{month:02}" for month in range(1, 13)]
print("as they are:", read(reported).to_dict())
labels, table = converted(reported)
print("2020-M01 to 2020-M12:", labels[0], "to", labels[-1])
right, _ = converted(calendar)
print("2020-01 to 2020-12:  ", right[0], "to", right[-1])
periods = {freq: set(converted(reported, freq)[0]) for freq in "MQ"}
for freq, seen in periods.items():
    print(f'the twelve with freq="{freq}":', seen)
thirds, _ = converted(["2020-T1", "2020-T2", "2020-T3"])
print("2020-T1 to 2020-T3:  ", thirds)
a_day = table.iloc[:, 0].resample("D").sum().to_dict()
print("deaths by day:", {str(day.date()): deaths for day, deaths in a_day.items()})
refused = 0
for period in ("2020-S2", "2020-W01"):
    try:
        converted([period])
    except ValueError as error:
        refused += 1
        print(f"{period}: {error}")
as_seen = (
    labels[0].endswith("01-01 00:00:01") and labels[-1].endswith("01-01 00:00:12") and right[-1].startswith("2020-12-01")
    and periods == {"M": {"2020-01"}, "Q": {"2020Q1"}} and thirds[2].startswith("2020-03-01")
    and list(a_day.values()) == [1860.0] and refused == 2
)  # fmt: skip
sys.exit(not as_seen)
PYTHON
