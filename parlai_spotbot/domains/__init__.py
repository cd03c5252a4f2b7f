"""What a domain is: a ParlAI task, folds for bots, judges, people and seeds, segment lengths, contexts."""
