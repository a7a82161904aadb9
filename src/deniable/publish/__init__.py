"""From a plan to published files; the only part of the house that sees data."""
