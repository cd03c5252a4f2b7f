"""People chat with contestants in their browsers; see README.md."""
