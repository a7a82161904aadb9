"""ε̃ of sums of real numbers under continuous noise, by Fourier inversion with bounded errors."""
