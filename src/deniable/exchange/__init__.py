"""Releases in the formats of other programs: workbooks, SDMX, a registry of deployments."""
