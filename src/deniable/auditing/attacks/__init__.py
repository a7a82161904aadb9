"""Attacks on what is published: each learns on pilot runs and then scores every other run."""
