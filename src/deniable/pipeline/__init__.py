"""One way from exact totals to checked files, for every kind of release."""
