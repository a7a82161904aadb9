"""The risk of each record, for whoever keeps the list of members."""
