"""Any model behind an OpenAI-compatible chat server: the client that contestants and judges share."""
