"""The verdict on every two contestants: contrasts, and probes of what these assume."""
