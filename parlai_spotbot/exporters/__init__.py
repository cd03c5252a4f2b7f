"""A study's conversations and judgements as files that other programs read, one module a format."""
