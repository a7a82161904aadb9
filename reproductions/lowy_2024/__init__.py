"""lowy-2024's figures: ε̃ beside ε(X) and ε, their formula beside exact and certified values."""
