"""What several guests compute with: processes, transforms, limits of a probability."""
