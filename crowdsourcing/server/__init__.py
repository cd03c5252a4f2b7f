"""The web server: requests, their limits, and the page."""
