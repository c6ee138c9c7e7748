"""Stage 2, DISTIL: exchange -> palace object, in the exchange's own words."""
