"""The [report] table of a plan: words for the report, which change no number."""

from deniable.publish.plan.table import PlanTable
from deniable.report.heading import LONGEST


def check_report(table: PlanTable) -> None:
    """Refuse what is no text, is empty, or is too long for its place.

    Raises
    ------
    PlanError
        With file, table and key.
    """
    table.only(LONGEST)
    for key in table.entries:
        length = len(table.text(key))
        if length > LONGEST[key]:
            raise table.error(key, f"at most {LONGEST[key]} characters", str(length), "Shorten it.")
