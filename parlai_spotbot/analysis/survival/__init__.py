"""Survival analysis of interval-censored data."""
