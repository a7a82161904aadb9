"""What was spent on the same people, and what may be believed after all of it."""
