"""How annotators come in and are known: personal links, Prolific and MTurk."""
