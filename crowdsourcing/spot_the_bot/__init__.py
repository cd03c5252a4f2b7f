"""Spot The Bot for people: what annotators see (README.md), and the launch script of all surveys (run.py)."""
