"""Bots talk to each other: contestants in processes of their own, ParlAI worlds, and a runner that resumes."""
