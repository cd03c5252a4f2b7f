"""Properties of texts that give bots away: surface form, hygiene, repetition."""
