"""Version of the figures of an analysis."""

VERSION = 6
"""It grows where the same judgements give other figures than before, and a report of an older analysis says so."""
