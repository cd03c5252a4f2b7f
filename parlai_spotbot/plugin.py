"""How ParlAI finds what is ours: ``-t spotbot:TASK``, ``-m spotbot:AGENT`` and ``-mf zoo:spotbot/MODEL/model``."""

from pathlib import Path

SOURCE = "install parlai_spotbot"


def register() -> None:
    """Tell ParlAI of our tasks, agents and zoo. May be called any number of times."""
    import parlai.zoo
    from parlai.core import loader

    loader.REGISTERED_REPOS.setdefault("spotbot:", {"repo": "parlai_spotbot", "source": SOURCE})
    ours = str(Path(__file__).parent / "zoo")
    if ours not in parlai.zoo.__path__:
        parlai.zoo.__path__.append(ours)
