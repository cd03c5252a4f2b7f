"""Spot The Bot (Deriu et al., EMNLP 2020) as a ParlAI plugin: which of your chatbots passes longest as human."""

__version__ = "0.1.0"
