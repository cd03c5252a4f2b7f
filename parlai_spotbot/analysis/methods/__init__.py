"""One module a survey: which statistics, on which rows, under which names."""
