"""What agents get of past work: sizes, usefulness, latency."""
