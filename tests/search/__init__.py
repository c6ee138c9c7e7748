"""Tests of FIND."""
