"""The desk: hands out units, checks and grades answers, by the rules of the survey."""
