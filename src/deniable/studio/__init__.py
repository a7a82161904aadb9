"""A local page on which you make a plan by forms: every step is the function of a command."""
