"""Import of other people's data into a study."""
