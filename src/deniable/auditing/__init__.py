"""What the best attack that we could build really achieved, with statistics that hold."""
