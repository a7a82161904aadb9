"""What gets noise, its share of the budget, and the one door to the sampler."""
