#!/bin/sh
# lifelines: the median survival time can be one death late.
#
# What: the median is the first time at which the Kaplan-Meier curve is at most one half. Six people
#   who die in months 1 to 6 reach exactly 3/6 in month 3. KaplanMeierFitter 0.30.0 multiplies in
#   floating point, holds 0.5000000000000001 there, and answers 4. Among even numbers of people up to
#   200 with one death a month it is late for 24 of 100. R's survival package has a tolerance for it
#   and answers 3.5, the middle of the flat piece.
# Who is hurt: anyone who publishes a median of a small group, or compares one with another program's.
# What Deniable does: survival curves are products of fractions of whole numbers, and a median compares
#   them with one half exactly.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet lifelines==0.30.0
"$work/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from fractions import Fraction
from importlib.metadata import version

from lifelines import KaplanMeierFitter

print("lifelines", version("lifelines"))


def exact(people):
    alive, curve = people, Fraction(1)
    for month in range(1, people + 1):
        curve *= Fraction(alive - 1, alive)
        alive -= 1
        if curve <= Fraction(1, 2):
            return month


def answered(people):
    return KaplanMeierFitter().fit(range(1, people + 1)).median_survival_time_


six = KaplanMeierFitter().fit(range(1, 7))
print("six deaths:", six.median_survival_time_, "for", exact(6))
print("the curve in month 3:", repr(float(six.survival_function_.iloc[3, 0])))
late = [n for n in range(2, 201, 2) if answered(n) == exact(n) + 1]
print("late for", len(late), "of 100 even numbers up to 200:", late[:5], "...")
if exact(6) != 3 or six.median_survival_time_ != 4 or len(late) != 24:
    sys.exit("lifelines answers otherwise now")
PYTHON
