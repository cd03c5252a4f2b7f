"""Contestants in processes of their own, and places to chat with them."""

import itertools

import pytest

from parlai_spotbot.selfplay.contestants import Contestants
from tests.crowdsourcing.chat.parlour import CALM, OBEDIENT, Parlour, make_study


@pytest.fixture
def loaded(tmp_path):
    """loaded(contestant, …): these, started and loaded."""
    running = []

    def load(*entries):
        contestants = Contestants({one.name: one for one in entries}, tmp_path / f"logs{len(running)}", threads=1)
        running.append(contestants)
        contestants.load()
        return contestants

    yield load
    for contestants in running:
        contestants.end()


@pytest.fixture(scope="module")
def company(tmp_path_factory):
    """Two contestants who stay well, for all tests of a module that does them no harm."""
    with Contestants({CALM.name: CALM, OBEDIENT.name: OBEDIENT}, tmp_path_factory.mktemp("logs"), 1) as contestants:
        contestants.load()
        yield contestants


@pytest.fixture
def parlour(tmp_path, page):
    """parlour(contestants, …): a place to chat with these contestants."""
    made, number = [], itertools.count()

    def make(contestants, **options):
        entries = [handle.contestant for handle in contestants.handles()]
        study = options.pop("study", None) or make_study(tmp_path / f"study{next(number)}", *entries)
        made.append(Parlour(study, contestants, page, **options))
        return made[-1]

    yield make
    for one in made:
        one.stop()
