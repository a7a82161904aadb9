"""Public arguments in, a `PopulationAnswer` out: one file a mechanism."""
