"""Faults that others planted in mechanisms: which of them an audit finds, and what it accuses."""
