#!/bin/bash
# What: lifelines 0.30.3 turns two dates into a duration (`datetimes_to_durations`). With freq="Y" it divides by a year
#   of 365.2425 days, with freq="M" by a month of 30.436875 days, and cuts off the rest. So 1 January 2021 to
#   1 January 2022 is 0 years and 11 months, and 1 March 2017 to 1 March 2022 is 4 years. Whether a follow-up that
#   ends with the study, after five years to the day, counts as five depends on the leap days between. Its help says
#   "the units of time to use" and no more. R's lubridate and people count calendars.
# Hurt: anyone who publishes a one-year or five-year survival of people who were followed for so long to the day.
#   Here all 1,000 people are seen for five years, nobody leaves and 300 die on the last day. 750 people
#   get 4 years, 200 of the deaths are among them, and survival to year 4 is 80 % in place of 100 %.
# We: take durations as they are, and compute none from dates.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet lifelines==0.30.3 pandas==2.3.3
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import pandas as pd
from lifelines import KaplanMeierFitter
from lifelines.utils import datetimes_to_durations

print("lifelines", version("lifelines"), "pandas", version("pandas"))
pairs = {
    ("2021-01-01", "2022-01-01"): {"D": 365, "M": 11, "Y": 0},
    ("2020-02-01", "2020-03-01"): {"D": 29, "M": 0, "Y": 0},
    ("2016-02-01", "2021-02-01"): {"D": 1827, "M": 60, "Y": 5},
    ("2017-03-01", "2022-03-01"): {"D": 1826, "M": 59, "Y": 4},
}
seen = True
for (start, end), expected in pairs.items():
    answers = {unit: int(datetimes_to_durations([start], [end], freq=unit)[0][0]) for unit in expected}
    print(f"{start} to {end}: {answers['D']} days, {answers['M']} months, {answers['Y']} years")
    seen = seen and answers == expected
starts = [f"{2013 + person % 4}-06-01" for person in range(1000)]
ends = [f"{2018 + person % 4}-06-01" for person in range(1000)]
years, _ = datetimes_to_durations(starts, ends, freq="Y")
died = [person % 10 < 3 for person in range(1000)]
alive = KaplanMeierFitter().fit(years, died).predict(4)
print(pd.Series(years).value_counts().to_dict(), f"people by years; alive after year 4: {alive:.3f}, truly 1")
sys.exit(not (seen and abs(alive - 0.8) < 1e-9))
PYTHON
