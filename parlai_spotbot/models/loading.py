"""Loading by transformers without its own words, so that what a command says on stderr is the command's."""

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def quietly(bars: bool = False) -> Iterator[None]:
    """Show errors alone while this lasts; with `bars` also how far it is, for what is downloaded."""
    from transformers.utils import logging

    verbosity = logging.get_verbosity()
    shown = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    if not bars:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()
