"""What is uncertain about an estimate: who shares what, and from it variances, tests, intervals, corrections."""
