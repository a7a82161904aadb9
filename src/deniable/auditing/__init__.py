"""What the best attack that we could build really achieved, with statistics that hold."""

DRAWN_BY = {"Audit.plot": "deniable.auditing.page:rates_plot"}
"""What draws the answers of this package."""
