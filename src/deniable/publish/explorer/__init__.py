"""The explorer: one page of sliders about a budget or a plan, without server and without data."""
