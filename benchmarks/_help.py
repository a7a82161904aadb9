"""What a benchmark says of itself where somebody asks for help, in place of running."""

import sys


def end_for_help(text: str | None) -> None:
    """Print a benchmark's own words and end, if `--help` stands on its line."""
    if {"-h", "--help"} & {*sys.argv[1:]}:
        print((text or "").strip())
        sys.exit(0)
