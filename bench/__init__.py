"""Measurements, side by side in one run: ``make bench``."""
