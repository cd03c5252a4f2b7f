"""Automatic judges: they answer units as people do."""
