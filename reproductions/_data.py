"""Where real data lies, if it does."""

import os
from pathlib import Path


def shared_data() -> Path | None:
    """$DENIABLE_DATA, else shared/data beside the project; None where there is neither."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DENIABLE_DATA", beside))
    return folder if (folder / "gwas" / "hapsample").is_dir() else None
