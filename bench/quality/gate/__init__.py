"""The gate that keeps the default mode from getting worse: ``make bench-quality``."""
