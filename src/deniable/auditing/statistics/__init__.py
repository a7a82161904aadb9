"""What counts of right guesses prove: pure functions of counts, rounded to the safe side."""
