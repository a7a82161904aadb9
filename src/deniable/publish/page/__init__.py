"""The report of a plan's release."""
