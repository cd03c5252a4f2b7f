"""Other people's data into a study."""
