"""Ways of drawing batches, and what each tells (docs: how other batches are enclosed)."""
