"""Tests of the lanes: each against a brute-force twin."""
