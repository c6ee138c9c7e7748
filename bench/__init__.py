"""Measurements: speed, quality, and the synthetic homes they run on."""
