"""What gets noise, its share of the budget, and the only interface to the sampler."""
