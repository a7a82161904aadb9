"""A trained model: from a belief to its noise, and the certificate of what was done."""

DRAWN_BY = {
    "BatchComparison.plot": "deniable.training.batches.chart:comparison_chart",
}
"""What draws the answers of this package."""
