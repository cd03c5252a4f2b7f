"""Spot The Bot for people: the hydra script, its configurations, and what annotators see (README.md)."""
