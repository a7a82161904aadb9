// Trainings by noisy gradient steps, from certified curves.

/** What the next certified noise multiplier below gives away; null below all of them. */
function trained(curves, schedule, noise) {
  const at = lastUpTo(curves.noise, noise);
  if (at < 0) return null;
  return { noise: curves.noise[at], loss: curves.schedules[schedule].loss[at] };
}
