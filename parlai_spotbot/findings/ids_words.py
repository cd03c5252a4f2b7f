"""Sentences on annotators' ids, from a collection's provenance."""

from collections.abc import Mapping

from parlai_spotbot.wording import counted

SIGNED = "signed by the platform"


def unverified(collection: Mapping) -> str:
    """The sentence where nobody verified who annotators were: Prolific's, whose links Prolific did not sign."""
    settings, checked = collection.get("settings") or {}, collection.get("platform") or {}
    if settings.get("provider") != "prolific" or collection.get("ids") == SIGNED:
        return ""
    text = "Annotators' ids were not verified when they came, so one person may have taken part as several"
    listed = checked.get("listed") is not None
    return text + ("; answers by ids that the platform does not know are left out." if listed else ".")


def strangers(collection: Mapping) -> str:
    """The sentence where the platform did not know some of those who answered."""
    count = (collection.get("platform") or {}).get("unknown_annotators", 0)
    if not count:
        return ""
    are = "is" if count == 1 else "are"
    return f"{counted(count, 'annotator').capitalize()} whom the platform did not know {are} left out."
