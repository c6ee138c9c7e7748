"""Retrieval quality: labelled and own-history evaluation, metrics, statistics, report."""
