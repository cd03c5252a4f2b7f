"""Export of a study's conversations and judgements for other programs."""
