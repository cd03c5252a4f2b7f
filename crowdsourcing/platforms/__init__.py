"""Identification of annotators: personal links, Prolific and MTurk."""
