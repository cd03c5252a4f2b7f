"""Serving until settled: which two contestants to show next, what the answers prove so far, and when to stop."""
