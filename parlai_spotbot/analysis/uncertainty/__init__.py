"""Uncertainty of estimates: clusters, and from them variances, tests, intervals, corrections."""
