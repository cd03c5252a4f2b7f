"""Refusals of the desk and their reasons: its HTTP status and the sentence for the annotator.

A translation gives sentences of its own under "refused_CODE" and "why_NAME".
"""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.crowdsourcing.desk.contract import Refusal

REFUSALS = {
    "preview": (403, "This is a preview: accept the task first."),
    "stopped": (403, "There are no further tasks for you. What you have handed in is kept."),
    "consent": (403, "Agree to take part first."),
    "onboarding": (403, "Do the practice first."),
    "allowance": (403, "You have had all the tasks that one person may do. Thank you."),
    "foreign": (403, "This task is somebody else's."),
    "unknown": (404, "There is no such task."),
    "late": (410, "The time for this task is over, or it was given back; somebody else may have it now."),
    "doubled": (409, "This task was handed in before, with other answers. The first ones count."),
    "decided": (409, "That is decided already, and a decision is final."),
    "all_open": (409, "There is no further exchange to open."),
    "not_yet": (409, "You can be unsure only when everything is open."),
    "attempt": (409, "These exercises were answered before."),
    "taken": (409, "Every task was taken while you practised, so there is nothing to practise for just now."),
    "said": (409, "Another message of yours stands there already. The page shows it."),
    "answer_due": (409, "Your partner is about to answer. Please wait for the answer."),
    "not_next": (409, "The conversation has gone on. The page shows it as it is now."),
    "chat_over": (409, "Nothing more can be said in this chat."),
    "chat_short": (409, "Chat on a little: the rating comes when there are enough messages."),
    "rated": (409, "This partner was rated before, and a rating is final."),
    "not_failed": (409, "Your partners are there. If you want to stop, give the task back."),
    "empty": (422, "Write something first."),
    "too_long": (422, "This message is too long. Please shorten it."),
    "too_fast": (429, "That was very fast. Please wait a few seconds, then send it again."),
    "busy": (503, "The server can't store anything right now. Try again in a moment."),
}

REASONS = {
    "onboarding": "Too many of the exercises were answered wrong, so there are no tasks for you.",
    "training": "Too many turns of the last conversation were not answered as expected, so there are no tasks of this "
    "kind for you. Thank you for your time.",
    "controls": "Some answers did not fit known ones, so there are no further tasks for you.",
    "reasons": "You never gave a reason, so there are no further tasks for you. What you have handed in is kept.",
    "allowance": "You have done all the tasks that one person may do.",
    "other_group": "You have taken part by another link already, so there is nothing more for you to do here.",
    "nothing_left": "There is nothing left for you to do.",
    "waiting": "Every task that you could do is with somebody at the moment. One may come free.",
    "paused": "There is nothing that you could do right now. Please leave the page open or come back later.",
    "elsewhere": "You have another task open. Finish it, or give it back, before you begin this one.",
    "handed_in": "This task is handed in.",
    "returned": "You gave this task back.",
    "expired": "The time for this task is over.",
}


def refusal(code: str, texts: Mapping[str, str] | None = None) -> Refusal:
    """The refusal of this code, in the words of `texts` where they have any."""
    status, sentence = REFUSALS[code]
    return Refusal(status, code, (texts or {}).get(f"refused_{code}", sentence))


def reason(name: str, texts: Mapping[str, str]) -> str:
    """The sentence for this reason, or `name` itself where it is none of ours (a platform's own words)."""
    return texts.get(f"why_{name}", REASONS.get(name, name))
