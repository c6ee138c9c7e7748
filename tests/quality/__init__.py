"""Tests of what measures quality: a wrong ruler would go unnoticed."""
