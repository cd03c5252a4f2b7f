"""The made-up study of metrics, and what comes of it, once for all tests."""

import pytest

from tests.analysis.made_up import chats, evidence_of, write_chats


@pytest.fixture(scope="session")
def made():
    return chats()


@pytest.fixture(scope="session")
def evidence(made):
    return evidence_of(made)


@pytest.fixture(scope="session")
def result(evidence):
    from parlai_spotbot.analysis.metrics import Wishes, analyze

    return analyze(evidence, Wishes(seed=3, draws=50, wage=20.0, dialogues=400))


@pytest.fixture(scope="session")
def small():
    """So few conversations that everything is quick."""
    return chats(6)


@pytest.fixture(scope="session")
def study(small, tmp_path_factory):
    return write_chats(small, tmp_path_factory.mktemp("metrics") / "study")
