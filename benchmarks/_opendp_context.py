"""The grouped sum by OpenDP's own Context, for an environment that has opendp[polars]."""

import json
import sys
import time

import opendp.prelude as dp
import polars as pl


def main(path: str, rows: int, groups: int, largest: float) -> None:
    """Print the times and the noisy total of one release at ε = 1."""
    dp.enable_features("contrib")
    # The noise grows with this public bound, which is as low as can be.
    most = pl.scan_parquet(path).select(pl.len()).collect().item()
    start, before = time.perf_counter(), time.process_time()
    context = dp.Context.compositor(
        data=pl.scan_parquet(path),
        privacy_unit=dp.unit_of(contributions=1, identifier="person"),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=["grp"], max_length=most, max_groups=groups)],
    )
    keys = pl.LazyFrame({"grp": list(range(groups))}, schema={"grp": pl.Int32})
    value = pl.col("value").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, largest))
    query = context.query().truncate_per_group(rows).group_by("grp").agg(value).with_keys(keys)
    total = query.release().collect()["value"].sum()
    spent = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - before}
    print(json.dumps({**spent, "total": total}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
