"""What upstream releases broke, mended in one place."""


def install() -> None:
    """Install every mend."""
