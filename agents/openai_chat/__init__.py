"""Any model behind an OpenAI-compatible chat server, as a ParlAI agent: ``-m spotbot:openai_chat``."""
