"""Shared loaders of the embedded models; agents and judges use them."""
