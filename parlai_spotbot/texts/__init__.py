"""What texts give away: surface form, hygiene, repetition; for self-play, packing and findings alike."""
