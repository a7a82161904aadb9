"""What others can read of a study: tables of frequencies and statistics, and releases of ours."""
